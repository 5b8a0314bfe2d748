import { sortedFacetsOf } from '../../../domain/listing/facets.ts'
import {
  ORDER_SORTS,
  type OrderSort,
  SORTS,
  type SortedFacets,
} from '../../../domain/listing/sorts.ts'
import type { SortPosition } from '../../../ports/views/order-views.ts'
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

/** An order's member in a sort. */
export const memberOf = (sort: OrderSort, order: OrderRecord): string =>
  memberAt(sort, positionIn(sort, sortRowOf(order)))

/** The members of an order, one per sort. */
export const membersOf = (row: SortRow): Record<OrderSort, string> =>
  Object.fromEntries(
    ORDER_SORTS.map((sort) => [sort, memberAt(sort, positionIn(sort, row))]),
  ) as Record<OrderSort, string>

/** The id and slot in a member. */
export function readMember(member: string): { id: string; slot: number } {
  const end = member.lastIndexOf(':')
  return {
    id: member.slice(member.lastIndexOf(' ') + 1, end),
    slot: Number(member.slice(end + 1)),
  }
}

const LAST = '1'
const TIME_DIGITS = 15
const TIME_END = 10 ** TIME_DIGITS - 1
const PRICE_DIGITS = 20
const PRICE_END = 10n ** BigInt(PRICE_DIGITS) - 1n

const time = (ms: number) => String(ms).padStart(TIME_DIGITS, '0')
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
