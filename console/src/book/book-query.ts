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
