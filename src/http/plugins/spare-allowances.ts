import type { Clock } from '../../ports/clock.ts'

/** Below this many requests left, a client's counts are read before each request is counted. */
const NEAR_THE_LIMIT = 32

interface Spare {
  requests: number
  untilMs: number
}

/**
 * How many more requests each client may send, as last counted. Gateways that count jointly may
 * have used some of them since: it only tells that a limit is far.
 */
export class SpareAllowances {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #most: number
  readonly #spare = new Map<string, Spare>()

  /** Remembers at most `most` clients; the one longest not heard of is forgotten first. */
  constructor(clock: Pick<Clock, 'monotonic'>, most: number) {
    this.#clock = clock
    this.#most = most
  }

  /** Takes one of a client's spare requests; false: its limit may be near. */
  take(client: string): boolean {
    const spare = this.#spare.get(client)
    if (!spare || spare.requests <= NEAR_THE_LIMIT) return false
    if (this.#clock.monotonic() >= spare.untilMs) return false
    spare.requests -= 1
    return true
  }

  /** What a client may still send within this time. */
  note(client: string, requests: number, forMs: number): void {
    const now = this.#clock.monotonic()
    const known = this.#spare.get(client)
    const counted = { requests, untilMs: now + forMs }
    this.#spare.delete(client)
    this.#spare.set(client, known && now < known.untilMs ? lesser(known, counted) : counted)
    const [oldest] = this.#spare.keys()
    if (this.#spare.size > this.#most && oldest !== undefined) this.#spare.delete(oldest)
  }
}

// Requests under way were taken already, and are not counted yet.
const lesser = (one: Spare, other: Spare): Spare => ({
  requests: Math.min(one.requests, other.requests),
  untilMs: Math.min(one.untilMs, other.untilMs),
})
