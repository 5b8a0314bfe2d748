import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { importOrder } from '../../gateway/intake/import-order.ts'
import { importPortableEvent } from '../../gateway/intake/import-portable-event.ts'
import { clientOf } from '../clients/client.ts'
import { LISTING_OPERATIONS } from '../operations/listing.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** Imports of signed orders from any source. */
export function importRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
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
      return importOrder(gateway, request.body, clientOf(request), requestSignal(reply, signal))
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
      return importPortableEvent(
        gateway,
        request.body,
        clientOf(request),
        requestSignal(reply, signal),
      )
    },
  )
}
