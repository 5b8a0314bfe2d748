import type { RESYNC_REASONS } from '../../schemas/api/stream.ts'
import type { ReaderPlace, RecentChanges } from '../../streams/activity/recent-changes.ts'
import { type Latest, watchLatest } from '../../streams/operators/watch-latest.ts'
import {
  type FollowedQuery,
  patienceWithViews,
  type StreamedChange,
  stepFrom,
} from './stream-steps.ts'

/** Changes that come within this time are sent together, milliseconds. */
const GATHER_MS = 50
const LATE_POLL_MS = 50
const LONGEST_REST_MS = 60_000
/** Steps with changes that are kept for slower readers. */
const STEPS_KEPT = 8

export type ResyncReason = (typeof RESYNC_REASONS)[number]

/** How far a follower is: it has made this many steps with changes, up to this place. */
export interface FollowerMark {
  steps: number
  place: ReaderPlace
}

/**
 * Follows the changes of one query, once for all streams that ask it. A stream that is where the
 * follower is takes its steps; one that is behind makes its own until it is there.
 */
export class QueryFollower {
  readonly latest: Latest<RecentChanges>
  readonly #followed: FollowedQuery
  readonly #stop: AbortSignal
  /** The newest steps with changes. */
  readonly #kept: (readonly StreamedChange[])[] = []
  readonly #waiting = new Set<() => void>()
  #steps = 0
  #place: ReaderPlace | null = null
  #ended: { reason: ResyncReason } | { failure: unknown } | null = null

  constructor(followed: FollowedQuery, stop: AbortSignal) {
    const { gateway } = followed
    this.#followed = followed
    this.#stop = stop
    this.latest = watchLatest(gateway.changes, gateway.clock, stop)
    this.#run().catch((failure: unknown) => this.#end({ failure }))
  }

  /** Null until the log was read for the first time. */
  get mark(): FollowerMark | null {
    return this.#place && { steps: this.#steps, place: this.#place }
  }

  get hasEnded(): boolean {
    return this.#ended !== null
  }

  /** Why it follows no longer; null while it does. Throws what it failed with. */
  get ended(): ResyncReason | null {
    if (this.#ended === null) return null
    if ('failure' in this.#ended) throw this.#ended.failure
    return this.#ended.reason
  }

  /** The changes of the steps after this many; null if one of them is no longer kept. */
  after(steps: number): readonly StreamedChange[] | null {
    const missed = this.#steps - steps
    if (missed > this.#kept.length) return null
    return missed === 0 ? [] : this.#kept.slice(-missed).flat()
  }

  /** Resolves at the next step with changes, at the end, after `ms`, or at the abort. */
  async moved(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#ended) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal.addEventListener('abort', wake)
      this.#waiting.add(wake)
    })
  }

  async #run(): Promise<void> {
    const { clock } = this.#followed.gateway
    const isTooLate = patienceWithViews(clock)
    while (!this.#stop.aborted) {
      const recent = this.latest.value
      if (recent) {
        const from = this.#place ?? recent.place
        if (!recent.reaches(from)) return this.#end({ reason: 'too_old' })
        const step = await stepFrom(this.#followed, recent, { from, to: recent.place })
        this.#advance(step.place, step.changes)
        if (isTooLate(step)) return this.#end({ reason: 'views_behind' })
        if (step.isLate) {
          await clock.sleep(LATE_POLL_MS, this.#stop)
          continue
        }
        if (step.hasMore) {
          await clock.turn()
          continue
        }
      }
      await this.latest.changed(LONGEST_REST_MS)
      if (recent) await clock.sleep(GATHER_MS, this.#stop)
    }
  }

  #advance(place: ReaderPlace, changes: readonly StreamedChange[]): void {
    const isFirst = this.#place === null
    this.#place = place
    if (changes.length > 0) {
      this.#steps += 1
      this.#kept.push(changes)
      if (this.#kept.length > STEPS_KEPT) this.#kept.shift()
    }
    if (isFirst || changes.length > 0) this.#wake()
  }

  #end(ended: { reason: ResyncReason } | { failure: unknown }): void {
    this.#ended = ended
    this.#wake()
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}

interface Shared {
  follower: QueryFollower
  readers: number
  stop: AbortController
}

/** The followers of a gateway, one for each query that is streamed. */
export class QueryFollowers {
  readonly #shared = new Map<string, Shared>()

  /** The follower of a query, until the signal aborts. One that has ended is no longer shared. */
  join(followed: FollowedQuery, signal: AbortSignal): QueryFollower {
    const { query } = followed
    const shared = this.#current(query) ?? this.#begin(followed)
    shared.readers += 1
    const leave = () => {
      shared.readers -= 1
      if (shared.readers > 0) return
      shared.stop.abort()
      if (this.#shared.get(query) === shared) this.#shared.delete(query)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return shared.follower
  }

  #current(query: string): Shared | undefined {
    const shared = this.#shared.get(query)
    return shared && !shared.follower.hasEnded ? shared : undefined
  }

  #begin(followed: FollowedQuery): Shared {
    const stop = new AbortController()
    const follower = new QueryFollower(followed, stop.signal)
    const shared = { follower, readers: 0, stop }
    this.#shared.set(followed.query, shared)
    return shared
  }
}
