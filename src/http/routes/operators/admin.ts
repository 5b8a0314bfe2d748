import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { hideOrder } from '../../../gateway/commands/hide-order.ts'
import { operatorWithdraw } from '../../../gateway/commands/operator-withdraw.ts'
import { readWholeOrder } from '../../../gateway/order/read-order.ts'
import { listHiddenOrders } from '../../../gateway/reading/list-orders.ts'
import { ListHiddenQuery, OrderPath } from '../../../schemas/api/api.ts'
import type { ErrorCode } from '../../../schemas/api/errors.ts'
import { OperatorModeration, OperatorWithdrawal } from '../../../schemas/api/ownership.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { OrderPage, OrderSummary } from '../../../schemas/order.ts'
import { linkNext } from '../../answers/link-next.ts'
import { sendJson } from '../../answers/send-json.ts'
import { recogniseOperator, requireOperator } from '../../clients/operators.ts'
import { BASE, laneOfPage, type RouteContext } from '../context.ts'
import { audited } from './audited.ts'

const ADMIN = `${BASE}/admin/orders/:id`
export const OPERATOR_REFUSALS: readonly ErrorCode[] = ['UNAUTHORIZED', 'MARKET_RATE_LIMITED']
const REFUSALS: readonly ErrorCode[] = [...OPERATOR_REFUSALS, 'ORDER_NOT_FOUND']
export const FOR_OPERATORS = { tags: ['operator'], security: [{ operator: [] }] }
const COMMON = { ...FOR_OPERATORS, params: OrderPath }
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
  const onRequest = forOperators(context, operators)
  hiddenRoute(app, context, onRequest)
  readRoute(app, context, onRequest)
  withdrawRoute(app, context, onRequest)
  hidingRoute(app, context, onRequest, {
    command: 'hide',
    operationId: 'hideOrder',
    summary: 'Hide an order',
    description:
      'Reversible moderation: the order is removed from every list, search and total, is BLOCKED, and ' +
      'releases nothing signed; reading it still shows what was proved, but its text only to ' +
      'operators. Verification continues. The reason is logged by the service, and in no answer.',
  })
  hidingRoute(app, context, onRequest, {
    command: 'unhide',
    operationId: 'unhideOrder',
    summary: 'Unhide an order',
    description: 'The order is listed again, in its current state.',
  })
}

/** Operators are counted by name, so failed attempts from the same address do not count. */
export const forOperators = (
  { gateway, limiters }: RouteContext,
  operators: readonly Operator[],
): onRequestAsyncHookHandler[] => [
  recogniseOperator(operators, () => gateway.clock.now()),
  limiters.operator,
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
      schema: {
        ...FOR_OPERATORS,
        operationId: 'listHiddenOrders',
        summary: 'List the hidden orders',
        description:
          'Orders hidden by operators, in any state: newest first, with all their text. ' +
          '`total` counts all of them.',
        refusals: [...OPERATOR_REFUSALS, 'OFFSET_NOT_SUPPORTED', 'INVALID_CURSOR'],
        querystring: ListHiddenQuery,
        response: { 200: OrderPage },
      },
    },
    async (request, reply) => {
      const page = await stores.views.run(laneOfPage(request.query), () =>
        listHiddenOrders(gateway, request.query),
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
      schema: {
        ...COMMON,
        operationId: 'readOrderAsOperator',
        summary: 'Read an order as an operator',
        description: 'The current order, including the text of a hidden one.',
        refusals: REFUSALS,
        response: { 200: OrderSummary },
      },
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
      schema: {
        ...COMMON,
        operationId: 'withdrawOrderAsOperator',
        summary: 'Withdraw an order as an operator',
        description:
          'Permanent moderation: this service stops publishing the order. A reason is shown publicly ' +
          'with the order; who withdrew it is logged by the service, and in no answer.',
        refusals: [...REFUSALS, 'ORDER_NOT_WITHDRAWABLE', 'STILL_BEING_VERIFIED'],
        body: OperatorWithdrawal,
        response: { 201: OrderSummary },
      },
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
  {
    command,
    ...words
  }: {
    command: 'hide' | 'unhide'
    operationId: string
    summary: string
    description: string
  },
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `${ADMIN}/${command}`,
    {
      onRequest,
      schema: {
        ...COMMON,
        ...words,
        refusals: [...REFUSALS, 'STILL_BEING_VERIFIED'],
        body: OperatorModeration,
        response: { 201: OrderSummary },
      },
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
