import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { buildAsk } from '../../gateway/selling/build-ask.ts'
import { publishAsk } from '../../gateway/selling/publish-ask.ts'
import { LANES } from '../../ports/authorities/lanes.ts'
import { clientOf } from '../clients/client.ts'
import { LISTING_OPERATIONS } from '../operations/listing.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** Listing by a seller: build a PSBT to sign, then publish the signed half. */
export function listingRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, builds }: RouteContext,
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
      const over = requestSignal(reply, signal)
      return builds.run(LANES.first, () => buildAsk(gateway, body, over))
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
      return publishAsk(gateway, request.body, clientOf(request), requestSignal(reply, signal))
    },
  )
}
