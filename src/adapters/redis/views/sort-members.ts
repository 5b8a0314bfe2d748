import { foldText } from '../../../domain/listing/listing.ts'
import { ORDER_SORTS, type OrderSort, type SortPosition } from '../../../ports/views/order-views.ts'
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

export const sortRowOf = (order: OrderRecord): SortRow => [
  order.id,
  order.createdAt,
  order.verifiedAt,
  order.quotedPriceSats ?? null,
  order.token === undefined ? null : foldText(order.token),
  order.protocolId ?? null,
]

/** An order's position in a sort. */
export function positionIn(sort: OrderSort, row: SortRow): SortPosition {
  const [id, createdAt, verifiedAt, price, token, protocol] = row
  const value: Record<OrderSort, string | null> = {
    newest: createdAt,
    oldest: createdAt,
    price_asc: price,
    price_desc: price,
    token_asc: token,
    protocol_asc: protocol,
    validation_newest: verifiedAt,
  }
  return { value: value[sort], id }
}

/** The member of a sort's set, without the slot that ends it: byte order is the sort's order. */
export function memberAt(sort: OrderSort, { value, id }: SortPosition): string {
  return `${value === null ? LAST : `0${ENCODED[sort](value)}`} ${id}:`
}

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
// The order of UTF-8 bytes is that of code points; a text never contains its end mark.
const text = (value: string) => Buffer.from(value).toString('hex')

const ENCODED: Record<OrderSort, (value: string) => string> = {
  newest: (value) => time(TIME_END - Date.parse(value)),
  oldest: (value) => time(Date.parse(value)),
  price_asc: (value) => price(BigInt(value)),
  price_desc: (value) => price(PRICE_END - BigInt(value)),
  token_asc: text,
  protocol_asc: text,
  validation_newest: (value) => time(TIME_END - Date.parse(value)),
}
