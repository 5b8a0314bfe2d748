import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/ports/clock.ts'

/** Real time, for tests that run beside real programs. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal && { signal }).catch(() => undefined)
  },
}
