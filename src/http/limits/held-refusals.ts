import type { Clock } from '../../runtime/clock.ts'
import { openTokenBucket } from '../../runtime/token-bucket.ts'

/** Refusals that are answered at once: more than any crowd of clients that wait as they are told. */
const ANSWERED_AT_ONCE = { perSecond: 20, burst: 200 }
/** How long the others wait: the least that a refusal tells its client to wait. */
const HELD_MS = 1_000
/** Beyond that many, a refusal is answered at once: each holds a connection. */
const MOST_HELD = 1_024

/**
 * Holds back the refusals of a flood. A client that repeats a refused request at once then does so
 * once a second on each of its connections, and the refusals take no turns of the event loop from
 * other requests (ADR 84).
 */
export class HeldRefusals {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly #atOnce: ReturnType<typeof openTokenBucket>
  #held = 0

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock
    this.#atOnce = openTokenBucket(ANSWERED_AT_ONCE, clock)
  }

  /** Resolves when a refusal may be answered. */
  async turn(): Promise<void> {
    if (this.#atOnce.take() === 0 || this.#held >= MOST_HELD) return
    this.#held += 1
    await this.#clock.sleep(HELD_MS)
    this.#held -= 1
  }
}
