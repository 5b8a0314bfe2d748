import {
  type OrderFilters,
  showsRejected,
  showsWithdrawn,
} from '../../../domain/listing/filters.ts'
import { foldText } from '../../../domain/listing/listing.ts'
import { END, FOUND, HIDDEN, isShort, shortName, term, word } from './order-entries.ts'

/** Orders in any of these bitmaps, or under any of these prefixes. */
export interface Filter {
  bits: readonly string[]
  /** Prefixes of entries in `terms`. */
  terms: readonly string[]
  /** Prefixes of entries in the dictionary, which name further bitmaps. */
  words: readonly string[]
  /** False: the orders that do not match. */
  has: boolean
}

/** The filters of a query, to be combined with AND. */
export function filtersOf(query: OrderFilters): Filter[] {
  const filters: Filter[] = []
  const add = (part: Partial<Filter>) =>
    filters.push({ bits: [], terms: [], words: [], has: true, ...part })
  const flag = (name: string, value: string | undefined) => {
    if (value !== undefined) add({ bits: [`${name}:${value}`] })
  }
  if (query.hidden !== 'either') add({ bits: [HIDDEN], has: query.hidden === true })
  if (!showsWithdrawn(query)) add({ bits: ['state:WITHDRAWN'], has: false })
  if (!showsRejected(query)) add({ bits: ['state:REJECTED'], has: false })
  flag('state', query.state)
  flag('safety', query.safety)
  flag('class', query.orderClass)
  flag('signature', query.signature)
  flag('side', query.side)
  flag('source', query.source)
  flag('token', query.token === undefined ? undefined : foldText(query.token))
  if (query.protocols) add({ bits: query.protocols.map((protocol) => `protocol:${protocol}`) })
  const exact = (
    kind: 'script' | 'inscription' | 'outpoint' | 'offered',
    text: string | undefined,
  ) => {
    if (text) add({ terms: [term(kind, text) + END] })
  }
  exact('script', query.sellerScriptHex)
  exact('inscription', query.assetInscriptionId)
  exact('outpoint', query.assetOutpoint)
  exact('offered', query.outpoint)
  if (query.search) add(searched(foldText(query.search)))
  return filters
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
