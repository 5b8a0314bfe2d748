import type { Clock } from '../../runtime/clock.ts'
import type { RateLimiter } from '../../runtime/rate-limiter.ts'
import { Waiters } from '../../runtime/waiters.ts'
import { SettledCursor } from '../ingest/settled-cursor.ts'
import type { Waiting } from './dedupe.ts'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'

/** A waiting item and its place among all items received. */
interface NumberedItem extends Waiting {
  id: string
  number: number
}

export interface FeedQueueParts {
  clock: Clock
  limits: FairQueueLimits
  /** Items that are settled at a time. */
  atOnce: number
  /** The budgets of this feed, and of all feeds together. */
  budgets: readonly RateLimiter[]
  onItem: (outcome: string) => void
  /** Everything before this cursor is settled. */
  onCursor: (cursor: number) => Promise<void>
}

/** The longest pause before checking again whether any publisher is due. */
const LONGEST_REST_MS = 60_000

/**
 * The unsettled items of one feed connection: settled a few at a time, publishers round-robin. When
 * the queue is full, the publisher with most items waiting loses its oldest; if none has more than
 * a share, the feed is made to wait.
 */
export class FeedQueue {
  readonly #parts: FeedQueueParts
  readonly #queue: FairQueue<NumberedItem>
  readonly #cursor = new SettledCursor()
  /** The ids of waiting items. */
  readonly #waiting = new Set<string>()
  /** Woken by an item to work on, and by room for more. */
  readonly #worker = new Waiters()
  readonly #reader = new Waiters()

  constructor(parts: FeedQueueParts) {
    this.#parts = parts
    this.#queue = new FairQueue(parts.limits)
  }

  has(id: string): boolean {
    return this.#waiting.has(id)
  }

  /** Resolves once there was room for it, or the signal aborted. */
  async put(id: string, waiting: Waiting, signal: AbortSignal): Promise<void> {
    while (this.#queue.isFull) {
      const dropped = this.#queue.shed()
      if (dropped) await this.#settled(dropped, 'dropped')
      else await this.#reader.within(this.#parts.clock, LONGEST_REST_MS, signal)
      if (signal.aborted) return
    }
    this.#waiting.add(id)
    const { publisher, size, settle } = waiting
    this.#queue.push({ id, publisher, size, settle, number: this.#cursor.open() })
    this.#worker.tell()
  }

  /** The feed has sent everything up to this cursor. */
  async reach(cursor: number): Promise<void> {
    this.#cursor.reach(cursor)
    await this.#advance()
  }

  /**
   * Settles waiting items until the signal aborts. When one fails, the others under way are ended
   * and waited for.
   *
   * @throws FeedError
   */
  async work(signal: AbortSignal): Promise<void> {
    const failed = new AbortController()
    const either = AbortSignal.any([signal, failed.signal])
    const errors: unknown[] = []
    const works = Array.from({ length: this.#parts.atOnce }, () =>
      this.#work(either).catch((error: unknown) => {
        errors.push(error)
        failed.abort()
      }),
    )
    await Promise.all(works)
    if (errors.length > 0) throw errors[0]
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { clock, budgets } = this.#parts
    while (!signal.aborted) {
      const next = this.#queue.next(clock.monotonic())
      if (next === null) {
        const restMs = Math.min(this.#queue.waitMs(clock.monotonic()), LONGEST_REST_MS)
        await this.#worker.within(clock, restMs, signal)
        continue
      }
      this.#reader.tell()
      const { outcome } = await next.settle(budgets, signal)
      // An item that another feed sent too costs its publisher nothing.
      if (outcome !== 'duplicate') this.#queue.spend(next.publisher, clock.monotonic())
      await this.#settled(next, outcome)
      await clock.turn()
    }
  }

  async #settled({ id, number }: NumberedItem, outcome: string): Promise<void> {
    this.#waiting.delete(id)
    this.#cursor.settle(number)
    this.#parts.onItem(outcome)
    await this.#advance()
  }

  async #advance(): Promise<void> {
    const cursor = this.#cursor.take()
    if (cursor !== null) await this.#parts.onCursor(cursor)
  }
}
