import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { readAddressOutputs } from '../../gateway/exposure/address-outputs.ts'
import { buildSelfSpend } from '../../gateway/exposure/build-self-spend.ts'
import { checkOutputs } from '../../gateway/exposure/check-outputs.ts'
import { readExposure } from '../../gateway/exposure/read-exposure.ts'
import {
  type FindOpenOrders,
  openOrdersOf,
  type QueuedViews,
} from '../../gateway/order/orders-of-output.ts'
import { LANES } from '../../runtime/lanes.ts'
import { linkNext } from '../answers/link-next.ts'
import { OUTPOINT_OPERATIONS } from '../operations/outpoints.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, laneOfPage, type RouteContext } from './context.ts'

/** Outputs: what they are exposed to, what ends that, and which are safe to pay with. */
export function outpointRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, stores }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const views: QueuedViews = {
    page: (query) => stores.views.run(laneOfPage(query), () => gateway.views.page(query)),
  }
  // A hundred look-ups take one slot: the reads of others come first.
  const openOrders: FindOpenOrders = (outpoints) =>
    stores.views.run(LANES.later, () => openOrdersOf(gateway.views, outpoints))

  routes.get(
    `${BASE}/outpoints/:outpoint`,
    {
      onRequest: limiters.outpoint,
      schema: OUTPOINT_OPERATIONS.readExposure,
    },
    async (request, reply) => {
      const { params, query } = request
      const clientSignal = requestSignal(reply, signal)
      const exposure = await readExposure(gateway, views, params.outpoint, query, clientSignal)
      linkNext(request, reply, exposure.nextCursor)
      return exposure
    },
  )
  routes.post(
    `${BASE}/outpoints/:outpoint/self-spend`,
    {
      onRequest: limiters.outpoint,
      config: { keepsNothing: true },
      schema: OUTPOINT_OPERATIONS.buildSelfSpend,
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      const clientSignal = requestSignal(reply, signal)
      return buildSelfSpend(gateway, { views, openOrders }, params.outpoint, body, clientSignal)
    },
  )
  routes.get(
    `${BASE}/addresses/:address/outputs`,
    { onRequest: limiters.outpointCheck, schema: OUTPOINT_OPERATIONS.readAddressOutputs },
    async ({ params }, reply) =>
      readAddressOutputs(gateway, openOrders, params.address, requestSignal(reply, signal)),
  )
  routes.post(
    `${BASE}/outpoints/check`,
    {
      onRequest: limiters.outpointCheck,
      config: { keepsNothing: true },
      schema: OUTPOINT_OPERATIONS.checkOutputs,
    },
    async ({ body }, reply) => {
      reply.code(201)
      return checkOutputs(gateway, openOrders, body, requestSignal(reply, signal))
    },
  )
}
