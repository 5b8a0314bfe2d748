import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'

/** Node fires a timer that is set for longer after one millisecond. */
const LONGEST_MS = 2 ** 31 - 1

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const bounded = Math.min(ms, LONGEST_MS)
    await delay(bounded, undefined, signal && { signal }).catch(() => undefined)
  },
  turn: () => new Promise((resolve) => letGo(resolve)),
}

/** Milliseconds of a turn in which more are let go. */
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
  // A tick that is asked for in a microtask comes when all of them are done: what was let go then
  // rests again.
  queueMicrotask(() => process.nextTick(endTurn))
}

function endTurn(): void {
  waiting.shift()
  if (waiting.length === 0) return
  if (performance.now() - turnBegan < TURN_MS) goOn()
  // An immediate that is set within another one comes after timers and sockets.
  else setImmediate(beginTurn)
}
