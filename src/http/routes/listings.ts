import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { buildAsk } from '../../gateway/build-ask.ts'
import { publishAsk } from '../../gateway/publish-ask.ts'
import { BuildAskRequest, BuildAskResult, PublishAskRequest } from '../../schemas/listing.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { BASE, type RouteContext } from './context.ts'

/** How a seller lists: a PSBT to be signed, and its signed half back. */
export function listingRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/build`,
    {
      onRequest: limiters.build,
      schema: { body: BuildAskRequest, response: { 201: BuildAskResult } },
    },
    async ({ body }, reply) => {
      reply.code(201)
      return buildAsk(gateway, body, signal)
    },
  )
  routes.post(
    `${BASE}/orders/publish`,
    {
      onRequest: limiters.publish,
      schema: { body: PublishAskRequest, response: { 201: OrderSummary } },
    },
    async ({ body }, reply) => {
      reply.code(201)
      return publishAsk(gateway, body, signal)
    },
  )
}
