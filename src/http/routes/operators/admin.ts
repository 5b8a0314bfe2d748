import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { hideOrder } from '../../../gateway/commands/hide-order.ts'
import { operatorWithdraw } from '../../../gateway/commands/operator-withdraw.ts'
import { readWholeOrder } from '../../../gateway/order/read-order.ts'
import { listHiddenOrders } from '../../../gateway/reading/list-orders.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { linkNext } from '../../answers/link-next.ts'
import { sendJson } from '../../answers/send-json.ts'
import { recogniseOperator, requireOperator } from '../../clients/operators.ts'
import { OPERATOR_OPERATIONS } from '../../operations/operator.ts'
import { BASE, callerOf, laneOfPage, type RouteContext } from '../context.ts'
import { audited } from './audited.ts'
import { RecentActs } from './recent-acts.ts'

const ADMIN = `${BASE}/admin/orders/:id`
const WORDS = {
  withdraw: { act: 'withdraw an order', acted: 'withdrew an order' },
  hide: { act: 'hide an order', acted: 'hid an order' },
  unhide: { act: 'unhide an order', acted: 'unhid an order' },
} as const

/**
 * Moderation (gateway spec 5.2). The operator is named in the server's log and in the lifecycle
 * log, never in an answer.
 */
export function adminRoutes(
  app: FastifyInstance,
  context: RouteContext,
  operators: readonly Operator[],
): void {
  app.decorateRequest('operator', null)
  app.decorate('recentActs', new RecentActs(() => context.gateway.clock.now()))
  const onRequest = forOperators(context, operators)
  hiddenRoute(app, context, onRequest)
  readRoute(app, context, onRequest)
  withdrawRoute(app, context, onRequest)
  hidingRoute(app, context, onRequest, 'hide')
  hidingRoute(app, context, onRequest, 'unhide')
}

/**
 * Operators are counted by name, so failed attempts from the same address do not count. Those are
 * counted together, whichever route they are made at.
 */
export const forOperators = (
  { gateway, limiters }: RouteContext,
  operators: readonly Operator[],
  limit: 'operator' | 'records' = 'operator',
): onRequestAsyncHookHandler[] => [
  recogniseOperator(operators, () => gateway.clock.now()),
  (request, reply) => limiters[request.operator === null ? 'operator' : limit](request, reply),
  requireOperator,
]

function hiddenRoute(
  app: FastifyInstance,
  { gateway, stores }: RouteContext,
  onRequest: onRequestAsyncHookHandler[],
): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    `${BASE}/admin/hidden-orders`,
    {
      onRequest,
      schema: OPERATOR_OPERATIONS.listHiddenOrders,
    },
    async (request, reply) => {
      const page = await stores.views.run(
        laneOfPage(request.query),
        () => listHiddenOrders(gateway, request.query),
        callerOf(request),
      )
      linkNext(request, reply, page.nextCursor)
      return sendJson(reply, page.body, page.tag)
    },
  )
}

function readRoute(
  app: FastifyInstance,
  { gateway }: RouteContext,
  onRequest: onRequestAsyncHookHandler[],
): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    ADMIN,
    {
      onRequest,
      schema: OPERATOR_OPERATIONS.readOrderAsOperator,
    },
    ({ params }) => readWholeOrder(gateway, params.id),
  )
}

function withdrawRoute(
  app: FastifyInstance,
  { gateway, signal }: RouteContext,
  onRequest: onRequestAsyncHookHandler[],
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `${ADMIN}/withdraw`,
    {
      onRequest,
      schema: OPERATOR_OPERATIONS.withdrawOrderAsOperator,
    },
    async (request, reply) => {
      reply.code(201)
      const { id } = request.params
      const reason = request.body?.reason
      return audited(request, { orderId: id, reason }, WORDS.withdraw, (operator) =>
        operatorWithdraw(gateway, id, { operator, reason }, signal),
      )
    },
  )
}

function hidingRoute(
  app: FastifyInstance,
  { gateway, signal }: RouteContext,
  onRequest: onRequestAsyncHookHandler[],
  command: 'hide' | 'unhide',
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `${ADMIN}/${command}`,
    {
      onRequest,
      schema: OPERATOR_OPERATIONS[`${command}Order`],
    },
    async (request, reply) => {
      reply.code(201)
      const { id } = request.params
      const reason = request.body?.reason
      return audited(request, { orderId: id, reason }, WORDS[command], (operator) =>
        hideOrder(gateway, id, command, { operator, reason }, signal),
      )
    },
  )
}
