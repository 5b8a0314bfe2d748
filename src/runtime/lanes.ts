import { SourceQueue } from './source-queue.ts'

/** Priorities on a shared server; a lane never waits for a later one. */
export const LANES = {
  /** News, orders proved or verified by the gateway, and requests waiting for an answer. */
  first: 0,
  /** The first judgement of a new offer. */
  judgement: 1,
  /** Rechecks of unproved orders, sweeps, feeds. */
  later: 2,
} as const
export type Lane = (typeof LANES)[keyof typeof LANES]

/** Too many tasks wait already, this one waited too long, or its caller has left: it was not started. */
export class BusyError extends Error {
  override name = 'BusyError'
}

export interface LaneRule {
  /** A task of the lane starts while fewer than this many run, over all lanes. */
  atOnce: number
  /**
   * While this many of the lane wait, a task that arrives is rejected, or the newest of the source that
   * has most of them.
   */
  waiting: number
}

/** For whom a task is run. */
export interface Caller {
  /** Within a lane sources take turns. */
  source: string
  /** Is the result of no use any more? Then its turn is passed over. */
  hasLeft?(): boolean
}

export interface Lanes {
  /**
   * Without a caller, all are of the same source.
   *
   * @throws BusyError, or what `work` throws.
   */
  run<T>(lane: Lane, work: () => Promise<T>, caller?: Caller): Promise<T>
  /** Tasks waiting or running. */
  readonly size: number
}

export interface LanesOptions {
  /**
   * By lane; a later lane has fewer slots, so that some slots are always left for earlier lanes.
   */
  rules: readonly [first: LaneRule, judgement: LaneRule, later: LaneRule]
  /** The longest wait for a slot, milliseconds by `now`; checked when a slot is free. */
  waitMs?: number
  now?: () => number
}

interface LaneWaiter {
  since: number
  hasLeft(): boolean
  begin(): void
  turnAway(why: string): void
}

/** A bounded task queue: earlier lanes first, then each source in turn, in order of arrival. */
export function openLanes({ rules, waitMs = Infinity, now = () => 0 }: LanesOptions): Lanes {
  const waiting = [
    new SourceQueue<LaneWaiter>(),
    new SourceQueue<LaneWaiter>(),
    new SourceQueue<LaneWaiter>(),
  ] as const
  let running = 0

  const next = (): LaneWaiter | undefined => {
    const lane = rules.findIndex(({ atOnce }, at) => running < atOnce && waiting[at]?.length)
    return waiting[lane]?.shift()
  }
  const fill = (): void => {
    for (let waiter = next(); waiter; waiter = next()) {
      if (waiter.hasLeft()) waiter.turnAway(LEFT)
      else if (now() - waiter.since > waitMs) waiter.turnAway('it waited too long')
      else waiter.begin()
    }
  }
  const perform = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      running -= 1
      fill()
    }
  }
  return {
    run: (lane, work, { source, hasLeft = () => false } = { source: '' }) => {
      const queue = waiting[lane]
      // What waits in another lane has no slot now.
      if (queue.length === 0 && running < rules[lane].atOnce) {
        running += 1
        return perform(work)
      }
      return new Promise((resolve, reject) => {
        const turnAway = (why: string) => reject(new BusyError(why))
        if (queue.length >= rules[lane].waiting) dropLeft(queue)
        if (queue.length >= rules[lane].waiting) {
          const other = queue.makeRoom(source)
          const why = `${rules[lane].waiting} calls are already waiting`
          if (!other) {
            turnAway(why)
            return
          }
          other.turnAway(why)
        }
        const begin = () => {
          running += 1
          perform(work).then(resolve, reject)
        }
        queue.push(source, { since: now(), hasLeft, begin, turnAway })
      })
    },
    get size() {
      return waiting.reduce((sum, { length }) => sum + length, running)
    },
  }
}

const LEFT = 'its caller has left'

function dropLeft(queue: SourceQueue<LaneWaiter>): void {
  for (const waiter of queue.remove(({ hasLeft }) => hasLeft())) waiter.turnAway(LEFT)
}

/** Rules for a server with this many connections: a quarter is reserved for the first lane. */
export const connectionRules = (connections: number): LanesOptions['rules'] => [
  { atOnce: connections, waiting: 4_096 },
  { atOnce: Math.max(1, Math.floor((connections * 3) / 4)), waiting: 1_024 },
  { atOnce: Math.max(1, Math.floor(connections / 4)), waiting: 512 },
]
