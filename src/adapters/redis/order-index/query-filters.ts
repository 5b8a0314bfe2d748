import type { FilterPart } from '../../../domain/listing/facet-counts.ts'
import { type OrderFilters, statesLeftOut } from '../../../domain/listing/filters.ts'
import { foldText } from '../../../domain/listing/listing.ts'
import { coverOf, PRICE_BANDS, PRICE_END, TIME_BANDS, TIME_END } from './bands.ts'
import { END, FOUND, HIDDEN, isShort, shortName, term, word } from './order-entries.ts'
import { type MemberRange, priceRange, updatedRange } from './sort-members.ts'

/** Orders in any of these bitmaps, under any of these prefixes, or in any of these ranges. */
export interface Filter {
  /** The facet in whose counts it is set aside. */
  part: FilterPart
  bits: readonly string[]
  /** Prefixes of entries in `terms`. */
  terms: readonly string[]
  /** Ranges of an ordered set. */
  ranges: readonly MemberRange[]
  /** Prefixes of entries in the dictionary, which name further bitmaps. */
  words: readonly string[]
  /** False: the orders that do not match. */
  has: boolean
}

/** The filters of a query except actionability, to be combined with AND. */
export function filtersOf(query: OrderFilters): Filter[] {
  const filters: Filter[] = []
  const add = (part: FilterPart, found: Partial<Filter>) =>
    filters.push({ bits: [], terms: [], ranges: [], words: [], has: true, ...found, part })
  const flag = (part: FilterPart, name: string, value: string | undefined) => {
    if (value !== undefined) add(part, { bits: [`${name}:${value}`] })
  }
  if (query.hidden !== 'either') add('always', { bits: [HIDDEN], has: query.hidden === true })
  for (const state of statesLeftOut(query)) add('always', { bits: [`state:${state}`], has: false })
  flag('state', 'state', query.state)
  if (query.states) add('state', { bits: query.states.map((state) => `state:${state}`) })
  flag('safety', 'safety', query.safety)
  flag('orderClass', 'class', query.orderClass)
  flag('signature', 'signature', query.signature)
  flag('side', 'side', query.side)
  flag('source', 'source', query.source)
  flag('always', 'token', query.token === undefined ? undefined : foldText(query.token))
  if (query.protocols) add('protocol', { bits: query.protocols.map(marketBits) })
  if (query.groupProtocols) add('group', { bits: query.groupProtocols.map(marketBits) })
  const exact = (
    kind: 'script' | 'inscription' | 'outpoint' | 'offered' | 'funding',
    text: string | undefined,
  ) => {
    if (text) add('always', { terms: [term(kind, text) + END] })
  }
  exact('script', query.sellerScriptHex)
  exact('inscription', query.assetInscriptionId)
  exact('outpoint', query.assetOutpoint)
  exact('offered', query.outpoint)
  exact('funding', query.funding)
  for (const range of rangesOf(query)) add('always', range)
  if (query.search) add('always', searched(foldText(query.search)))
  return filters
}

/** The bitmap of the orders listed under a market. */
export const marketBits = (id: string): string => `protocol:${id}`

function* rangesOf({
  priceMin,
  priceMax,
  updatedSince,
}: OrderFilters): Generator<Pick<Filter, 'bits' | 'ranges'>, void> {
  if (priceMin !== undefined || priceMax !== undefined) {
    const most = priceMax === undefined ? PRICE_END : BigInt(priceMax)
    const { whole, ends } = coverOf(PRICE_BANDS, BigInt(priceMin ?? 0), most)
    yield { bits: whole, ranges: ends.map(([from, to]) => priceRange(from, to)) }
  }
  if (updatedSince !== undefined) {
    const { whole, ends } = coverOf(TIME_BANDS, BigInt(Date.parse(updatedSince)), TIME_END)
    yield { bits: whole, ranges: ends.map(([from, to]) => updatedRange(from, to)) }
  }
}

/**
 * Free search (docs/design/listing.md#listing-query-semantics); `wanted` is case-folded already.
 */
function searched(wanted: string): Partial<Filter> {
  // No searchable text contains the end mark.
  if (wanted.includes(END)) return {}
  const short = FOUND.filter((found) => isShort(found, wanted))
  const long = FOUND.filter((found) => !isShort(found, wanted))
  return {
    bits: short.map((found) => shortName(found, wanted)),
    terms: long.map((found) => term(found, wanted)),
    words: [word(wanted)],
  }
}
