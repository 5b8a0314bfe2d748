import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { bundleTextOf } from '../../../gateway/dispute/make-bundle.ts'
import { readVersions } from '../../../gateway/dispute/read-versions.ts'
import { untilRecorded } from '../../../gateway/reading/read-activity.ts'
import { LANES } from '../../../runtime/lanes.ts'
import type { OrderPath } from '../../../schemas/api/api.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import type { OrderVersionQuery } from '../../../schemas/dispute/order-version.ts'
import type { OrderId } from '../../../schemas/scalars.ts'
import { linkNext } from '../../answers/link-next.ts'
import { DISPUTE_OPERATIONS } from '../../operations/disputes.ts'
import { requestSignal } from '../../requests/request-signal.ts'
import { BASE, callerOf, laneOfPage, type RouteContext } from '../context.ts'
import { forOperators } from './admin.ts'

/** The past of an order, for anyone who disputes it (docs/disputes.md). */
export function disputeRoutes(
  app: FastifyInstance,
  context: RouteContext,
  operators: readonly Operator[],
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const versions = versionsIn(context)
  routes.get(
    `${BASE}/orders/:id/history`,
    {
      onRequest: context.limiters.statistics,
      schema: DISPUTE_OPERATIONS.listOrderVersions,
    },
    (request, reply) => versions(request, reply, false),
  )
  routes.get(
    `${BASE}/admin/orders/:id/history`,
    {
      onRequest: forOperators(context, operators),
      schema: DISPUTE_OPERATIONS.listOrderVersionsAsOperator,
    },
    (request, reply) => versions(request, reply, true),
  )
  bundleRoutes(app, context, operators)
}

function bundleRoutes(
  app: FastifyInstance,
  context: RouteContext,
  operators: readonly Operator[],
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const bundle = bundleIn(context)
  // It may carry the artifact, so it counts towards the artifact's limit.
  routes.get(
    `${BASE}/orders/:id/bundle`,
    {
      onRequest: context.limiters.artifact,
      schema: DISPUTE_OPERATIONS.readBundle,
    },
    ({ params }, reply) => bundle(params.id, reply, false),
  )
  routes.get(
    `${BASE}/admin/orders/:id/bundle`,
    {
      onRequest: forOperators(context, operators),
      schema: DISPUTE_OPERATIONS.readBundleAsOperator,
    },
    ({ params }, reply) => bundle(params.id, reply, true),
  )
}

const bundleIn =
  ({ gateway, stores, signal }: RouteContext) =>
  async (id: string, reply: FastifyReply, isOperator: boolean): Promise<never> => {
    const queued = <T>(work: () => Promise<T>) =>
      stores.history.run(LANES.later, work, callerOf(reply.request))
    const history = { lastSeq: (order: OrderId) => queued(() => gateway.history.lastSeq(order)) }
    await untilRecorded({ ...gateway, history }, { orderId: id })
    const asked = { isOperator, queued, signal: requestSignal(reply, signal) }
    const text = await bundleTextOf(gateway, id, asked)
    // The text itself: another serialisation would not have its hash.
    return reply.type('application/json; charset=utf-8').send(text) as never
  }

type VersionRequest = Pick<FastifyRequest, 'url'> & {
  params: z.infer<typeof OrderPath>
  query: OrderVersionQuery
}

const versionsIn =
  ({ gateway, stores }: RouteContext) =>
  async (request: VersionRequest, reply: FastifyReply, showsHidden: boolean) => {
    const { params, query } = request
    // The time at which a height was passed is read from all orders.
    const lane = query.at === undefined ? laneOfPage(query) : LANES.later
    const read = <T>(work: () => Promise<T>) =>
      stores.history.run(lane, work, callerOf(reply.request))
    // Only its look-ups take a slot of the lane: others are read while it waits.
    const history = { lastSeq: (id: OrderId) => read(() => gateway.history.lastSeq(id)) }
    const asked = {
      orderId: params.id,
      ...(query.cursor !== undefined && { cursor: query.cursor }),
    }
    await untilRecorded({ ...gateway, history }, asked)
    const page = await read(() => readVersions(gateway, params.id, query, { showsHidden }))
    linkNext(request, reply, page.nextCursor)
    return page
  }
