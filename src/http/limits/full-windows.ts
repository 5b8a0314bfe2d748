import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/clock.ts'
import { atMost } from './at-most.ts'
import type { ShownCount } from './refusals.ts'

/** A full window: the limit that its client is shown, and the level of its network. */
export interface FullWindow {
  count: ShownCount
  level: number
}

/**
 * Clients and networks that have used up a window, until it ends. A full window stays full until it
 * ends, whichever gateway counts in it: no second look-up (ADR 83).
 */
export class FullWindows {
  /** The limit of each full window; an entry lives as long as its window. */
  readonly #limits: LRUCache<string, number>

  /** Remembers at most `max` windows; the window noted first is dropped first. */
  constructor(clock: Pick<Clock, 'monotonic'>, max: number) {
    this.#limits = new LRUCache({
      ...atMost(max),
      perf: { now: () => clock.monotonic() },
      // Otherwise the cache reads the time once a millisecond, with its own timer.
      ttlResolution: 0,
    })
  }

  /** A network's window of `max` requests is full for `ttlMs` more. */
  note(network: string, max: number, ttlMs: number): void {
    // The cache takes 0 as unlimited.
    if (ttlMs > 0) this.#limits.set(network, max, { ttl: ttlMs })
  }

  /** The first full window of a client and its networks, the narrowest first. */
  among(networks: readonly string[]): FullWindow | null {
    for (const [level, network] of networks.entries()) {
      // Not `get`, which would make the window the most recently used.
      const max = this.#limits.peek(network)
      if (max === undefined) continue
      const ttlInSeconds = Math.ceil(this.#limits.getRemainingTTL(network) / 1_000)
      if (ttlInSeconds > 0) return { level, count: { max, remaining: 0, ttlInSeconds } }
    }
    return null
  }
}
