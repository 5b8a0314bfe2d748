import type { FastifyInstance, FastifyRequest } from 'fastify'
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
import { BASE, laneOfPage, type RouteContext, sourceOf } from './context.ts'

/** Outputs: what they are exposed to, what ends that, and which are safe to pay with. */
export function outpointRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, stores }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const viewsFor = (request: FastifyRequest): QueuedViews => ({
    page: (query) =>
      stores.views.run(laneOfPage(query), () => gateway.views.page(query), sourceOf(request)),
  })
  // A hundred look-ups take one slot: the reads of others come first.
  const openOrdersFor =
    (request: FastifyRequest): FindOpenOrders =>
    (outpoints) =>
      stores.views.run(LANES.later, () => openOrdersOf(gateway.views, outpoints), sourceOf(request))

  routes.get(
    `${BASE}/outpoints/:outpoint`,
    {
      onRequest: limiters.outpoint,
      schema: OUTPOINT_OPERATIONS.readExposure,
    },
    async (request, reply) => {
      const { params, query } = request
      const clientSignal = requestSignal(reply, signal)
      const exposure = await readExposure(
        gateway,
        viewsFor(request),
        params.outpoint,
        query,
        clientSignal,
      )
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
    async (request, reply) => {
      reply.code(201)
      const { params, body } = request
      const reads = { views: viewsFor(request), openOrders: openOrdersFor(request) }
      return buildSelfSpend(gateway, reads, params.outpoint, body, requestSignal(reply, signal))
    },
  )
  routes.get(
    `${BASE}/addresses/:address/outputs`,
    { onRequest: limiters.outpointCheck, schema: OUTPOINT_OPERATIONS.readAddressOutputs },
    async (request, reply) => {
      const { address } = request.params
      const clientSignal = requestSignal(reply, signal)
      return readAddressOutputs(gateway, openOrdersFor(request), address, clientSignal)
    },
  )
  routes.post(
    `${BASE}/outpoints/check`,
    {
      onRequest: limiters.outpointCheck,
      config: { keepsNothing: true },
      schema: OUTPOINT_OPERATIONS.checkOutputs,
    },
    async (request, reply) => {
      reply.code(201)
      const clientSignal = requestSignal(reply, signal)
      return checkOutputs(gateway, openOrdersFor(request), request.body, clientSignal)
    },
  )
}
