import type { Clock } from './clock.ts'

export interface Rate {
  perSecond: number
  /** The number of calls allowed at once after a quiet period. */
  burst: number
}

/**
 * Full at the start: `burst` tokens, and `perSecond` more each second. The bucket does not wait: it
 * returns how long to wait.
 */
export class TokenBucket {
  readonly #burst: number
  readonly #eachMs: number
  /**
   * When all tokens taken so far would have come at an even pace (GCRA); in the past: the bucket is
   * full.
   */
  #evenly = Number.NEGATIVE_INFINITY

  constructor({ perSecond, burst }: Rate) {
    this.#burst = burst
    this.#eachMs = 1_000 / perSecond
  }

  /**
   * The milliseconds until there are `tokens`; 0: there are now. A number above `burst` counts as
   * `burst`.
   *
   * @param now milliseconds, monotonic
   */
  waitMs(now: number, tokens = 1): number {
    const spareMs = (this.#burst - Math.min(tokens, this.#burst)) * this.#eachMs
    return Math.max(0, this.#evenly - spareMs - now)
  }

  /** Takes `tokens`, in advance if there are fewer. */
  spend(now: number, tokens = 1): void {
    this.#evenly = Math.max(this.#evenly, now) + Math.min(tokens, this.#burst) * this.#eachMs
  }

  /** Gives back `tokens` that were spent. */
  giveBack(tokens = 1): void {
    this.#evenly -= Math.min(tokens, this.#burst) * this.#eachMs
  }

  isFull(now: number): boolean {
    return this.#evenly <= now
  }
}

/** Limits calls per second without waiting, by a clock. */
export interface ClockedBucket {
  /**
   * 0: `tokens` (1) were taken. Otherwise the milliseconds until there are that many. A number
   * above `burst` counts as `burst`.
   */
  take(tokens?: number): number
  /** The milliseconds until there are `tokens` (1); 0: there are now. Takes no token. */
  waitMs(tokens?: number): number
  /** Gives back `tokens` (1) that were taken. */
  giveBack(tokens?: number): void
}

export function openTokenBucket(rate: Rate, clock: Pick<Clock, 'monotonic'>): ClockedBucket {
  const bucket = new TokenBucket(rate)
  return {
    waitMs: (tokens) => bucket.waitMs(clock.monotonic(), tokens),
    giveBack: (tokens) => bucket.giveBack(tokens),
    take(tokens) {
      const now = clock.monotonic()
      const wait = bucket.waitMs(now, tokens)
      if (wait === 0) bucket.spend(now, tokens)
      return wait
    },
  }
}

/** Beyond this many names, names with a full budget are forgotten. */
const REMEMBERED = 1_000

/** A budget for each of many names. It does not wait: it returns how long a caller must wait. */
export class Allowances {
  readonly #rate: Rate
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Milliseconds until the name may have one more token; 0: now. */
  waitMs(name: string, now: number): number {
    return this.#buckets.get(name)?.waitMs(now) ?? 0
  }

  spend(name: string, now: number): void {
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#rate)
    this.#buckets.set(name, bucket)
    bucket.spend(now)
    if (this.#buckets.size <= REMEMBERED) return
    for (const [other, each] of this.#buckets) if (each.isFull(now)) this.#buckets.delete(other)
  }

  /** Gives back a token that was spent. */
  giveBack(name: string): void {
    this.#buckets.get(name)?.giveBack()
  }
}
