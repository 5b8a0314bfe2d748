import type { Clock } from '../../src/runtime/clock.ts'
import { systemClock } from './system-clock.ts'

/** The system's clock, whose time of day can be moved on, by milliseconds. */
export function movedClock(): Clock & { move(ms: number): void } {
  let moved = 0
  return {
    now: () => systemClock.now() + moved,
    monotonic: () => systemClock.monotonic() + moved,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    turn: () => systemClock.turn(),
    move: (ms) => {
      moved += ms
    },
  }
}
