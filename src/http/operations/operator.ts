import type { FastifySchema } from 'fastify'
import { ListHiddenQuery, OrderPath } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { OperatorModeration, OperatorWithdrawal } from '../../schemas/api/ownership.ts'
import { RecordPage, RecordsQuery, TopicList, TopicPath } from '../../schemas/api/records.ts'
import {
  LetterPath,
  LettersRetried,
  OperationsReport,
  RetryLetters,
  ShownLetter,
} from '../../schemas/operations.ts'
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
      'state of each feed; the dead letters of the inbox; the rates of the log; and of the process that ' +
      'answers its build, uptime, rates, disk and the last acts of operators. `market lag` and `market dlq` print some of the same.',
    refusals: [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE'],
    response: { 200: OperationsReport },
  },
  listTopics: {
    ...FOR_OPERATORS,
    operationId: 'listTopics',
    summary: 'List the topics of the log',
    description: 'What the log keeps, how much of it, and for how long.',
    refusals: [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE'],
    response: { 200: TopicList },
  },
  listRecords: {
    ...FOR_OPERATORS,
    operationId: 'listRecords',
    summary: 'Browse the records of a topic',
    description:
      'From the end of the log, a time or an offset, towards older or newer records. A page is at most ' +
      '512 KiB, 20,000 records that a filter passes over, and 6 s: `stopped` says which bound ended it, and its ' +
      'cursors go on from there. One page is read at a time. Hashes of keys, and what secrets of webhooks are ' +
      'derived from, are withheld.',
    refusals: [...OPERATOR_REFUSALS, 'INVALID_CURSOR', 'STORAGE_UNAVAILABLE'],
    params: TopicPath,
    querystring: RecordsQuery,
    response: { 200: RecordPage },
  },
  readDeadLetter: {
    ...FOR_OPERATORS,
    operationId: 'readDeadLetter',
    summary: 'Read a dead letter of the inbox',
    description: 'Why the record was set aside, and the record: as `market dlq show` prints it.',
    refusals: [...OPERATOR_REFUSALS, 'VALIDATION_FAILED', 'STORAGE_UNAVAILABLE'],
    params: LetterPath,
    response: { 200: ShownLetter },
  },
  retryDeadLetters: {
    ...FOR_OPERATORS,
    operationId: 'retryDeadLetters',
    summary: 'Retry dead letters of the inbox',
    description:
      'As `market dlq retry`: each record is appended to the inbox again if it can be read now, and no ' +
      'later news of its output is there. One that was retried is not retried again. A request ends after ' +
      '200 letters or 10 s: where `next` is not null, send it as `after`.',
    refusals: [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE'],
    body: RetryLetters,
    response: { 201: LettersRetried },
  },
} satisfies Record<string, FastifySchema>
