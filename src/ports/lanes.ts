/** Who goes first to a server that all share; a lane never waits for a later one. */
export const LANES = {
  /** News, what is proved or was verified by the gateway, and whoever waits for an answer. */
  first: 0,
  /** The first judgement of what came in. */
  judgement: 1,
  /** Rechecks of what is not proved, sweeps, feeds. */
  later: 2,
} as const
export type Lane = (typeof LANES)[keyof typeof LANES]

/** Too many wait already, or this one waited for too long: nothing was begun. */
export class Busy extends Error {
  override name = 'Busy'
}

export interface LaneRule {
  /** A work of the lane begins while fewer than so many run, of all lanes. */
  atOnce: number
  /** Whoever comes while so many of the lane wait is turned away. */
  waiting: number
}

export interface Lanes {
  /** Throws `Busy`, or what `work` throws. */
  run<T>(lane: Lane, work: () => Promise<T>): Promise<T>
  /** Works that wait or run. */
  readonly size: number
}

export interface LanesOptions {
  /** By lane; a later one has fewer places, so that some are always left for those before it. */
  rules: readonly [first: LaneRule, judgement: LaneRule, later: LaneRule]
  /** The longest wait for a place, milliseconds by `now`; counted when a place is free. */
  waitMs?: number
  now?: () => number
}

interface Waiter {
  since: number
  begin(): void
  turnAway(why: string): void
}

/** A bounded queue of works, the first lane's first, in the order of those who came. */
export function openLanes({ rules, waitMs = Infinity, now = () => 0 }: LanesOptions): Lanes {
  const waiting: Waiter[][] = rules.map(() => [])
  let running = 0

  const next = (): Waiter | undefined => {
    const lane = rules.findIndex(({ atOnce }, at) => running < atOnce && waiting[at]?.length)
    return waiting[lane]?.shift()
  }
  const fill = (): void => {
    for (let waiter = next(); waiter; waiter = next()) {
      if (now() - waiter.since > waitMs) waiter.turnAway('it waited for too long')
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
    run: (lane, work) =>
      new Promise((resolve, reject) => {
        const queue = waiting[lane] ?? []
        const turnAway = (why: string) => reject(new Busy(why))
        if (queue.length >= rules[lane].waiting) {
          turnAway(`${queue.length} wait already`)
          return
        }
        const begin = () => {
          running += 1
          perform(work).then(resolve, reject)
        }
        queue.push({ since: now(), begin, turnAway })
        fill()
      }),
    get size() {
      return waiting.reduce((sum, { length }) => sum + length, running)
    },
  }
}

/** Of a server with so many connections: a quarter of them is left for the first lane alone. */
export const connectionRules = (connections: number): LanesOptions['rules'] => [
  { atOnce: connections, waiting: 4_096 },
  { atOnce: Math.max(1, Math.floor((connections * 3) / 4)), waiting: 1_024 },
  { atOnce: Math.max(1, Math.floor(connections / 4)), waiting: 512 },
]
