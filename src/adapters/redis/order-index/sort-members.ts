import { sortedFacetsOf } from '../../../domain/listing/facets.ts'
import { foldText } from '../../../domain/listing/listing.ts'
import {
  ORDER_SORTS,
  type OrderSort,
  SORTS,
  type SortedFacets,
} from '../../../domain/listing/sorts.ts'
import type { OrderQuery, SortPosition } from '../../../ports/views/order-views.ts'
import type { WatermarkRef } from '../../../schemas/evidence.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'

/** What an order is sorted by; stored by slot. */
export type SortRow = [
  id: string,
  createdAt: string,
  verifiedAt: string | null,
  price: string | null,
  /** Case-folded. */
  token: string | null,
  protocol: string | null,
]

export function sortRowOf(order: OrderRecord): SortRow {
  const { createdAt, verifiedAt, price, token, protocol } = sortedFacetsOf(order)
  return [order.id, createdAt, verifiedAt, price, token, protocol]
}

/** An order's position in a sort. */
export function positionIn(sort: OrderSort, row: SortRow): SortPosition {
  const [id, createdAt, verifiedAt, price, token, protocol] = row
  const facets: SortedFacets = { createdAt, verifiedAt, price, token, protocol }
  return { value: facets[SORTS[sort].by], id }
}

/** The member of a sort's set, without the slot that ends it: byte order is the sort's order. */
export function memberAt(sort: OrderSort, { value, id }: SortPosition): string {
  return `${value === null ? LAST : `0${encoded(sort, value)}`} ${id}:`
}

/** The position that a member says: `memberAt` of it is the member. */
export function positionAt(sort: OrderSort, member: string): SortPosition {
  const end = member.indexOf(' ')
  const value = member.startsWith(LAST) ? null : decoded(sort, member.slice(1, end))
  return { value, id: member.slice(end + 1, -1) }
}

/** An order's member in a sort. */
export const memberOf = (sort: OrderSort, order: OrderRecord): string =>
  memberAt(sort, positionIn(sort, sortRowOf(order)))

/** The members of an order, one per sort. */
export const membersOf = (row: SortRow): [OrderSort, string][] =>
  ORDER_SORTS.map((sort) => [sort, memberAt(sort, positionIn(sort, row))])

/** The sets in which orders are found by a range, besides the sorts. */
export const UPDATED = 'updated'
export const HELD = 'held'

export const updatedMember = (updatedAt: string, id: string): string =>
  `${time(Date.parse(updatedAt))} ${id}:`

/** By partition, then by watermark. */
export const heldMember = (partition: number, heldUnder: WatermarkRef, id: string): string =>
  `${heldText(partition, heldUnder)} ${id}:`

/** Members of a set from one text on, up to those below another. */
export interface MemberRange {
  set: string
  from: string
  below: string
}

/** Inclusive, in sats. */
export const priceRange = (from: bigint, to: bigint): MemberRange => ({
  set: 'price_asc',
  from: `0${price(from)}`,
  below: `0${price(to + 1n)}`,
})

/** The part of a sort that a query's own filters leave: none outside it matches. Null: all of it. */
export function partOf({ sort, priceMin, priceMax, token }: OrderQuery): MemberRange | null {
  const { by } = SORTS[sort]
  const between = (values: readonly string[]): MemberRange => {
    const [first, last] = values.map((value) => encoded(sort, value)).sort()
    return { set: sort, from: `0${first} `, below: `0${last}!` }
  }
  if (by === 'token' && token !== undefined) {
    const folded = foldText(token)
    return between([folded, folded])
  }
  if (by !== 'price' || (priceMin === undefined && priceMax === undefined)) return null
  return between([priceMin ?? '0', priceMax ?? String(PRICE_END)])
}

/** Inclusive, Unix milliseconds. */
export const updatedRange = (from: bigint, to: bigint): MemberRange => ({
  set: UPDATED,
  from: time(Number(from)),
  below: time(Number(to) + 1),
})

/** The orders verified at this time or later, Unix milliseconds. */
export const verifiedRange = (from: number): MemberRange => ({
  set: 'validation_newest',
  from: '0',
  below: `0${time(TIME_END - from + 1)}`,
})

/** The orders of a partition that are held under a watermark before this one. */
export const heldRange = (partition: number, before: WatermarkRef): MemberRange => ({
  set: HELD,
  from: `${partitionText(partition)} `,
  below: heldText(partition, before),
})

const partitionText = (partition: number) => String(partition).padStart(PARTITION_DIGITS, '0')
const heldText = (partition: number, { epoch, n }: WatermarkRef): string =>
  [
    partitionText(partition),
    ...[epoch, n].map((value) => String(value).padStart(INTEGER_DIGITS, '0')),
  ].join(' ')

/** The id in a member. */
export const idOf = (member: string): string =>
  member.slice(member.lastIndexOf(' ') + 1, member.lastIndexOf(':'))

/** The slot that ends a member. */
export const slotOf = (member: string): number => Number(member.slice(member.lastIndexOf(':') + 1))

const LAST = '1'
const TIME_DIGITS = 15
const TIME_END = 10 ** TIME_DIGITS - 1
const PRICE_DIGITS = 20
const PRICE_END = 10n ** BigInt(PRICE_DIGITS) - 1n

const time = (ms: number) => String(ms).padStart(TIME_DIGITS, '0')
const PARTITION_DIGITS = 4
const INTEGER_DIGITS = 16

const price = (sats: bigint) => String(sats).padStart(PRICE_DIGITS, '0')

function encoded(sort: OrderSort, value: string): string {
  const { by, isDescending } = SORTS[sort]
  switch (by) {
    case 'createdAt':
    case 'verifiedAt':
      return time(isDescending ? TIME_END - Date.parse(value) : Date.parse(value))
    case 'price':
      return price(isDescending ? PRICE_END - BigInt(value) : BigInt(value))
    // The order of UTF-8 bytes is that of code points; a text never contains its end mark.
    case 'token':
    case 'protocol':
      return Buffer.from(value).toString('hex')
  }
}

function decoded(sort: OrderSort, text: string): string {
  const { by, isDescending } = SORTS[sort]
  switch (by) {
    case 'createdAt':
    case 'verifiedAt':
      return new Date(isDescending ? TIME_END - Number(text) : Number(text)).toISOString()
    case 'price':
      return String(isDescending ? PRICE_END - BigInt(text) : BigInt(text))
    case 'token':
    case 'protocol':
      return Buffer.from(text, 'hex').toString()
  }
}
