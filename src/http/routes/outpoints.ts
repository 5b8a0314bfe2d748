import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { readAddressOutputs } from '../../gateway/exposure/address-outputs.ts'
import { buildSelfSpend } from '../../gateway/exposure/build-self-spend.ts'
import { checkOutputs } from '../../gateway/exposure/check-outputs.ts'
import { readExposure } from '../../gateway/exposure/read-exposure.ts'
import { LANES } from '../../runtime/lanes.ts'
import { linkNext } from '../answers/link-next.ts'
import { OUTPOINT_OPERATIONS } from '../operations/outpoints.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'
import { openOrdersFor, viewsFor } from './queued-views.ts'

/** Outputs: what they are exposed to, what ends that, and which are safe to pay with. */
export function outpointRoutes(app: FastifyInstance, context: RouteContext): void {
  const { gateway, signal, limiters } = context
  const routes = app.withTypeProvider<ZodTypeProvider>()
  // A hundred look-ups take one slot: the reads of others come first.
  const openOrders = (request: FastifyRequest) => openOrdersFor(context, request, LANES.later)

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
        viewsFor(context, request),
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
      const reads = { views: viewsFor(context, request), openOrders: openOrders(request) }
      return buildSelfSpend(gateway, reads, params.outpoint, body, requestSignal(reply, signal))
    },
  )
  routes.get(
    `${BASE}/addresses/:address/outputs`,
    { onRequest: limiters.outpointCheck, schema: OUTPOINT_OPERATIONS.readAddressOutputs },
    async (request, reply) => {
      const { address } = request.params
      const clientSignal = requestSignal(reply, signal)
      return readAddressOutputs(gateway, openOrders(request), address, clientSignal)
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
      return checkOutputs(gateway, openOrders(request), request.body, clientSignal)
    },
  )
}
