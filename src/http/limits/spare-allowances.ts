import type { Clock } from '../../runtime/clock.ts'
import { setNewest } from '../../runtime/set-newest.ts'

/** Below this many requests left, a client's counts are read before each request is counted. */
const NEAR_THE_LIMIT = 32
/** Requests of a client without a count that are served before one of them was counted. */
const UNKNOWN_AT_ONCE = 8

/** A limit as it is shown to its client. */
export interface ShownCount {
  max: number
  remaining: number
  ttlInSeconds: number
}

interface Spare {
  /** What the client may still send, with the networks around it considered. */
  requests: number
  untilMs: number
  max: number
  remaining: number
}

/**
 * How many more requests each client may send, as last counted. Gateways that count together may
 * have used some of them since: the number only shows that a limit is far.
 */
export class SpareAllowances {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #most: number
  readonly #spare = new Map<string, Spare>()
  /** Of clients without a count: the requests served since. */
  readonly #unknown = new Map<string, number>()
  /** The last count failed: no unknown client is served before it was counted. */
  #isFailing = false

  /** Remembers at most `most` clients; the one that sent nothing for longest is dropped first. */
  constructor(clock: Pick<Clock, 'monotonic'>, most: number) {
    this.#clock = clock
    this.#most = most
  }

  /** Takes one of a client's spare requests; null: its limit may be near. */
  take(client: string): ShownCount | null {
    const spare = this.#spare.get(client)
    if (!spare || spare.requests <= NEAR_THE_LIMIT) return null
    const leftMs = spare.untilMs - this.#clock.monotonic()
    if (leftMs <= 0) return null
    spare.requests -= 1
    spare.remaining -= 1
    const { max, remaining } = spare
    return { max, remaining, ttlInSeconds: Math.ceil(leftMs / 1_000) }
  }

  /** Takes one of the few requests that are served before a client was counted; false: none is left. */
  takeUnknown(client: string): boolean {
    if (this.#isFailing) return false
    const spare = this.#spare.get(client)
    if (spare && this.#clock.monotonic() < spare.untilMs) return false
    const served = this.#unknown.get(client) ?? 0
    if (served >= UNKNOWN_AT_ONCE) return false
    setNewest(this.#unknown, client, served + 1, this.#most)
    return true
  }

  /**
   * What a client may still send, and the count that it is shown; both hold for the time that the
   * count has left.
   */
  note(client: string, requests: number, { max, remaining, ttlInSeconds }: ShownCount): void {
    this.#isFailing = false
    const now = this.#clock.monotonic()
    const known = this.#spare.get(client)
    const counted = { requests, untilMs: now + ttlInSeconds * 1_000, max, remaining }
    const isCurrent = known !== undefined && now < known.untilMs
    const latest = isCurrent ? lesser(known, counted) : counted
    setNewest(this.#spare, client, latest, this.#most)
    this.#unknown.delete(client)
  }

  /**
   * A count has failed: the client's next request is counted before it is served, and so are those
   * of all unknown clients until a count succeeds.
   */
  suspend(client: string): void {
    this.#isFailing = true
    this.#spare.delete(client)
    setNewest(this.#unknown, client, UNKNOWN_AT_ONCE, this.#most)
  }
}

// Requests in progress were already taken, and are not counted yet.
const lesser = (one: Spare, other: Spare): Spare => ({
  requests: Math.min(one.requests, other.requests),
  untilMs: Math.min(one.untilMs, other.untilMs),
  max: other.max,
  remaining: Math.min(one.remaining, other.remaining),
})
