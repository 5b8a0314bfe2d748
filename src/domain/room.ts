import type { OrderRecord } from '../schemas/order-record.ts'
import { isProved } from './proved.ts'

/** Open orders of one output that nobody's signature vouches for. */
export const MAX_UNPROVED_AT_OUTPUT = 16
/** Open asks of one output that its owner signed; and as many bids, each signed by its bidder. */
export const MAX_PROVED_AT_OUTPUT = 64
/** Of each, what one record may close: more is over a bound only in a store of before the bounds. */
const CLOSED_AT_ONCE = 8

/** When it came, or came again after it had been closed. */
export const importedAt = ({ sources, createdAt }: OrderRecord): string =>
  [createdAt, ...sources.map(({ observedAt }) => observedAt)].sort().at(-1) ?? createdAt

/**
 * The open orders of one output that give way so that the bounds hold, first those that go first;
 * never the one that just came. Pure, so that a replay closes the same.
 */
export function givingWay(open: readonly OrderRecord[], newest: string): OrderRecord[] {
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
      MAX_UNPROVED_AT_OUTPUT,
      unprovedFirst,
    ),
    ...over(sideOf('ASK'), MAX_PROVED_AT_OUTPUT, worthLeastFirst),
    ...over(sideOf('BID'), MAX_PROVED_AT_OUTPUT, worthLeastFirst),
  ]
}

type Order = (a: OrderRecord, b: OrderRecord) => number

/**
 * What is withdrawn, or was judged and refused, goes before what waits for its verdict, and that before
 * a publish, which the gateway has verified; of each the one that came first.
 */
const unprovedFirst: Order = (a, b) =>
  overFirst(a) - overFirst(b) || compare(importedAt(a), importedAt(b)) || compare(a.id, b.id)

function overFirst({ kept, claims, state, pending }: OrderRecord): number {
  if (state === 'WITHDRAWN' || (state === 'REJECTED' && pending === null)) return 0
  return [kept, ...claims].some(({ published }) => published) ? 2 : 1
}

/** The oldest withdrawn, the oldest that is not LIVE, then the LIVE one that is worth least to the other side. */
const worthLeastFirst: Order = (a, b) =>
  shownFirst(a) - shownFirst(b) ||
  (a.state === 'LIVE' ? comparePrice(a, b) : compare(a.createdAt, b.createdAt)) ||
  compare(a.id, b.id)

const shownFirst = ({ state }: OrderRecord): number =>
  state === 'WITHDRAWN' ? 0 : state === 'LIVE' ? 2 : 1

/** The dearest ask; the lowest bid. */
function comparePrice(a: OrderRecord, b: OrderRecord): number {
  const [first, second] = a.kept.offer.side === 'ASK' ? [b, a] : [a, b]
  const difference = priceOf(first) - priceOf(second)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const priceOf = ({ quotedPriceSats = '0' }: OrderRecord): bigint => BigInt(quotedPriceSats)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
