import type { OrderFacets } from 'psbt-market-client'
import type { market } from '../api/market.ts'

export type BookQuery = NonNullable<Parameters<typeof market.orders>[0]>
export type Facet = keyof OrderFacets['facets']

/** The filters that the address may carry; anything else in it is not touched. */
const FILTERS = [
  'state',
  'side',
  'protocol',
  'group',
  'source',
  'orderClass',
  'safety',
  'signature',
  'actionability',
  'search',
  'token',
  'seller',
  'priceMin',
  'priceMax',
  'includeWithdrawn',
] as const
export type Filter = (typeof FILTERS)[number]

export const SORTS: Record<string, string> = {
  newest: 'newest first',
  oldest: 'oldest first',
  price_asc: 'price, lowest first',
  price_desc: 'price, highest first',
  token_asc: 'token',
  protocol_asc: 'market',
  validation_newest: 'last checked first',
}

export const PAGE_SIZE = 25

interface BookView {
  label: string
  /** What it is made of; filters of the address only narrow it. */
  filters: BookQuery
  sort: string
  /** What else can be chosen in it. */
  facets: readonly Facet[]
}

/** What people come to the book for. */
export const VIEWS = {
  asks: {
    label: 'Asks',
    filters: { side: 'ASK', state: 'LIVE' },
    sort: 'price_asc',
    facets: ['protocol', 'actionability', 'source'],
  },
  bids: {
    label: 'Bids',
    filters: { side: 'BID', state: 'LIVE' },
    sort: 'price_desc',
    facets: ['protocol', 'source'],
  },
  sold: {
    label: 'Sold',
    filters: { state: 'SETTLED' },
    sort: 'newest',
    facets: ['side', 'protocol', 'source'],
  },
  all: {
    label: 'All',
    filters: {},
    sort: 'newest',
    facets: ['state', 'side', 'protocol', 'actionability', 'source'],
  },
} as const satisfies Record<string, BookView>
export type ViewName = keyof typeof VIEWS

/** Orders that are a person's own business, and no list of the service: watched here, or of the wallet. */
export const OWN_VIEWS = { watched: 'Watched', mine: 'Mine' } as const
export type OwnViewName = keyof typeof OWN_VIEWS

/** Filters by which one looks for an order wherever it is. */
const OF_ANY = ['state', 'side', 'search', 'includeWithdrawn'] as const

/** The view that the address names; without a name, live asks, unless it asks for other orders. */
export function viewOf(search: string): ViewName {
  const given = new URLSearchParams(search)
  const named = given.get('view')
  if (named !== null && Object.hasOwn(VIEWS, named)) return named as ViewName
  return OF_ANY.some((name) => given.get(name)) ? 'all' : 'asks'
}

/** The own view that the address names; null: it shows a list of the service. */
export const ownViewOf = (search: string): OwnViewName | null => {
  const named = new URLSearchParams(search).get('view')
  return named !== null && Object.hasOwn(OWN_VIEWS, named) ? (named as OwnViewName) : null
}

/**
 * The query in the address. The service validates it: a wrong value is its refusal, which is shown.
 */
export function filtersOf(search: string): BookQuery {
  const given = new URLSearchParams(search)
  const filters = FILTERS.flatMap((name) => {
    const value = given.get(name)
    return value ? [[name, value]] : []
  })
  return Object.fromEntries(filters)
}

/** The change of the address that takes all filters off. */
export const NO_FILTERS: Readonly<Record<string, null>> = Object.fromEntries(
  FILTERS.map((name) => [name, null]),
)

/** The change of the address that shows another view, in its own order; filters that it does not offer go. */
export function changeTo(view: ViewName): Record<string, string | null> {
  const kept: readonly string[] = [...VIEWS[view].facets, 'search', 'token', 'priceMin', 'priceMax']
  const dropped = FILTERS.filter((name) => !kept.includes(name)).map((name) => [name, null])
  return { ...Object.fromEntries(dropped), sort: null, view }
}

/** The change of the address that shows an own view, which has no filters. */
export const changeToOwn = (view: OwnViewName): Record<string, string | null> => ({
  ...NO_FILTERS,
  sort: null,
  view,
})

/** A change of the address: null removes. Any change starts the list over. */
export function addressWith(search: string, changes: Readonly<Record<string, string | null>>) {
  const next = new URLSearchParams(search)
  if (!('cursor' in changes)) next.delete('cursor')
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text ? `/?${text}` : '/'
}
