import { badRequest } from '../ports/message-refusal.ts'

/**
 * What clients ask with (pairing spec 7): each function gives the value that is looked up, or throws
 * a `MessageRefusal` with the exact message. The text of a parameter comes as the router decoded it.
 */

/** Inclusive (spec 8). */
const LIMIT = { least: 1, most: 200 } as const
const MAX_VOUT = 0xffffffff
const MAX_QUERY_LENGTH = 128

const INTEGER = /^-?[0-9]+$/
const HASH = /^[0-9a-f]{64}$/
const SEARCHABLE = /^[A-Za-z0-9:._-]+$/

/**
 * Rule 1: an optional minus and digits, and finite. Parsed before anything else is looked at; what
 * it may be is checked later. A parameter that came twice is no integer.
 */
export function integerOf(value: unknown): number {
  const parsed = typeof value === 'string' && INTEGER.test(value) ? Number(value) : Number.NaN
  if (!Number.isFinite(parsed)) throw badRequest('Validation failed (numeric string is expected)')
  // -0 is 0.
  return parsed + 0
}

/** Rule 1: the default is for an absent limit only. */
export const parsedLimit = (value: unknown, byDefault: number): number =>
  value === undefined ? byDefault : integerOf(value)

/** Rule 4. */
export function limitOf(parsed: number): number {
  if (parsed >= LIMIT.least && parsed <= LIMIT.most) return parsed
  throw badRequest(`limit must be between ${LIMIT.least} and ${LIMIT.most}`)
}

/** Rule 2: in lowercase. */
export const objectKeyOf = (value: unknown): string => hashOf(value, 'object key')
export const txidOf = (value: unknown): string => hashOf(value, 'txid')

/** 32 bytes in hex, whatever the case; in lowercase. */
export function hashOf(value: unknown, name: string): string {
  const hash = typeof value === 'string' ? value.toLowerCase() : ''
  if (HASH.test(hash)) return hash
  throw badRequest(`${name} must be 32-byte hex`)
}

/** Rule 3. */
export function voutOf(parsed: number): number {
  if (Number.isSafeInteger(parsed) && parsed >= 0 && parsed <= MAX_VOUT) return parsed
  throw badRequest('vout is invalid')
}

/** Rule 5: trimmed. A query that came twice is none. */
export function searchQueryOf(value: unknown): string {
  const query = typeof value === 'string' ? value.trim() : ''
  if (query.length < 1 || query.length > MAX_QUERY_LENGTH)
    throw badRequest(`search query must contain between 1 and ${MAX_QUERY_LENGTH} characters`)
  if (!SEARCHABLE.test(query)) throw badRequest('search query contains unsupported characters')
  return query
}
