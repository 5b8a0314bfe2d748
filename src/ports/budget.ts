import type { Clock } from './clock.ts'

export interface Rate {
  perSecond: number
  /** So many at once after a quiet while. */
  burst: number
}

/** Lets through so many a second, in the order of those who ask: who asks for more waits. */
export interface Budget {
  /** Resolves when it is one's turn, or at once when the signal aborts. */
  take(signal?: AbortSignal): Promise<void>
}

export function openBudget({ perSecond, burst }: Rate, clock: Clock): Budget {
  const eachMs = 1_000 / perSecond
  const aheadMs = (burst - 1) * eachMs
  /** When all that was let through would have come at an even pace. */
  let evenly = clock.monotonic()
  return {
    take: async (signal) => {
      const now = clock.monotonic()
      evenly = Math.max(evenly, now)
      const waitMs = evenly - aheadMs - now
      evenly += eachMs
      if (waitMs > 0) await clock.sleep(waitMs, signal)
    },
  }
}
