import { ERROR_STATUS, type ErrorCode } from '../../schemas/api/errors.ts'
import type { RouteFacts } from './operation.ts'

/** For bytes that never became a request: see plugins/errors.ts. */
const UNREADABLE: readonly ErrorCode[] = ['BAD_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']
/** Possible on every route, before the look-up or after it: see limits/admission.ts. */
const ANY: readonly ErrorCode[] = ['URI_TOO_LONG', 'UNSUPPORTED_MEDIA_TYPE', 'INTERNAL']
const BUSY: readonly ErrorCode[] = ['OVERLOADED', 'SHUTTING_DOWN']
/** Refusals of a customer's key, which any request may have. */
const KEY: readonly ErrorCode[] = ['UNAUTHORIZED']
/** Refusals of an optional Idempotency-Key. */
const KEYED: readonly ErrorCode[] = [
  'INVALID_IDEMPOTENCY_KEY',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_KEY_IN_USE',
]
/** Every POST has a body and a limit. */
const POST: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'MARKET_RATE_LIMITED',
  'STORAGE_UNAVAILABLE',
]

/** For a rate-limited GET, whose counts may be in a store shared by all gateways. */
const COUNTED: readonly ErrorCode[] = ['MARKET_RATE_LIMITED', 'STORAGE_UNAVAILABLE']

/** Added by the authorities and the wait for a verdict, on a route that needs a fresh one. */
export const VERDICT_REFUSALS: readonly ErrorCode[] = [
  'NODE_UNAVAILABLE',
  'ASSET_INDEX_UNAVAILABLE',
  'STORAGE_UNAVAILABLE',
  'STILL_BEING_VERIFIED',
]

/** Every code that the route may answer, by status, lowest first. */
export function refusalsOf(facts: RouteFacts): [status: number, codes: ErrorCode[]][] {
  const codes = new Set([...UNREADABLE, ...(facts.schema.messages ? [] : codesOfMarket(facts))])
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of [...codes].sort()) {
    const status = ERROR_STATUS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return [...byStatus].sort(([a], [b]) => a - b)
}

function codesOfMarket(facts: RouteFacts): ErrorCode[] {
  const { schema, config, method, params, querystring } = facts
  return [
    ...ANY,
    ...(config.probe ? [] : BUSY),
    ...(config.probe ? [] : KEY),
    ...(config.probe || config.answersWhenDisabled ? [] : (['MARKET_DISABLED'] as const)),
    ...(params ? (['NOT_FOUND'] as const) : []),
    ...(querystring ? (['VALIDATION_FAILED'] as const) : []),
    ...(method === 'POST' ? POST : []),
    ...(method === 'POST' && !config.keepsNothing ? KEYED : []),
    ...(method === 'GET' && !config.probe && !config.uncounted ? COUNTED : []),
    ...(schema.hasRanges ? (['RANGE_NOT_SATISFIABLE'] as const) : []),
    ...(schema.refusals ?? []),
  ]
}
