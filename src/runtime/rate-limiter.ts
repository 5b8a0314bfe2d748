import type { Clock } from './clock.ts'
import { untilAborted } from './until-aborted.ts'

export interface Rate {
  perSecond: number
  /** The number of calls allowed at once after a quiet period. */
  burst: number
}

/** Limits calls per second, in call order: excess callers wait. */
export interface RateLimiter {
  /**
   * Resolves when it is the caller's turn, or at once when the signal aborts: its turn then goes to
   * the next caller.
   */
  take(signal?: AbortSignal): Promise<void>
}

export function openRateLimiter({ perSecond, burst }: Rate, clock: Clock): RateLimiter {
  const eachMs = 1_000 / perSecond
  const aheadMs = (burst - 1) * eachMs
  /** When all calls let through so far would have come at an even pace. */
  let evenly = clock.monotonic()
  let last: Promise<void> = Promise.resolve()

  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    if (signal?.aborted) return
    const now = clock.monotonic()
    evenly = Math.max(evenly, now)
    const waitMs = evenly - aheadMs - now
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    if (!signal?.aborted) evenly += eachMs
  }
  return {
    take: (signal) => {
      last = last.then(() => turn(signal))
      return signal ? untilAborted(last, signal, () => undefined) : last
    },
  }
}

/** Beyond this many names, those with a full budget are forgotten. */
const REMEMBERED = 1_000

/** A budget for each of many names. It does not wait: it reports how long a caller must. */
export class Allowances {
  readonly #eachMs: number
  readonly #aheadMs: number
  /** Per name, when all its calls let through so far would have come at an even pace. */
  readonly #evenly = new Map<string, number>()

  constructor({ perSecond, burst }: Rate) {
    this.#eachMs = 1_000 / perSecond
    this.#aheadMs = (burst - 1) * this.#eachMs
  }

  /** Milliseconds until the name may have one more; 0: it may now. */
  waitMs(name: string, now: number): number {
    return Math.max(0, (this.#evenly.get(name) ?? now) - this.#aheadMs - now)
  }

  spend(name: string, now: number): void {
    this.#evenly.set(name, Math.max(this.#evenly.get(name) ?? now, now) + this.#eachMs)
    if (this.#evenly.size <= REMEMBERED) return
    for (const [other, evenly] of this.#evenly) if (evenly <= now) this.#evenly.delete(other)
  }
}
