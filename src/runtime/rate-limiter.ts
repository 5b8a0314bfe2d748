import type { Clock } from './clock.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'
import { untilAborted } from './until-aborted.ts'

/** Limits calls per second, in call order: excess callers wait. */
export interface RateLimiter {
  /**
   * Resolves when the caller may call, or at once when the signal aborts: the next caller then
   * moves up.
   */
  take(signal?: AbortSignal): Promise<void>
}

export function openRateLimiter(rate: Rate, clock: Clock): RateLimiter {
  const bucket = new TokenBucket(rate)
  let last: Promise<void> = Promise.resolve()

  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    if (signal?.aborted) return
    const now = clock.monotonic()
    const waitMs = bucket.waitMs(now)
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    // The time before the wait counts: the delay of a late timer is not lost.
    if (!signal?.aborted) bucket.spend(now)
  }
  return {
    take: (signal) => {
      last = last.then(() => turn(signal))
      return signal ? untilAborted(last, signal, () => undefined) : last
    },
  }
}
