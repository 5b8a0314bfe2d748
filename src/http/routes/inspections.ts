import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { inspectOrder } from '../../gateway/inspection/inspect-order.ts'
import { LISTING_OPERATIONS } from '../operations/listing.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, type RouteContext } from './context.ts'

/** What is wrong with an artifact, before or instead of an import. */
export function inspectionRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
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
    (request, reply) => inspectOrder(gateway, request.body, requestSignal(reply, signal)),
  )
}
