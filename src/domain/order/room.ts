import type { OrderRecord } from '../../schemas/order-record.ts'
import { isProved } from './proved.ts'

/** Bounds on the open orders of one output. */
export interface RoomBounds {
  /** Orders that no signature vouches for. */
  unproved: number
  /** Asks signed by its owner. */
  provedAsks: number
  /** Bids, each signed by its bidder. */
  provedBids: number
}

export const ROOM: RoomBounds = { unproved: 16, provedAsks: 64, provedBids: 64 }
/** Most closures per kind and record: only a store older than the bounds needs more. */
const CLOSED_AT_ONCE = 8

/** When the order was imported, or imported again after a close. */
export const importedAt = ({ sources, createdAt }: OrderRecord): string =>
  [createdAt, ...sources.map(({ observedAt }) => observedAt)].sort().at(-1) ?? createdAt

/**
 * The open orders of one output that must be closed for the bounds to hold, in closing order; never
 * the newest. Pure, so that a replay closes the same ones.
 */
export function givingWay(
  open: readonly OrderRecord[],
  newest: string,
  room: RoomBounds = ROOM,
): OrderRecord[] {
  const proved = open.filter(isProved)
  const over = (orders: readonly OrderRecord[], most: number, order: Order): OrderRecord[] =>
    orders
      .filter(({ id }) => id !== newest)
      .toSorted(order)
      .slice(0, Math.min(Math.max(orders.length - most, 0), CLOSED_AT_ONCE))
  const sideOf = (side: 'ASK' | 'BID') => proved.filter(({ kept }) => kept.offer.side === side)
  return [
    ...over(
      open.filter((order) => !isProved(order)),
      room.unproved,
      unprovedFirst,
    ),
    ...over(sideOf('ASK'), room.provedAsks, worthLeastFirst),
    ...over(sideOf('BID'), room.provedBids, worthLeastFirst),
  ]
}

type Order = (a: OrderRecord, b: OrderRecord) => number

/**
 * Orders withdrawn, or judged and refused, are closed before those that wait for a verdict, and
 * these before a publish, which the gateway has verified; within each group, oldest import first.
 */
const unprovedFirst: Order = (a, b) =>
  overFirst(a) - overFirst(b) || compare(importedAt(a), importedAt(b)) || compare(a.id, b.id)

function overFirst({ kept, claims, state, pending }: OrderRecord): number {
  if (state === 'WITHDRAWN' || (state === 'REJECTED' && pending === null)) return 0
  return [kept, ...claims].some(({ published }) => published) ? 2 : 1
}

/** The oldest withdrawn, the oldest not LIVE, then the LIVE one worth least to the other side. */
const worthLeastFirst: Order = (a, b) =>
  shownFirst(a) - shownFirst(b) ||
  (a.state === 'LIVE' ? comparePrice(a, b) : compare(a.createdAt, b.createdAt)) ||
  compare(a.id, b.id)

const shownFirst = ({ state }: OrderRecord): number =>
  state === 'WITHDRAWN' ? 0 : state === 'LIVE' ? 2 : 1

/** The most expensive ask first; the lowest bid first. */
function comparePrice(a: OrderRecord, b: OrderRecord): number {
  const [first, second] = a.kept.offer.side === 'ASK' ? [b, a] : [a, b]
  const difference = priceOf(first) - priceOf(second)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const priceOf = ({ quotedPriceSats = '0' }: OrderRecord): bigint => BigInt(quotedPriceSats)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
