import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { listOrders } from '../../gateway/list-orders.ts'
import { nostrEnvelope } from '../../gateway/nostr-envelope.ts'
import { readArtifact } from '../../gateway/read-artifact.ts'
import { readOrder } from '../../gateway/read-order.ts'
import { revalidateOrder } from '../../gateway/revalidate-order.ts'
import { ListOrdersQuery, NoBody, OrderPath } from '../../schemas/api.ts'
import { NostrEnvelope } from '../../schemas/nostr.ts'
import { OrderArtifact, OrderPage, OrderSummary } from '../../schemas/order.ts'
import { linkNext } from '../link-next.ts'
import { BASE, type RouteContext } from './context.ts'

/** Orders that are here: browse, read, recheck, release. */
export function orderRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(
    `${BASE}/orders`,
    { schema: { querystring: ListOrdersQuery, response: { 200: OrderPage } } },
    async (request, reply) => {
      const page = await listOrders(gateway, request.query)
      linkNext(request, reply, page.nextCursor)
      return page
    },
  )
  routes.get(
    `${BASE}/orders/:id`,
    { schema: { params: OrderPath, response: { 200: OrderSummary } } },
    ({ params }) => readOrder(gateway, params.id),
  )
  routes.get(
    `${BASE}/orders/:id/artifact`,
    {
      onRequest: limiters.artifact,
      schema: { params: OrderPath, response: { 200: OrderArtifact } },
    },
    ({ params }) => readArtifact(gateway, params.id, signal),
  )
  // The envelope carries the artifact too, so it counts in the artifact's limit.
  routes.get(
    `${BASE}/orders/:id/nostr-envelope`,
    {
      onRequest: limiters.artifact,
      schema: { params: OrderPath, response: { 200: NostrEnvelope } },
    },
    ({ params }) => nostrEnvelope(gateway, params.id, signal),
  )
  routes.post(
    `${BASE}/orders/:id/revalidate`,
    {
      onRequest: limiters.revalidate,
      schema: { params: OrderPath, body: NoBody, response: { 201: OrderSummary } },
    },
    async ({ params }, reply) => {
      reply.code(201)
      return revalidateOrder(gateway, params.id, signal)
    },
  )
}
