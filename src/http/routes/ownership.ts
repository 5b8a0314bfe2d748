import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ownershipChallenge } from '../../gateway/selling/ownership-challenge.ts'
import { withdrawOrder } from '../../gateway/selling/withdraw-order.ts'
import { LISTING_OPERATIONS } from '../operations/listing.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

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
    async ({ params, body }, reply) => {
      reply.code(201)
      return withdrawOrder(gateway, params.id, body, requestSignal(reply, signal))
    },
  )
}
