import { readersWaitMs } from '../../../src/adapters/redis/views/hand-over.ts'

const MILLION = 1_000_000

/**
 * Minutes that a rebuild of a million orders takes, by one of fewer: all but its wait for readers,
 * which look for new views as often whatever the size, is multiplied.
 */
export function rebuildMinutes(ms: number, orders: number): number {
  const waitMs = readersWaitMs(0)
  return (waitMs + (ms - waitMs) * (MILLION / orders)) / 60_000
}
