import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ownershipChallenge } from '../../gateway/selling/ownership-challenge.ts'
import { withdrawOrder } from '../../gateway/selling/withdraw-order.ts'
import { OrderPath } from '../../schemas/api/api.ts'
import { OwnershipChallenge, OwnershipProof } from '../../schemas/api/ownership.ts'
import { OrderSummary } from '../../schemas/order.ts'
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
    {
      schema: {
        operationId: 'readOwnershipChallenge',
        summary: 'Get the message that the owner of the offered output signs',
        description:
          'The message names service, order, output and time; it is valid until `expiresAt`. Sign it ' +
          'according to BIP-322 with the key of `address`.',
        tags: ['listing'],
        refusals: ['ORDER_NOT_FOUND', 'ORDER_NOT_WITHDRAWABLE'],
        params: OrderPath,
        response: { 200: OwnershipChallenge },
      },
    },
    ({ params }) => ownershipChallenge(gateway, params.id),
  )
  routes.post(
    `${BASE}/orders/:id/withdraw`,
    {
      onRequest: limiters.withdraw,
      schema: {
        operationId: 'withdrawOrder',
        summary: 'Withdraw an order as its seller',
        description:
          'Stops publication by this service. Copies of the artifact cannot be recalled: only ' +
          'spending the offered output makes them unusable. `signature` is a BIP-322 proof (simple or ' +
          'full) of the message of a current challenge; the one in this example is for a challenge that ' +
          'expired long ago.',
        tags: ['listing'],
        refusals: [
          'ORDER_NOT_FOUND',
          'ORDER_NOT_WITHDRAWABLE',
          'INVALID_PROOF',
          'UNSUPPORTED_PROOF',
          'NODE_UNAVAILABLE',
          'STILL_BEING_VERIFIED',
        ],
        params: OrderPath,
        body: OwnershipProof,
        response: { 201: OrderSummary },
      },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      return withdrawOrder(gateway, params.id, body, requestSignal(reply, signal))
    },
  )
}
