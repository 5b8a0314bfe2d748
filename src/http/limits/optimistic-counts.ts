import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/clock.ts'
import { atMost } from './at-most.ts'
import type { ShownCount } from './refusals.ts'

/** Below this many requests left, a client's counts are read before each request is counted. */
const NEAR_THE_LIMIT = 32
/** Requests of a client without a count that are served before the first of them is counted. */
const MAX_UNCOUNTED = 8

interface LastCount {
  /** Requests that the client, and the networks around it, may still send. */
  requests: number
  /** When the window of the count ends, by the monotonic clock. */
  untilMs: number
  max: number
  remaining: number
}

/**
 * How many more requests each client may send, as last counted: while a limit is far, requests are
 * counted while they are served (ADR 83). Other gateways may have counted more since: the number
 * only shows that a limit is far.
 */
export class OptimisticCounts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #last: LRUCache<string, LastCount>
  /** The requests served for each client without a count. */
  readonly #uncounted: LRUCache<string, number>
  /** The last count failed: no request of an unknown client is served before it was counted. */
  #isFailing = false

  /** Remembers at most `max` clients; the client counted longest ago is dropped first. */
  constructor(clock: Pick<Clock, 'monotonic'>, max: number) {
    this.#clock = clock
    this.#last = new LRUCache(atMost(max))
    this.#uncounted = new LRUCache(atMost(max))
  }

  /** Takes one of the requests that a client has to spare; null: its limit may be near. */
  take(client: string): ShownCount | null {
    const last = this.#last.peek(client)
    if (!last || last.requests <= NEAR_THE_LIMIT) return null
    const leftMs = last.untilMs - this.#clock.monotonic()
    if (leftMs <= 0) return null
    last.requests -= 1
    last.remaining -= 1
    const { max, remaining } = last
    return { max, remaining, ttlInSeconds: Math.ceil(leftMs / 1_000) }
  }

  /** Admits one of the few requests that are served before a client was counted; false: none is left. */
  admitUncounted(client: string): boolean {
    if (this.#isFailing) return false
    const last = this.#last.peek(client)
    if (last && this.#clock.monotonic() < last.untilMs) return false
    const served = this.#uncounted.peek(client) ?? 0
    if (served >= MAX_UNCOUNTED) return false
    this.#uncounted.set(client, served + 1)
    return true
  }

  /**
   * Notes how many requests a client may still send, and the count that it is shown, until the
   * window ends.
   */
  note(client: string, requests: number, { max, remaining, ttlInSeconds }: ShownCount): void {
    this.#isFailing = false
    const now = this.#clock.monotonic()
    const last = this.#last.peek(client)
    const counted = { requests, untilMs: now + ttlInSeconds * 1_000, max, remaining }
    const isCurrent = last !== undefined && now < last.untilMs
    this.#last.set(client, isCurrent ? lesser(last, counted) : counted)
    this.#uncounted.delete(client)
  }

  /**
   * A count has failed: the client's next request is counted before it is served, and so is every
   * request of an unknown client until a count succeeds.
   */
  suspend(client: string): void {
    this.#isFailing = true
    this.#last.delete(client)
    this.#uncounted.set(client, MAX_UNCOUNTED)
  }
}

// Requests in progress were taken already, and are not in the count yet.
const lesser = (one: LastCount, other: LastCount): LastCount => ({
  requests: Math.min(one.requests, other.requests),
  untilMs: Math.min(one.untilMs, other.untilMs),
  max: other.max,
  remaining: Math.min(one.remaining, other.remaining),
})
