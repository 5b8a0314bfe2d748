import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../runtime/clock.ts'

/** Node fires a longer timer after one millisecond. */
const LONGEST_MS = 2 ** 31 - 1

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const bounded = Math.min(ms, LONGEST_MS)
    await delay(bounded, undefined, signal && { signal }).catch(() => undefined)
  },
  turn: () => new Promise((resolve) => letGo(resolve)),
}

/** Milliseconds for which one turn keeps releasing waiters. */
const TURN_MS = 5
const waiting: (() => void)[] = []
let turnBegan = 0

function letGo(resolve: () => void): void {
  waiting.push(resolve)
  if (waiting.length === 1) setImmediate(beginTurn)
}

function beginTurn(): void {
  turnBegan = performance.now()
  goOn()
}

function goOn(): void {
  const [first] = waiting
  first?.()
  // A tick queued in a microtask runs after all microtasks: whatever was released has then finished
  // its synchronous work.
  queueMicrotask(() => process.nextTick(endTurn))
}

function endTurn(): void {
  waiting.shift()
  if (waiting.length === 0) return
  if (performance.now() - turnBegan < TURN_MS) goOn()
  // An immediate set within another one runs after timers and sockets.
  else setImmediate(beginTurn)
}
