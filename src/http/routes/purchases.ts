import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { buildPaddings } from '../../gateway/purchase/build-paddings.ts'
import { preflightOrder } from '../../gateway/purchase/preflight-order.ts'
import { quoteOrder } from '../../gateway/purchase/quote-order.ts'
import { feesOf } from '../../gateway/purchase/read-fees.ts'
import { LANES } from '../../runtime/lanes.ts'
import { PURCHASE_OPERATIONS } from '../operations/purchase.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'
import { openOrdersFor } from './queued-views.ts'

/**
 * What a buyer needs to complete an order: fee rates, paddings, a quote, and a preflight of the signed
 * result.
 */
export function purchaseRoutes(app: FastifyInstance, context: RouteContext): void {
  const { gateway, signal, limiters, purchases } = context
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const openOrders = (request: FastifyRequest) => openOrdersFor(context, request, LANES.first)

  const readFees = feesOf(gateway, signal)
  routes.get(`${BASE}/fees`, { schema: PURCHASE_OPERATIONS.readFees }, () => readFees())
  routes.post(
    `${BASE}/orders/:id/quote`,
    {
      onRequest: limiters.quote,
      schema: PURCHASE_OPERATIONS.quoteOrder,
    },
    async (request, reply) => {
      reply.code(201)
      const { params, body } = request
      const clientSignal = requestSignal(reply, signal)
      return purchases.run(LANES.first, () =>
        quoteOrder(gateway, openOrders(request), params.id, body, clientSignal),
      )
    },
  )
  routes.post(
    `${BASE}/operations/paddings`,
    {
      onRequest: limiters.quote,
      config: { keepsNothing: true },
      schema: PURCHASE_OPERATIONS.buildPaddings,
    },
    async (request, reply) => {
      reply.code(201)
      const clientSignal = requestSignal(reply, signal)
      return purchases.run(LANES.first, () =>
        buildPaddings(gateway, openOrders(request), request.body, clientSignal),
      )
    },
  )
  routes.post(
    `${BASE}/orders/:id/preflight`,
    {
      onRequest: limiters.preflight,
      bodyLimit: BODY_BYTES.preflight,
      schema: PURCHASE_OPERATIONS.preflightOrder,
    },
    async (request, reply) => {
      reply.code(201)
      const { params, body } = request
      const clientSignal = requestSignal(reply, signal)
      return purchases.run(LANES.first, () =>
        preflightOrder(gateway, openOrders(request), params.id, body, clientSignal),
      )
    },
  )
}
