/** What lists are sorted by; a time is in ISO 8601, a price in sats, a text case-folded. */
export interface SortedFacets {
  createdAt: string
  verifiedAt: string | null
  price: string | null
  token: string | null
  protocol: string | null
}
export type SortedFacet = keyof SortedFacets

/**
 * The sorts of lists (gateway spec 4.1). Orders without the facet come last in either direction
 * (rule 4), and equal ones are in the order of their ids.
 */
export const SORTS = {
  newest: { by: 'createdAt', isDescending: true },
  oldest: { by: 'createdAt', isDescending: false },
  price_asc: { by: 'price', isDescending: false },
  price_desc: { by: 'price', isDescending: true },
  token_asc: { by: 'token', isDescending: false },
  protocol_asc: { by: 'protocol', isDescending: false },
  validation_newest: { by: 'verifiedAt', isDescending: true },
} as const satisfies Record<string, { by: SortedFacet; isDescending: boolean }>

export type OrderSort = keyof typeof SORTS
export const ORDER_SORTS = Object.keys(SORTS) as OrderSort[]
