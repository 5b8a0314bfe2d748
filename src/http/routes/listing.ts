import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { importOrder } from '../../gateway/intake/import-order.ts'
import { importPortableEvent } from '../../gateway/intake/import-portable-event.ts'
import { inspectOrder } from '../../gateway/intake/inspect-order.ts'
import { buildAsk } from '../../gateway/selling/build-ask.ts'
import { ownershipChallenge } from '../../gateway/selling/ownership-challenge.ts'
import { publishAsk } from '../../gateway/selling/publish-ask.ts'
import { withdrawOrder } from '../../gateway/selling/withdraw-order.ts'
import { LANES } from '../../runtime/lanes.ts'
import { accountOfRequest } from '../clients/customers.ts'
import { LISTING_OPERATIONS } from '../operations/listing.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** Imports of signed orders from any source. */
export function importRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, imports }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/import`,
    {
      onRequest: limiters.import,
      schema: LISTING_OPERATIONS.importOrder,
    },
    async (request, reply) => {
      reply.code(201)
      const account = accountOfRequest(request)
      const clientSignal = requestSignal(reply, signal)
      return imports.run(LANES.first, () =>
        importOrder(gateway, request.body, account, clientSignal),
      )
    },
  )
  routes.post(
    `${BASE}/orders/portable-event`,
    {
      onRequest: limiters.portableEvent,
      schema: LISTING_OPERATIONS.importPortableEvent,
    },
    async (request, reply) => {
      reply.code(201)
      const account = accountOfRequest(request)
      const clientSignal = requestSignal(reply, signal)
      return imports.run(LANES.first, () =>
        importPortableEvent(gateway, request.body, account, clientSignal),
      )
    },
  )
}

/** What is wrong with an artifact, before or instead of an import. */
export function inspectionRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, imports }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/inspect`,
    {
      // It costs what an import costs, and is counted with imports.
      onRequest: limiters.import,
      bodyLimit: BODY_BYTES.inspection,
      config: { keepsNothing: true },
      schema: LISTING_OPERATIONS.inspectOrder,
    },
    (request, reply) => {
      const clientSignal = requestSignal(reply, signal)
      return imports.run(LANES.later, () => inspectOrder(gateway, request.body, clientSignal))
    },
  )
}

/** Listing by a seller: build a PSBT to sign, then publish the signed half. */
export function listingRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, imports, builds }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/build`,
    {
      onRequest: limiters.build,
      schema: LISTING_OPERATIONS.buildAsk,
    },
    async ({ body }, reply) => {
      reply.code(201)
      const clientSignal = requestSignal(reply, signal)
      return builds.run(LANES.first, () => buildAsk(gateway, body, clientSignal))
    },
  )
  routes.post(
    `${BASE}/orders/publish`,
    {
      onRequest: limiters.publish,
      schema: LISTING_OPERATIONS.publishAsk,
    },
    async (request, reply) => {
      reply.code(201)
      const account = accountOfRequest(request)
      const clientSignal = requestSignal(reply, signal)
      return imports.run(LANES.first, () =>
        publishAsk(gateway, request.body, account, clientSignal),
      )
    },
  )
}

/** What only the owner of the offered output may do (gateway spec 5.1). */
export function ownershipRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(
    `${BASE}/orders/:id/ownership-challenge`,
    { schema: LISTING_OPERATIONS.readOwnershipChallenge },
    ({ params }) => ownershipChallenge(gateway, params.id),
  )
  routes.post(
    `${BASE}/orders/:id/withdraw`,
    {
      onRequest: limiters.withdraw,
      schema: LISTING_OPERATIONS.withdrawOrder,
    },
    async (request, reply) => {
      reply.code(201)
      const { params, body } = request
      const account = accountOfRequest(request)
      return withdrawOrder(gateway, params.id, body, account, requestSignal(reply, signal))
    },
  )
}
