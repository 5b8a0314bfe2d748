import { LRUCache } from 'lru-cache'
import { groupIds } from '../../domain/catalog/catalog.ts'
import { COUNTED, FACET_VALUES, type FacetCounts } from '../../domain/listing/facet-counts.ts'
import type { OrderFilters } from '../../domain/listing/filters.ts'
import type { CountFacetsQuery } from '../../schemas/api/api.ts'
import type { OrderFacets } from '../../schemas/order.ts'
import type { Gateway } from '../gateway.ts'
import { asOf, freshnessTerms } from '../order/summarise.ts'
import { listFilters } from './list-orders.ts'
import { type QueuedRead, SharedReads } from './shared-reads.ts'

/** Requests for the same counts within this time share one answer, milliseconds. */
const CACHED_MS = 5_000
const MAX_CACHED = 256

/** Counts of orders by facet. */
export class FacetCounter {
  readonly #gateway: Pick<Gateway, 'clock' | 'settings' | 'views'>
  readonly #reads: SharedReads<OrderFacets>

  constructor(gateway: Pick<Gateway, 'clock' | 'settings' | 'views'>, queued: QueuedRead) {
    this.#gateway = gateway
    this.#reads = new SharedReads(new LRUCache({ max: MAX_CACHED, ttl: CACHED_MS }), queued)
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
    return await this.#reads.read(name, source, () => this.#countNow(filters))
  }

  async #countNow(filters: OrderFilters): Promise<OrderFacets> {
    const moment = freshnessTerms(this.#gateway)
    return shown(await this.#gateway.views.counts({ filters: asOf(moment, filters), moment }))
  }
}

function shown({ total, counts }: FacetCounts): OrderFacets {
  const facets = COUNTED.map((facet) => [
    facet,
    FACET_VALUES[facet].map((value) => ({ value, count: counts[facet][value] ?? 0 })),
  ])
  return { total, facets: Object.fromEntries(facets) as OrderFacets['facets'] }
}
