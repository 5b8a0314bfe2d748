import { LRUCache } from 'lru-cache'
import { groupIds } from '../../domain/catalog/catalog.ts'
import { COUNTED, FACET_VALUES, type FacetCounts } from '../../domain/listing/facet-counts.ts'
import type { OrderFilters } from '../../domain/listing/filters.ts'
import { SingleFlight } from '../../runtime/single-flight.ts'
import type { CountFacetsQuery } from '../../schemas/api/api.ts'
import type { OrderFacets } from '../../schemas/order.ts'
import type { Gateway } from '../gateway.ts'
import { asOf, freshnessTerms } from '../order/summarise.ts'
import { listFilters } from './list-orders.ts'

/** Requests for the same counts within this time share one answer, milliseconds. */
const CACHED_MS = 5_000
const MAX_CACHED = 256

/** Counts when the turn of this source comes. */
type Queued = <T>(work: () => Promise<T>, source: string) => Promise<T>

/**
 * Counts of orders by facet. Equal concurrent requests of a source wait as one; another source has a
 * turn of its own, and takes what was counted meanwhile.
 */
export class FacetCounter {
  readonly #gateway: Pick<Gateway, 'clock' | 'settings' | 'views'>
  readonly #queued: Queued
  readonly #counting = new SingleFlight<OrderFacets>()
  readonly #kept = new LRUCache<string, OrderFacets>({ max: MAX_CACHED, ttl: CACHED_MS })

  constructor(gateway: Pick<Gateway, 'clock' | 'settings' | 'views'>, queued: Queued) {
    this.#gateway = gateway
    this.#queued = queued
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
    const counted = async () => this.#kept.get(name) ?? (await this.#countNow(name, filters))
    return (
      this.#kept.get(name) ??
      this.#counting.run(`${source}\n${name}`, () => this.#queued(counted, source))
    )
  }

  async #countNow(name: string, filters: OrderFilters): Promise<OrderFacets> {
    const moment = freshnessTerms(this.#gateway)
    const counts = await this.#gateway.views.counts({ filters: asOf(moment, filters), moment })
    const facets = shown(counts)
    this.#kept.set(name, facets)
    return facets
  }
}

function shown({ total, counts }: FacetCounts): OrderFacets {
  const facets = COUNTED.map((facet) => [
    facet,
    FACET_VALUES[facet].map((value) => ({ value, count: counts[facet][value] ?? 0 })),
  ])
  return { total, facets: Object.fromEntries(facets) as OrderFacets['facets'] }
}
