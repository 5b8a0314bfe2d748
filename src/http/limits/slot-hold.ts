import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import { LANES, type Lane, type Lanes } from '../../runtime/lanes.ts'

/** The last lane's share of the time once it has used up its burst, and its longest rest. */
export interface Share {
  of: number
  maxRestMs: number
}

/** Milliseconds that the last lane may take at once. */
const BURST_MS = 250

/** Runs the work; the slot is freed when this resolves, perhaps earlier or later than the work. */
type SlotHold = (work: () => Promise<void>) => Promise<void>

/**
 * The last lane, which has one task at a time, may be busy for its share of the time, and for 250 ms
 * more at once. Beyond that its slot stays taken after a task: a flood of large pages leaves the rest
 * of the event loop to other reads (ADR 77).
 */
export function throttled(
  lanes: Lanes,
  share: Share,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Lanes {
  let creditMs = BURST_MS
  let countedAt = clock.monotonic()
  const restAfter = (begun: number): number => {
    const now = clock.monotonic()
    const earned = Math.min(creditMs + (now - countedAt) * share.of, BURST_MS)
    creditMs = Math.max(earned - (now - begun), -share.maxRestMs * share.of)
    countedAt = now
    return -creditMs / share.of
  }
  const workAndRest: SlotHold = async (work) => {
    const begun = clock.monotonic()
    await work()
    const restMs = restAfter(begun)
    if (restMs > 0) await clock.sleep(restMs)
  }
  return withSlotHold(lanes, (lane) => (lane === LANES.later ? workAndRest : null))
}

/** A task has its slot until it is done, for `ms` at most. */
export function releasedAfter(lanes: Lanes, ms: number, clock: Pick<Clock, 'sleep'>): Lanes {
  const hold: SlotHold = async (work) => {
    await withTimeout(clock, ms, work())
  }
  return withSlotHold(lanes, () => hold)
}

/** Lanes whose slots are held as `holdOf` returns; null: for as long as the work takes. */
const withSlotHold = (lanes: Lanes, holdOf: (lane: Lane) => SlotHold | null): Lanes => ({
  run: (lane, work, caller) => {
    const hold = holdOf(lane)
    if (!hold) return lanes.run(lane, work, caller)
    return new Promise((resolve, reject) => {
      lanes.run(lane, () => hold(() => work().then(resolve, reject)), caller).catch(reject)
    })
  },
  get size() {
    return lanes.size
  },
})
