import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ownershipChallenge } from '../../gateway/ownership-challenge.ts'
import { withdrawOrder } from '../../gateway/withdraw-order.ts'
import { OrderPath } from '../../schemas/api.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { OwnershipChallenge, OwnershipProof } from '../../schemas/ownership.ts'
import { BASE, type RouteContext } from './context.ts'

/** What only the owner of the offered output may do (spec 5.1). */
export function ownershipRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(
    `${BASE}/orders/:id/ownership-challenge`,
    { schema: { params: OrderPath, response: { 200: OwnershipChallenge } } },
    ({ params }) => ownershipChallenge(gateway, params.id),
  )
  routes.post(
    `${BASE}/orders/:id/withdraw`,
    {
      onRequest: limiters.withdraw,
      schema: { params: OrderPath, body: OwnershipProof, response: { 201: OrderSummary } },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      return withdrawOrder(gateway, params.id, body, signal)
    },
  )
}
