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

/** Names beyond which those that are rested are forgotten. */
const REMEMBERED = 1_000

/** A budget for each of many names. Nobody waits in it: it says how long one would have to. */
export class Allowances {
  readonly #eachMs: number
  readonly #aheadMs: number
  /** Of each name, when all that it was let through would have come at an even pace. */
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
