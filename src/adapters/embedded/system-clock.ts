import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal && { signal }).catch(() => undefined)
  },
  turn: () => new Promise((resolve) => letGo(resolve)),
}

const waiting: (() => void)[] = []

function letGo(resolve: () => void): void {
  waiting.push(resolve)
  if (waiting.length === 1) setImmediate(nextOne)
}

// An immediate that is set within another one comes in the next turn, after timers and sockets.
function nextOne(): void {
  const [first] = waiting
  first?.()
  waiting.shift()
  if (waiting.length > 0) setImmediate(nextOne)
}
