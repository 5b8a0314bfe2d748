import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { importOrder } from '../../gateway/import-order.ts'
import { importPortableEvent } from '../../gateway/import-portable-event.ts'
import { ImportRequest } from '../../schemas/api.ts'
import { NostrEvent } from '../../schemas/nostr.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { BASE, type RouteContext } from './context.ts'

/** Signed orders that come in from anywhere. */
export function importRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(
    `${BASE}/orders/import`,
    {
      onRequest: limiters.import,
      schema: { body: ImportRequest, response: { 201: OrderSummary } },
    },
    async ({ body }, reply) => {
      reply.code(201)
      return importOrder(gateway, body, signal)
    },
  )
  routes.post(
    `${BASE}/orders/portable-event`,
    {
      onRequest: limiters.portableEvent,
      schema: { body: NostrEvent, response: { 201: OrderSummary } },
    },
    async ({ body }, reply) => {
      reply.code(201)
      return importPortableEvent(gateway, body, signal)
    },
  )
}
