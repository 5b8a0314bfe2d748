import type { Gateway } from '../../gateway/gateway.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import { LANES, type Lane, type LaneRule, type Lanes, openLanes } from '../../runtime/lanes.ts'

/** Concurrent page reads per store; up to `waiting` more wait, 5 s at most. */
const PAGES: LaneRule = { atOnce: 8, waiting: 256 }
/** Large pages and searches block the event loop longer: they are read one at a time. */
const LARGE_PAGES: LaneRule = { atOnce: 1, waiting: 256 }
/** Each read is one look-up: these bounds limit how many wait for a store that hangs. */
const BY_ID: LaneRule = { atOnce: 64, waiting: 1_024 }
/** A build is ten calls and a PSBT: a burst of them must not take all turns of the event loop. */
const BUILDS: LaneRule = { atOnce: 4, waiting: 256 }
/**
 * A quote or a preflight is some ten calls: a burst of them must not fill each turn of the event loop.
 * One that takes long leaves its place, so that an authority that hangs stops no other buyer.
 */
const PURCHASES: LaneRule = { atOnce: 8, waiting: 256 }
const LONGEST_PLACE_MS = 250
const LONGEST_WAIT_MS = 5_000
/** What the last lane may take at once. */
const AT_ONCE_MS = 250

/** The last lane's share of the time once it has used that up, and how long it rests at most. */
interface Share {
  of: number
  longestRestMs: number
}
/** Pages of the views are made on the event loop, those of the history in its database. */
const SHARES = {
  views: { of: 0.2, longestRestMs: 400 },
  history: { of: 0.5, longestRestMs: 100 },
} as const

/** Where reads queue, by what is read, and builds and purchases. */
export interface Queues {
  stores: Readonly<Record<'views' | 'orders' | 'history', Lanes>>
  builds: Lanes
  purchases: Lanes
}

export function openQueues({ clock }: Pick<Gateway, 'clock'>): Queues {
  const open = (rule: LaneRule, later: LaneRule): Lanes =>
    openLanes({
      rules: [rule, rule, later],
      waitMs: LONGEST_WAIT_MS,
      now: () => clock.monotonic(),
    })
  const openPages = (share: Share) => withRests(open(PAGES, LARGE_PAGES), share, clock)
  return {
    stores: {
      views: openPages(SHARES.views),
      orders: open(BY_ID, BY_ID),
      history: openPages(SHARES.history),
    },
    builds: open(BUILDS, BUILDS),
    purchases: withLeases(open(PURCHASES, PURCHASES), clock),
  }
}

/**
 * The last lane, which has one task at a time, may be busy for its share of the time, and for 250 ms
 * more at once. Beyond that its place stays taken after a task: a flood of large pages leaves the
 * rest of the event loop to other reads (ADR 77).
 */
function withRests(lanes: Lanes, share: Share, clock: Pick<Clock, 'monotonic' | 'sleep'>): Lanes {
  let creditMs = AT_ONCE_MS
  let countedAt = clock.monotonic()
  const restAfter = (begun: number): number => {
    const now = clock.monotonic()
    const earned = Math.min(creditMs + (now - countedAt) * share.of, AT_ONCE_MS)
    creditMs = Math.max(earned - (now - begun), -share.longestRestMs * share.of)
    countedAt = now
    return -creditMs / share.of
  }
  const workAndRest: Keep = async (work) => {
    const begun = clock.monotonic()
    await work()
    const restMs = restAfter(begun)
    if (restMs > 0) await clock.sleep(restMs)
  }
  return keeping(lanes, (lane) => (lane === LANES.later ? workAndRest : null))
}

/** A task has its place until it is done, for 250 ms at most. */
function withLeases(lanes: Lanes, clock: Pick<Clock, 'sleep'>): Lanes {
  const lease: Keep = async (work) => {
    await withTimeout(clock, LONGEST_PLACE_MS, work())
  }
  return keeping(lanes, () => lease)
}

/** Does the work; the place is kept until it resolves, which may be before the work is done. */
type Keep = (work: () => Promise<void>) => Promise<void>

/** Lanes whose places are kept as `keepOf` says, not for as long as the work takes. */
const keeping = (lanes: Lanes, keepOf: (lane: Lane) => Keep | null): Lanes => ({
  run: (lane, work) => {
    const keep = keepOf(lane)
    if (!keep) return lanes.run(lane, work)
    return new Promise((resolve, reject) => {
      lanes.run(lane, () => keep(() => work().then(resolve, reject))).catch(reject)
    })
  },
  get size() {
    return lanes.size
  },
})
