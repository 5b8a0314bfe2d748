import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { revalidateOrder } from '../../gateway/commands/revalidate-order.ts'
import { readOrderText } from '../../gateway/order/read-order.ts'
import { FacetCounter } from '../../gateway/reading/count-facets.ts'
import { listOrders, listOrdersOfAddress } from '../../gateway/reading/list-orders.ts'
import { nostrEnvelope } from '../../gateway/reading/nostr-envelope.ts'
import { readArtifact } from '../../gateway/reading/read-artifact.ts'
import { LANES } from '../../runtime/lanes.ts'
import { linkNext } from '../answers/link-next.ts'
import { sendJson } from '../answers/send-json.ts'
import { accountOfRequest } from '../clients/customers.ts'
import { ORDER_OPERATIONS } from '../operations/orders.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { BASE, callerOf, laneOfList, type RouteContext, sourceOf } from './context.ts'

/** Known orders: browse, read, recheck, release. */
export function orderRoutes(
  app: FastifyInstance,
  { gateway, signal, limiters, stores }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(`${BASE}/orders`, { schema: ORDER_OPERATIONS.listOrders }, async (request, reply) => {
    const page = await stores.views.run(
      laneOfList(request.query),
      () => listOrders(gateway, request.query),
      callerOf(request),
    )
    linkNext(request, reply, page.nextCursor)
    return sendJson(reply, page.body, page.tag)
  })
  // One pass over all orders, or all bitmaps: it costs as much as a large page.
  const facets = new FacetCounter(gateway, (work, source) =>
    stores.views.run(LANES.later, work, { source }),
  )
  routes.get(`${BASE}/orders/facets`, { schema: ORDER_OPERATIONS.countFacets }, (request) =>
    facets.count(request.query, sourceOf(request)),
  )
  routes.get(
    `${BASE}/addresses/:address/orders`,
    { schema: ORDER_OPERATIONS.listOrdersOfAddress },
    async (request, reply) => {
      const { params, query } = request
      // The path is a filter by seller.
      const page = await stores.views.run(
        LANES.later,
        () => listOrdersOfAddress(gateway, params.address, query),
        callerOf(request),
      )
      linkNext(request, reply, page.nextCursor)
      return sendJson(reply, page.body, page.tag)
    },
  )
  routes.get(
    `${BASE}/orders/:id`,
    { schema: ORDER_OPERATIONS.readOrder },
    async ({ params }, reply) => {
      const { body, tag } = await stores.orders.run(LANES.first, () =>
        readOrderText(gateway, params.id),
      )
      return sendJson(reply, body, tag)
    },
  )
  routes.get(
    `${BASE}/orders/:id/artifact`,
    {
      onRequest: limiters.artifact,
      schema: ORDER_OPERATIONS.readArtifact,
    },
    ({ params }, reply) => readArtifact(gateway, params.id, requestSignal(reply, signal)),
  )
  // The envelope also carries the artifact, so it counts towards the artifact's limit.
  routes.get(
    `${BASE}/orders/:id/nostr-envelope`,
    {
      onRequest: limiters.artifact,
      schema: ORDER_OPERATIONS.readNostrEnvelope,
    },
    ({ params }, reply) => nostrEnvelope(gateway, params.id, requestSignal(reply, signal)),
  )
  routes.post(
    `${BASE}/orders/:id/revalidate`,
    {
      onRequest: limiters.revalidate,
      schema: ORDER_OPERATIONS.revalidateOrder,
    },
    async (request, reply) => {
      reply.code(201)
      const account = accountOfRequest(request)
      return revalidateOrder(gateway, request.params.id, account, requestSignal(reply, signal))
    },
  )
}
