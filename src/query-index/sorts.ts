import { compareText } from '../domain/listing/listing.ts'
import { ORDER_SORTS, type OrderSort, SORTS, type SortedFacet } from '../domain/listing/sorts.ts'
import type { SortPosition } from '../ports/views/order-views.ts'
import { type Columns, PROBE } from './columns.ts'
import { HASH_WORDS, hashAt, putHash } from './hashes.ts'
import { NEVER, UNPRICED } from './row.ts'
import type { Texts } from './texts.ts'

type Compare = (a: number, b: number) => number
type NumberColumn = { readonly [slot: number]: number }

/** The comparison of each sort. All end on the id, ascending, which is unique. */
export function comparisons(columns: Columns): Record<OrderSort, Compare> {
  // Columns are replaced when they grow, so each comparison reads them from the object.
  const times = (column: 'createdAt' | 'verifiedAt', isDescending: boolean): Compare =>
    isDescending
      ? (a, b) => at(columns[column], b) - at(columns[column], a)
      : (a, b) => at(columns[column], a) - at(columns[column], b)
  const texts = (column: 'token' | 'protocol', known: Texts): Compare => {
    return (a, b) => compareTexts(known, at(columns[column], a), at(columns[column], b))
  }
  const byFacet: Record<SortedFacet, (isDescending: boolean) => Compare> = {
    createdAt: (isDescending) => times('createdAt', isDescending),
    // `NEVER` is the lowest time: last, since no sort of it ascends.
    verifiedAt: (isDescending) => times('verifiedAt', isDescending),
    price: (isDescending) => (a, b) => {
      const [x, y] = [priceAt(columns, a), priceAt(columns, b)]
      const isUpwards = !isDescending || x === UNPRICED || y === UNPRICED
      return isUpwards ? comparePrices(x, y) : comparePrices(y, x)
    },
    token: () => texts('token', columns.tokens),
    protocol: () => texts('protocol', columns.protocols),
  }
  const comparison = (sort: OrderSort): Compare => {
    const { by, isDescending } = SORTS[sort]
    const compare = byFacet[by](isDescending)
    return (a, b) => compare(a, b) || compareIds(columns.id, a, b)
  }
  return Object.fromEntries(ORDER_SORTS.map((sort) => [sort, comparison(sort)])) as Record<
    OrderSort,
    Compare
  >
}

/** An order's position in a sort. */
export function positionOf(columns: Columns, sort: OrderSort, slot: number): SortPosition {
  return { value: sortValueOf(columns, sort, slot), id: hashAt(columns.id, slot) }
}

/** Puts a cursor's position into the probe's slot, to be compared with orders in this sort. */
export function placeProbe(columns: Columns, sort: OrderSort, { value, id }: SortPosition): void {
  putHash(columns.id, PROBE, id)
  const time = value === null ? NEVER : Date.parse(value)
  columns.createdAt[PROBE] = time
  columns.verifiedAt[PROBE] = time
  if (SORTS[sort].by === 'price') {
    columns.price[PROBE] = value === null ? UNPRICED : BigInt(value)
  }
  columns.token[PROBE] = columns.tokens.probe(value)
  columns.protocol[PROBE] = columns.protocols.probe(value)
}

/** Sorts in which two versions of an order have different positions. */
export const movedSorts = (before: SortValues, after: SortValues): OrderSort[] =>
  ORDER_SORTS.filter((_, index) => before[index] !== after[index])

export type SortValues = readonly (string | null)[]
export const sortValues = (columns: Columns, slot: number): SortValues =>
  ORDER_SORTS.map((sort) => sortValueOf(columns, sort, slot))

const sortValueOf = (columns: Columns, sort: OrderSort, slot: number): string | null =>
  facetValue(columns, SORTS[sort].by, slot)

function facetValue(columns: Columns, facet: SortedFacet, slot: number): string | null {
  switch (facet) {
    case 'createdAt':
    case 'verifiedAt':
      return timeText(at(columns[facet], slot))
    case 'price': {
      const price = priceAt(columns, slot)
      return price === UNPRICED ? null : price.toString()
    }
    case 'token':
      return textOrNull(columns.tokens, at(columns.token, slot))
    case 'protocol':
      return textOrNull(columns.protocols, at(columns.protocol, slot))
  }
}

const at = (column: NumberColumn, slot: number): number => column[slot] ?? 0
const priceAt = (columns: Columns, slot: number): bigint => columns.price[slot] ?? UNPRICED
const timeText = (ms: number) => (ms === NEVER ? null : new Date(ms).toISOString())
const textOrNull = (texts: Texts, id: number) => (id === 0 ? null : texts.text(id))
const comparePrices = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

function compareTexts(texts: Texts, a: number, b: number): number {
  if (a === b) return 0
  if (a === 0 || b === 0) return a === 0 ? 1 : -1
  return compareText(texts.text(a), texts.text(b))
}

function compareIds(ids: Uint32Array, a: number, b: number): number {
  for (let word = 0; word < HASH_WORDS; word += 1) {
    const difference = at(ids, a * HASH_WORDS + word) - at(ids, b * HASH_WORDS + word)
    if (difference !== 0) return difference
  }
  return 0
}
