import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { bundleTextOf } from '../../../gateway/dispute/make-bundle.ts'
import { readVersions } from '../../../gateway/dispute/read-versions.ts'
import { untilRecorded } from '../../../gateway/reading/read-activity.ts'
import { LANES } from '../../../runtime/lanes.ts'
import { OrderPath } from '../../../schemas/api/api.ts'
import type { ErrorCode } from '../../../schemas/api/errors.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { DisputeBundle } from '../../../schemas/dispute/bundle.ts'
import { OrderVersionPage, OrderVersionQuery } from '../../../schemas/dispute/order-version.ts'
import type { OrderId } from '../../../schemas/scalars.ts'
import { linkNext } from '../../answers/link-next.ts'
import { requestSignal } from '../../requests/request-signal.ts'
import { BASE, laneOfPage, type RouteContext } from '../context.ts'
import { FOR_OPERATORS, forOperators, OPERATOR_REFUSALS } from './admin.ts'

const BUNDLE_REFUSALS: readonly ErrorCode[] = [
  'ORDER_NOT_FOUND',
  'ORDER_NOT_PROVED',
  'NODE_UNAVAILABLE',
  'STORAGE_UNAVAILABLE',
  'HISTORY_UNAVAILABLE',
]

const VERSION_REFUSALS: readonly ErrorCode[] = [
  'ORDER_NOT_FOUND',
  'OFFSET_NOT_SUPPORTED',
  'INVALID_CURSOR',
  'HISTORY_UNAVAILABLE',
]

/** The past of an order, for anyone who disputes it (docs/disputes.md). */
export function disputeRoutes(
  app: FastifyInstance,
  context: RouteContext,
  operators: readonly Operator[],
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const versions = versionsIn(context)
  const schema = {
    params: OrderPath,
    querystring: OrderVersionQuery,
    response: { 200: OrderVersionPage },
  }
  routes.get(
    `${BASE}/orders/:id/history`,
    {
      onRequest: context.limiters.statistics,
      schema: {
        ...schema,
        operationId: 'listOrderVersions',
        summary: 'List the versions of an order, or the one in force at a time or a height',
        description:
          'What the order was after each change, in the order of `seq`, with the evidence of the change. `at` ' +
          'takes the version in force at a time, or at the block of a height: just before the history first ' +
          'named a higher one. An order that is not proved has the versions of the pool, without hashes. ' +
          'Text and evidence are withheld while an operator hides the order.',
        tags: ['orders'],
        refusals: VERSION_REFUSALS,
      },
    },
    (request, reply) => versions(request, reply, false),
  )
  routes.get(
    `${BASE}/admin/orders/:id/history`,
    {
      onRequest: forOperators(context, operators),
      schema: {
        ...schema,
        ...FOR_OPERATORS,
        operationId: 'listOrderVersionsAsOperator',
        summary: 'List the versions of an order as an operator',
        description: 'The same, including text and evidence of a hidden order.',
        refusals: [...OPERATOR_REFUSALS, ...VERSION_REFUSALS],
      },
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
  const schema = { params: OrderPath, response: { 200: DisputeBundle } }
  // It may carry the artifact, so it counts towards the artifact's limit.
  routes.get(
    `${BASE}/orders/:id/bundle`,
    {
      onRequest: context.limiters.artifact,
      schema: {
        ...schema,
        operationId: 'readBundle',
        summary: 'Get everything that proves an order, to be checked without a network',
        description:
          'Canonical JSON (RFC 8785), as `market verify-bundle FILE --key KEY` checks it: the changes of the order with their ' +
          'evidence and hashes, Merkle proofs of the offered output and of its spend, headers, its own ' +
          'SHA-256, and the signature of this service by the key in `safety.bundleKey` of `/protocol`. It includes the artifact while the order is LIVE and fresh; a change that carries another ' +
          'artifact, or an operator’s reason, is withheld and marked as such.',
        tags: ['orders'],
        refusals: [...BUNDLE_REFUSALS, 'MARKET_RATE_LIMITED', 'ORDER_HIDDEN'],
      },
    },
    ({ params }, reply) => bundle(params.id, reply, false),
  )
  routes.get(
    `${BASE}/admin/orders/:id/bundle`,
    {
      onRequest: forOperators(context, operators),
      schema: {
        ...schema,
        ...FOR_OPERATORS,
        operationId: 'readBundleAsOperator',
        summary: 'Get everything that proves an order, as an operator',
        description:
          'The same with nothing withheld. It names operators: it is not for the public.',
        refusals: [...OPERATOR_REFUSALS, ...BUNDLE_REFUSALS],
      },
    },
    ({ params }, reply) => bundle(params.id, reply, true),
  )
}

const bundleIn =
  ({ gateway, stores, signal }: RouteContext) =>
  async (id: string, reply: FastifyReply, isOperator: boolean): Promise<never> => {
    const inTurn = <T>(work: () => Promise<T>) => stores.history.run(LANES.later, work)
    const history = { lastSeq: (order: OrderId) => inTurn(() => gateway.history.lastSeq(order)) }
    await untilRecorded({ ...gateway, history }, { orderId: id })
    const asked = { isOperator, inTurn, signal: requestSignal(reply, signal) }
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
    const read = <T>(work: () => Promise<T>) => stores.history.run(lane, work)
    // Only its look-ups take a place in the lane: others are read while it waits.
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
