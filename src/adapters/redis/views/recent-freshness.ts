import type { PartitionFreshness } from '../../../ports/views/order-views.ts'
import type { Clock } from '../../../runtime/clock.ts'

/**
 * How old a cached freshness may be, milliseconds. Freshness read before a document never shows the
 * order fresher than it is.
 */
const CACHED_MS = 250

export type FreshnessOfAll = ReadonlyMap<number, PartitionFreshness>

/** Caches the freshness of every partition. */
export class RecentFreshness {
  readonly #clock: Pick<Clock, 'monotonic'>
  #recent: { prefix: string; readAtMs: number; freshness: FreshnessOfAll } | null = null

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.monotonic()
  }

  /** The freshness of the views with this prefix; null if it must be read again. */
  of(prefix: string): FreshnessOfAll | null {
    const recent = this.#recent
    const isRecent = recent?.prefix === prefix && this.now() - recent.readAtMs < CACHED_MS
    return isRecent ? recent.freshness : null
  }

  /** Caches the freshness that was requested at that time. */
  keep(prefix: string, readAtMs: number, fields: unknown): FreshnessOfAll {
    const freshness = readFreshness(fields as Record<string, string>)
    this.#recent = { prefix, readAtMs, freshness }
    return freshness
  }

  /** Drops the cache: this process wrote freshness. */
  forget(): void {
    this.#recent = null
  }
}

/** The freshness in the hash that holds all partitions. */
export const readFreshness = (fields: Record<string, string>): FreshnessOfAll =>
  new Map(
    Object.entries(fields).map(([partition, text]) => [
      Number(partition),
      JSON.parse(text) as PartitionFreshness,
    ]),
  )
