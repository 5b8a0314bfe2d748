import type { Budget } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import { CursorMarks } from './cursor-marks.ts'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'
import type { Waiting } from './take-once.ts'

/** Something that waits, and its place among all that was told. */
interface Placed extends Waiting {
  id: string
  place: number
}

export interface FeedLaneParts {
  clock: Clock
  limits: FairQueueLimits
  /** Of the feed, and of all feeds together. */
  budgets: readonly Budget[]
  onItem: (outcome: string) => void
  /** All that was told before this cursor is settled. */
  onCursor: (cursor: number) => Promise<void>
}

/** Publishers have no turn for so long at most before it is looked whether one of them has. */
const LONGEST_REST_MS = 60_000

/**
 * What one connection of a feed told and is not settled: one is at a time, its publishers take turns.
 * When more waits than may, the publisher of whom most waits loses its oldest; where nobody has more
 * than a share, the feed is made to wait.
 */
export class FeedLane {
  readonly #parts: FeedLaneParts
  readonly #queue: FairQueue<Placed>
  readonly #marks = new CursorMarks()
  /** What waits, by what it calls itself. */
  readonly #waiting = new Set<string>()
  #wakeWorker = () => {}
  #wakeReader = () => {}

  constructor(parts: FeedLaneParts) {
    this.#parts = parts
    this.#queue = new FairQueue(parts.limits)
  }

  has(id: string): boolean {
    return this.#waiting.has(id)
  }

  /** Resolves when there was room for it, or the signal aborted. */
  async put(id: string, waiting: Waiting, signal: AbortSignal): Promise<void> {
    while (this.#queue.isFull) {
      const dropped = this.#queue.shed()
      if (dropped) await this.#settled(dropped, 'dropped')
      else await this.#rest(LONGEST_REST_MS, signal, (wake) => (this.#wakeReader = wake))
      if (signal.aborted) return
    }
    this.#waiting.add(id)
    const { publisher, size, settle } = waiting
    this.#queue.push({ id, publisher, size, settle, place: this.#marks.open() })
    this.#wakeWorker()
  }

  /** All that the feed had until then was told. */
  async reach(cursor: number): Promise<void> {
    this.#marks.reach(cursor)
    await this.#advance()
  }

  /** Settles what waits until the signal aborts. Throws `FeedFault`. */
  async work(signal: AbortSignal): Promise<void> {
    const { clock, budgets } = this.#parts
    while (!signal.aborted) {
      const next = this.#queue.next(clock.monotonic())
      if (next === null) {
        const restMs = Math.min(this.#queue.waitMs(clock.monotonic()), LONGEST_REST_MS)
        await this.#rest(restMs, signal, (wake) => (this.#wakeWorker = wake))
        continue
      }
      this.#wakeReader()
      const { outcome } = await next.settle(budgets, signal)
      // What another feed told as well costs its publisher nothing.
      if (outcome !== 'duplicate') this.#queue.spend(next.publisher, clock.monotonic())
      await this.#settled(next, outcome)
      await clock.turn()
    }
  }

  async #settled({ id, place }: Placed, outcome: string): Promise<void> {
    this.#waiting.delete(id)
    this.#marks.settle(place)
    this.#parts.onItem(outcome)
    await this.#advance()
  }

  async #advance(): Promise<void> {
    const cursor = this.#marks.take()
    if (cursor !== null) await this.#parts.onCursor(cursor)
  }

  async #rest(ms: number, signal: AbortSignal, listen: (wake: () => void) => void): Promise<void> {
    const over = new AbortController()
    const wake = () => over.abort()
    listen(wake)
    signal.addEventListener('abort', wake, { once: true })
    if (signal.aborted) wake()
    await this.#parts.clock.sleep(ms, over.signal)
    signal.removeEventListener('abort', wake)
  }
}
