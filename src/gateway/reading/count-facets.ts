import { LRUCache } from 'lru-cache'
import { groupIds } from '../../domain/catalog/catalog.ts'
import { COUNTED, FACET_VALUES, type FacetCounts } from '../../domain/listing/facet-counts.ts'
import type { CountQuery } from '../../ports/views/order-views.ts'
import type { CountFacetsQuery } from '../../schemas/api/api.ts'
import type { OrderFacets } from '../../schemas/order.ts'
import type { Gateway } from '../gateway.ts'
import { asOf, freshnessTerms } from '../order/summarise.ts'
import { listFilters } from './list-orders.ts'

/** Requests for the same counts within this time share one answer, milliseconds. */
const CACHED_MS = 5_000
const MAX_CACHED = 256

/** Counts for a request of this source: the first of those that share an answer. */
interface CountedViews {
  counts(query: CountQuery, source: string): Promise<FacetCounts>
}

/** Counts of orders by facet; equal concurrent requests are counted once. */
export class FacetCounter {
  readonly #gateway: Pick<Gateway, 'clock' | 'settings'>
  readonly #views: CountedViews
  readonly #kept = new LRUCache<string, Promise<OrderFacets>>({ max: MAX_CACHED, ttl: CACHED_MS })

  constructor(gateway: Pick<Gateway, 'clock' | 'settings'>, views: CountedViews) {
    this.#gateway = gateway
    this.#views = views
  }

  /**
   * The count of each value, without the facet's own filter
   * (docs/design/listing.md#counts-by-facet).
   *
   * @throws RefusalError VALIDATION_FAILED (seller)
   */
  async count({ group, ...request }: CountFacetsQuery, source: string): Promise<OrderFacets> {
    const filters = {
      ...listFilters(this.#gateway, request),
      ...(group !== undefined && { groupProtocols: groupIds(group) }),
    }
    const name = JSON.stringify(Object.entries(filters).sort())
    const known = this.#kept.get(name)
    if (known) return known
    const moment = freshnessTerms(this.#gateway)
    const query = { filters: asOf(moment, filters), moment }
    const counting = this.#views.counts(query, source).then(shown)
    this.#kept.set(name, counting)
    counting.catch(() => {
      if (this.#kept.peek(name) === counting) this.#kept.delete(name)
    })
    return counting
  }
}

function shown({ total, counts }: FacetCounts): OrderFacets {
  const facets = COUNTED.map((facet) => [
    facet,
    FACET_VALUES[facet].map((value) => ({ value, count: counts[facet][value] ?? 0 })),
  ])
  return { total, facets: Object.fromEntries(facets) as OrderFacets['facets'] }
}
