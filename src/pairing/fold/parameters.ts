import { InvalidQuestionError } from '../../ports/folds/question-errors.ts'
import { Txid } from '../../schemas/scalars.ts'

/**
 * Client parameters (pairing spec 7): each function returns the value to look up, or throws a
 * `InvalidQuestionError` with the exact message. A parameter's text is as the router decoded it.
 */

/** Inclusive (pairing spec 8). */
export const LIMIT = { least: 1, most: 200 } as const
export const MAX_VOUT = 0xffffffff
export const MAX_QUERY_LENGTH = 128

/** Messages for invalid parameters: every message a 400 can have. */
export const INVALID = {
  integer: 'Validation failed (numeric string is expected)',
  limit: `limit must be between ${LIMIT.least} and ${LIMIT.most}`,
  vout: 'vout is invalid',
  queryLength: `search query must contain between 1 and ${MAX_QUERY_LENGTH} characters`,
  queryCharacters: 'search query contains unsupported characters',
  cursor: 'cursor is invalid',
  address: 'address is not a valid carrier P2WSH address',
  hash: (name: string) => `${name} must be 32-byte hex`,
} as const

const INTEGER = /^-?[0-9]+$/
const HASH = /^[0-9a-f]{64}$/
export const SEARCHABLE = /^[A-Za-z0-9:._-]+$/

/**
 * Rule 1: an optional minus and digits, and finite. Parsed before anything else is checked; its
 * range is checked later. A parameter given twice is not an integer.
 */
export function integerOf(value: unknown): number {
  const parsed = typeof value === 'string' && INTEGER.test(value) ? Number(value) : Number.NaN
  if (!Number.isFinite(parsed)) throw new InvalidQuestionError(INVALID.integer)
  // -0 is 0.
  return parsed + 0
}

/** Rule 1: the default applies to an absent limit only. */
export const parsedLimit = (value: unknown, byDefault: number): number =>
  value === undefined ? byDefault : integerOf(value)

/** Rule 4. */
export function limitOf(parsed: number): number {
  if (parsed >= LIMIT.least && parsed <= LIMIT.most) return parsed
  throw new InvalidQuestionError(INVALID.limit)
}

/** Rule 2: in lowercase. */
export const parsedObjectKey = (value: unknown): string => hashOf(value, 'object key')
export const txidOf = (value: unknown): Txid => Txid.parse(hashOf(value, 'txid'))

/** 32 bytes of hex in any case; returned in lowercase. */
export function hashOf(value: unknown, name: string): string {
  const hash = typeof value === 'string' ? value.toLowerCase() : ''
  if (HASH.test(hash)) return hash
  throw new InvalidQuestionError(INVALID.hash(name))
}

/** Rule 3. */
export function voutOf(parsed: number): number {
  if (Number.isSafeInteger(parsed) && parsed >= 0 && parsed <= MAX_VOUT) return parsed
  throw new InvalidQuestionError(INVALID.vout)
}

/** Rule 5: trimmed; characters are code points. A query given twice counts as none. */
export function searchQueryOf(value: unknown): string {
  const query = typeof value === 'string' ? value.trim() : ''
  const { length } = Array.from(query)
  if (length < 1 || length > MAX_QUERY_LENGTH) throw new InvalidQuestionError(INVALID.queryLength)
  if (!SEARCHABLE.test(query)) throw new InvalidQuestionError(INVALID.queryCharacters)
  return query
}

/**
 * Where a list continues, as an earlier page gave it; undefined: at its beginning. Checked last,
 * since the specification has no cursors.
 */
export function cursorOf(value: unknown, form: RegExp): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && form.test(value)) return value
  throw new InvalidQuestionError(INVALID.cursor)
}
