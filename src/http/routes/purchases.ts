import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { preflightOrder } from '../../gateway/preflight-order.ts'
import { quoteOrder } from '../../gateway/quote-order.ts'
import { OrderPath } from '../../schemas/api.ts'
import { PreflightRequest, PreflightResult, Quote, QuoteRequest } from '../../schemas/purchase.ts'
import { BASE, type RouteContext } from './context.ts'

/** What a buyer needs to complete an order: a quote, and a look at the signed result. */
export function purchaseRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/:id/quote`,
    {
      onRequest: limiters.quote,
      schema: { params: OrderPath, body: QuoteRequest, response: { 201: Quote } },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      return quoteOrder(gateway, params.id, body, signal)
    },
  )
  routes.post(
    `${BASE}/orders/:id/preflight`,
    {
      onRequest: limiters.preflight,
      schema: { params: OrderPath, body: PreflightRequest, response: { 201: PreflightResult } },
    },
    async ({ params, body }, reply) => {
      reply.code(201)
      return preflightOrder(gateway, params.id, body, signal)
    },
  )
}
