/**
 * Hashes that hold the rows, by the first digits of their ids: each hash is read and sorted by
 * itself.
 */
const DIGITS = 3
export const BUCKETS = 16 ** DIGITS

/** The key of an order's row, after the prefix of its generation. */
export const rowKey = (id: string): string => `rows:${id.slice(0, DIGITS)}`

/** The key of the nth bucket, in the order of ids. */
export const bucketKey = (n: number): string => `rows:${n.toString(16).padStart(DIGITS, '0')}`
