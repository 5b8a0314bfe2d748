import { unpackRow } from '../../../query-index/packed-row.ts'
import type { OrderRow } from '../../../query-index/row.ts'

/** Changes that Redis keeps of one generation, at least: a reader further behind loads all rows. */
export const CHANGES_KEPT = 65_536
/** Most changes of one read. */
export const CHANGES_READ = 512

/** The place before the first change. */
export const NO_CHANGE = '0-0'

/** A change of an order, as the script notes it in the same transaction. */
export interface Change {
  orderId: string
  row: OrderRow
}

/** XRANGE's reply. */
export type ChangeReply = [id: Buffer, fields: Buffer[]][]

/**
 * XRANGE's arguments for the changes from a place on: the change there is read too, as proof that
 * Redis still has it.
 */
export const rangeAfter = (id: string) => [id, '+', 'COUNT', CHANGES_READ] as const
/** XREVRANGE's arguments for the last change. */
export const LAST_CHANGE = ['+', '-', 'COUNT', 1] as const

/** The place of the last change; XREVRANGE's reply. */
export const lastPlaceOf = (reply: ChangeReply): string => reply[0]?.[0].toString() ?? NO_CHANGE

export interface ChangesAfter {
  changes: Change[]
  /** The place after these changes. */
  place: string
  /** Whether more changes follow. */
  hasMore: boolean
}

/**
 * The changes after a place; null if Redis no longer has the change at that place. From the place
 * before the first change, nothing shows whether the first changes are gone.
 */
export function changesAfter(place: string, reply: ChangeReply): ChangesAfter | null {
  if (place === NO_CHANGE) return reply.length === 0 ? { changes: [], place, hasMore: false } : null
  if (reply[0]?.[0].toString() !== place) return null
  const after = reply.slice(1)
  return {
    changes: after.map(readChange),
    place: after.at(-1)?.[0].toString() ?? place,
    hasMore: reply.length === CHANGES_READ,
  }
}

function readChange([, [orderId, row]]: ChangeReply[number]): Change {
  if (!orderId || !row) throw new Error('a change without an order')
  return { orderId: orderId.toString('hex'), row: unpackRow(row) }
}
