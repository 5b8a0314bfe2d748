import type { Clock } from './clock.ts'
import type { Rate } from './rate-limiter.ts'

/** Limits calls per second without waiting. */
export interface TokenBucket {
  /** 0: a token was taken. Otherwise the milliseconds until there is one. */
  take(): number
  /** The milliseconds until there is a token; 0: there is one. Takes none. */
  waitMs(): number
}

/** Full at the start: `burst` tokens, and `perSecond` more each second. */
export function openTokenBucket(
  { perSecond, burst }: Rate,
  clock: Pick<Clock, 'monotonic'>,
): TokenBucket {
  const eachMs = 1_000 / perSecond
  let tokens = burst
  let at = clock.monotonic()
  const waitMs = (): number => {
    const now = clock.monotonic()
    tokens = Math.min(burst, tokens + (now - at) / eachMs)
    at = now
    return tokens < 1 ? (1 - tokens) * eachMs : 0
  }
  return {
    waitMs,
    take() {
      const wait = waitMs()
      if (wait === 0) tokens -= 1
      return wait
    },
  }
}
