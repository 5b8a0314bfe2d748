import type { FastifySchema } from 'fastify'
import { OrderPath } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import { OrderVersionPage, OrderVersionQuery } from '../../schemas/dispute/order-version.ts'
import { FOR_OPERATORS, OPERATOR_REFUSALS } from './operator.ts'

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

const VERSIONS = {
  params: OrderPath,
  querystring: OrderVersionQuery,
  response: { 200: OrderVersionPage },
}
const BUNDLE = { params: OrderPath, response: { 200: DisputeBundle } }

/** The past of an order, for anyone who disputes it. */
export const DISPUTE_OPERATIONS = {
  listOrderVersions: {
    ...VERSIONS,
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
  listOrderVersionsAsOperator: {
    ...VERSIONS,
    ...FOR_OPERATORS,
    operationId: 'listOrderVersionsAsOperator',
    summary: 'List the versions of an order as an operator',
    description: 'The same, including text and evidence of a hidden order.',
    refusals: [...OPERATOR_REFUSALS, ...VERSION_REFUSALS],
  },
  readBundle: {
    ...BUNDLE,
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
  readBundleAsOperator: {
    ...BUNDLE,
    ...FOR_OPERATORS,
    operationId: 'readBundleAsOperator',
    summary: 'Get everything that proves an order, as an operator',
    description: 'The same with nothing withheld. It names operators: it is not for the public.',
    refusals: [...OPERATOR_REFUSALS, ...BUNDLE_REFUSALS],
  },
} satisfies Record<string, FastifySchema>
