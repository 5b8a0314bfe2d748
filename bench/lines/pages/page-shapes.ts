import { ORDER_SORTS } from '../../../src/domain/listing/sorts.ts'
import type { OrderQuery } from '../../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'

/** Pages of one kind. */
export interface PageShape {
  label: string
  query: Omit<OrderQuery, 'limit' | 'after'>
}

const BASE = { includeWithdrawn: false, sort: 'newest' } as const

/**
 * Every sort, and every filter with one of them; `some` order has an asset, a seller and a price.
 */
export function pageShapes(some: OrderRecord): PageShape[] {
  const filtered = Object.entries(filtersFor(some)).map(([label, filter]) => {
    const query = { ...BASE, ...filter }
    return { label: `${label} by ${query.sort}`, query }
  })
  return [...ORDER_SORTS.map((sort) => ({ label: sort, query: { ...BASE, sort } })), ...filtered]
}

/** Pages that begin far behind the first. */
export const DEEP_SHAPES: readonly PageShape[] = [
  { label: 'newest, deep', query: BASE },
  { label: 'price_asc, deep', query: { ...BASE, sort: 'price_asc' } },
  { label: 'LIVE by token_asc, deep', query: { ...BASE, state: 'LIVE', sort: 'token_asc' } },
]

/** A list that is another at each request: all that a page needs of it is found for that page. */
export interface NewListShape {
  label: string
  /** 0 and up. */
  listAt(n: number): PageShape['query']
}

const LOWEST_PRICE = 10_000
/** Characters of an id, so that a search finds some of a hundred thousand orders. */
const ID_CHARACTERS = 4

/** Their first pages. */
export const NEW_LIST_SHAPES: readonly NewListShape[] = [
  {
    label: 'prices from another sat on',
    listAt: (n) => ({ ...BASE, priceMin: String(LOWEST_PRICE + n), sort: 'price_asc' }),
  },
  {
    label: 'LIVE asks from another sat on',
    listAt: (n) => ({ ...BASE, state: 'LIVE', side: 'ASK', priceMin: String(LOWEST_PRICE + n) }),
  },
  {
    label: 'search word from another sat on',
    listAt: (n) => ({ ...BASE, search: 'punk', priceMin: String(LOWEST_PRICE + n) }),
  },
  {
    label: 'another search',
    listAt: (n) => ({ ...BASE, search: n.toString(16).padStart(ID_CHARACTERS, '0') }),
  },
]

function filtersFor(some: OrderRecord): Record<string, Partial<OrderQuery>> {
  const [asset] = some.assets
  return {
    state: { state: 'LIVE' },
    'state, few': { state: 'SETTLED' },
    'states, two': { states: ['MEMPOOL_CONFLICTED', 'SPENT'] },
    withdrawn: { state: 'WITHDRAWN', includeWithdrawn: true },
    token: { token: 'oRdI' },
    'two protocols': { protocols: ['bitcoin-brc20', 'bitcoin-runes'] },
    source: { source: 'portable-nostr802' },
    safety: { safety: 'PUBLIC_RACEABLE' },
    orderClass: { orderClass: 'BID_FULLY_FUNDED' },
    signature: { signature: 'VALID' },
    side: { side: 'BID' },
    prices: { priceMin: '10000', priceMax: '50000000', sort: 'price_asc' },
    'prices, few': { priceMin: '2000000', priceMax: '3000000' },
    seller: { sellerScriptHex: some.sellerScriptHex ?? '' },
    assetInscriptionId: { assetInscriptionId: asset?.inscriptionId ?? '' },
    assetOutpoint: { assetOutpoint: some.outpoint },
    'search id': { search: some.id.slice(0, 12) },
    'search a': { search: 'a' },
    'search number': { search: '12' },
    'search word': { search: 'punk' },
    'search address': { search: 'bcrt1qa' },
    'token, cheapest': { token: 'ordi', state: 'LIVE', side: 'ASK', sort: 'price_asc' },
    'state, token, source': { state: 'LIVE', token: 'ORDI', source: 'direct-import' },
    'state, protocol, search': {
      state: 'LIVE',
      protocols: ['bitcoin-runes'],
      search: 'punk',
      sort: 'price_asc',
    },
    'bids, settled, dearest': { side: 'BID', state: 'SETTLED', sort: 'price_desc' },
  }
}

/** The parameters of `GET /orders` for it. */
export function parametersOf({ query }: PageShape): URLSearchParams {
  const { sellerScriptHex, includeWithdrawn, ...given } = query
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) parameters.set(name, String(value))
  if (sellerScriptHex !== undefined) parameters.set('seller', sellerScriptHex)
  if (includeWithdrawn) parameters.set('includeWithdrawn', 'true')
  return parameters
}
