import type { Clock } from './clock.ts'
import type { Rate } from './rate-limiter.ts'

/** Limits calls per second without waiting. */
export interface TokenBucket {
  /**
   * 0: `tokens` (1) were taken. Otherwise the milliseconds until there are as many. More than the
   * bucket holds are all that it holds.
   */
  take(tokens?: number): number
  /** The milliseconds until there are `tokens` (1); 0: there are. Takes none. */
  waitMs(tokens?: number): number
}

/** Full at the start: `burst` tokens, and `perSecond` more each second. */
export function openTokenBucket(
  { perSecond, burst }: Rate,
  clock: Pick<Clock, 'monotonic'>,
): TokenBucket {
  const eachMs = 1_000 / perSecond
  let left = burst
  let at = clock.monotonic()
  const waitMs = (tokens = 1): number => {
    const now = clock.monotonic()
    left = Math.min(burst, left + (now - at) / eachMs)
    at = now
    return Math.max(0, Math.min(tokens, burst) - left) * eachMs
  }
  return {
    waitMs,
    take(tokens = 1) {
      const wait = waitMs(tokens)
      if (wait === 0) left -= Math.min(tokens, burst)
      return wait
    },
  }
}
