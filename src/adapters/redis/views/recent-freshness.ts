import type { PartitionFreshness } from '../../../ports/views/order-views.ts'
import type { Clock } from '../../../runtime/clock.ts'

/**
 * Freshness that was read before a document never shows it fresher than it is, however long before:
 * it may be this old, milliseconds.
 */
const KEPT_MS = 250

export type FreshnessOfAll = ReadonlyMap<number, PartitionFreshness>

/** Every partition's freshness as it was read last. */
export class RecentFreshness {
  readonly #clock: Pick<Clock, 'monotonic'>
  #recent: { prefix: string; readAtMs: number; freshness: FreshnessOfAll } | null = null

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.monotonic()
  }

  /** Of the views with this prefix; null if it has to be read again. */
  of(prefix: string): FreshnessOfAll | null {
    const recent = this.#recent
    const isRecent = recent?.prefix === prefix && this.now() - recent.readAtMs < KEPT_MS
    return isRecent ? recent.freshness : null
  }

  /** Keeps what was asked for at that time. */
  keep(prefix: string, readAtMs: number, fields: unknown): FreshnessOfAll {
    const freshness = readFreshness(fields as Record<string, string>)
    this.#recent = { prefix, readAtMs, freshness }
    return freshness
  }

  /** Makes the next read look it up: it was written here. */
  forget(): void {
    this.#recent = null
  }
}

/** Of the hash that holds every partition's. */
export const readFreshness = (fields: Record<string, string>): FreshnessOfAll =>
  new Map(
    Object.entries(fields).map(([partition, text]) => [
      Number(partition),
      JSON.parse(text) as PartitionFreshness,
    ]),
  )
