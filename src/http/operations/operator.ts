import type { FastifySchema } from 'fastify'
import { ListHiddenQuery, OrderPath } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { OperatorModeration, OperatorWithdrawal } from '../../schemas/api/ownership.ts'
import { OperationsReport } from '../../schemas/operations.ts'
import { OrderPage, OrderSummary } from '../../schemas/order.ts'

export const OPERATOR_REFUSALS: readonly ErrorCode[] = ['UNAUTHORIZED', 'MARKET_RATE_LIMITED']
const REFUSALS: readonly ErrorCode[] = [...OPERATOR_REFUSALS, 'ORDER_NOT_FOUND']
export const taggedForOperators = (tag: string) => ({ tags: [tag], security: [{ operator: [] }] })
export const FOR_OPERATORS = taggedForOperators('operator')
const COMMON = { ...FOR_OPERATORS, params: OrderPath }

const hiding = (words: { operationId: string; summary: string; description: string }) => ({
  ...COMMON,
  ...words,
  refusals: [...REFUSALS, 'STILL_BEING_VERIFIED'] satisfies ErrorCode[],
  body: OperatorModeration,
  response: { 201: OrderSummary },
})

/** Moderation, and how far the service is. */
export const OPERATOR_OPERATIONS = {
  listHiddenOrders: {
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
  readOrderAsOperator: {
    ...COMMON,
    operationId: 'readOrderAsOperator',
    summary: 'Read an order as an operator',
    description: 'The current order, including the text of a hidden one.',
    refusals: REFUSALS,
    response: { 200: OrderSummary },
  },
  withdrawOrderAsOperator: {
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
  hideOrder: hiding({
    operationId: 'hideOrder',
    summary: 'Hide an order',
    description:
      'Reversible moderation: the order is removed from every list, search and total, is BLOCKED, and ' +
      'releases nothing signed; reading it still shows what was proved, but its text only to ' +
      'operators. Verification continues. The reason is logged by the service, and in no answer.',
  }),
  unhideOrder: hiding({
    operationId: 'unhideOrder',
    summary: 'Unhide an order',
    description: 'The order is listed again, in its current state.',
  }),
  readOperations: {
    ...FOR_OPERATORS,
    operationId: 'readOperations',
    summary: 'Read how far the service is',
    description:
      'Of each partition of the log what its readers have left to read, and its watermark; the ' +
      'state of each feed; the dead letters of the inbox; and the build of the process that answers. `market lag` and `market dlq` ' +
      'print the same, and the latter retries letters.',
    refusals: [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE'],
    response: { 200: OperationsReport },
  },
} satisfies Record<string, FastifySchema>
