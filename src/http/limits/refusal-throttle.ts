import type { Clock } from '../../runtime/clock.ts'
import { openTokenBucket } from '../../runtime/token-bucket.ts'

/** Refusals that are answered at once: more than clients that honour Retry-After ever need. */
const ANSWERED_AT_ONCE = { perSecond: 20, burst: 200 }
/** The delay of other refusals: the shortest Retry-After. */
const DELAY_MS = 1_000
/** Delayed refusals at most: each keeps a connection. Beyond, a refusal is answered at once. */
const MAX_DELAYED = 1_024

/**
 * Delays the refusals of a flood. A client that repeats a refused request at once then does so once a
 * second on each of its connections, and its refusals take no turns of the event loop from other
 * requests (ADR 84).
 */
export class RefusalThrottle {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly #atOnce: ReturnType<typeof openTokenBucket>
  #delayed = 0

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock
    this.#atOnce = openTokenBucket(ANSWERED_AT_ONCE, clock)
  }

  /** Resolves when a refusal may be answered. */
  async delay(): Promise<void> {
    if (this.#atOnce.take() === 0 || this.#delayed >= MAX_DELAYED) return
    this.#delayed += 1
    await this.#clock.sleep(DELAY_MS)
    this.#delayed -= 1
  }
}
