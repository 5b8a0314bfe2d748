import { Waiters } from '../../runtime/waiters.ts'
import type { StreamEnd } from '../../schemas/api/stream.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { ReaderPlace, RecentChange } from '../../streams/activity/recent-changes.ts'
import {
  type ChangeTip,
  eventsOf,
  type TipEnd,
  type TipStream,
  type ToldChange,
  type ToldStep,
} from './change-tip.ts'
import { isReached, type ResyncReason, type WalkStep, walkChanges } from './change-walk.ts'
import { type ChangedOrder, mayConcern, tellingFor } from './changed-orders.ts'
import { eventBody } from './event-frames.ts'
import type { StreamFeed } from './stream-feed.ts'
import { type StreamQuery, signedPlace } from './stream-query.ts'

/** Where the events of a stream go. */
export interface StreamSink {
  /**
   * Sends events; false: the most that may wait for the reader waits already. Await `taken` before
   * the next call.
   */
  send(events: readonly Uint8Array[]): boolean
  /** Resolves when the reader has taken everything, or is gone. */
  taken(): Promise<void>
  /** Whether the reader has taken everything. */
  readonly isFree: boolean
  /**
   * Called every two seconds or so, with the clock's monotonic time: disconnects a reader that takes
   * nothing, has had its time, or may read no more.
   */
  attend(now: number): void
  end(): void
  fail(error: unknown): void
}

export interface ReaderOptions {
  feed: StreamFeed
  tip: ChangeTip
  query: StreamQuery
  sink: StreamSink
  /** Events that are sent first. */
  opening: readonly Uint8Array[]
  from: ReaderPlace
  /** By order, the last change that the snapshot already has. */
  seqs: Map<OrderId, number>
  /** Reads orders for this stream alone. */
  replay(changes: readonly RecentChange[]): Promise<readonly (ChangedOrder | null)[]>
  /** Aborts when the reader is gone. */
  signal: AbortSignal
}

const HEARTBEAT_MS = 10_000
/** Milliseconds between two looks at a place that the tip has not reached. */
const AHEAD_MS = 1_000

/** One stream: it walks the changes by itself up to the tip, and is sent the tip's steps there. */
export class StreamReader implements TipStream {
  readonly query: StreamQuery
  readonly #options: ReaderOptions
  readonly #seqs: Map<OrderId, number>
  #place: ReaderPlace
  #isAtTip = false
  #isOver = false
  #sentAt: number
  /** Wakes this stream's own walk. */
  readonly #behind = new Waiters()

  constructor(options: ReaderOptions) {
    const { query, from, seqs, feed } = options
    this.query = query
    this.#options = options
    this.#place = from
    this.#seqs = seqs
    this.#sentAt = feed.gateway.clock.monotonic()
  }

  /** Sends events until the signal aborts, or the stream cannot continue. */
  async run(): Promise<void> {
    const { tip, sink, signal, opening } = this.#options
    const onAbort = () => {
      this.#isOver = true
      this.#behind.tell()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    try {
      this.#send(opening, this.#now())
      tip.add(this)
      while (!this.#isOver) {
        await sink.taken()
        const reason = await this.#catchUp()
        if (reason) this.end({ reason })
        if (this.#isAtTip && !this.#isOver) await this.#behind.next(signal)
      }
    } catch (failure) {
      this.end({ failure })
    } finally {
      tip.remove(this)
      sink.end()
    }
  }

  push(step: ToldStep): void {
    if (this.#isOver) return
    const isAll = this.#seqs.size === 0 || !step.changes.some((change) => this.#isKnown(change))
    const events = isAll ? step.events : eventsOf(this.query, this.#unknownOf(step.changes))
    if (this.#send(events, step.at)) return
    const { tip } = this.#options
    this.#place = tip.place ?? this.#place
    this.#isAtTip = false
    tip.leave(this)
    this.#behind.tell()
  }

  attend(now: number, heartbeat: (own: ReaderPlace | null) => readonly Buffer[]): void {
    const { sink } = this.#options
    if (this.#isOver) return
    sink.attend(now)
    if (!sink.isFree || now - this.#sentAt < HEARTBEAT_MS) return
    // Little is held for the reader until then.
    this.#send(heartbeat(this.#isAtTip ? null : this.#place), now)
  }

  end(ended: TipEnd): void {
    const { sink } = this.#options
    if (this.#isOver) return
    this.#isOver = true
    if ('failure' in ended) sink.fail(ended.failure)
    else {
      sink.send([resyncEvent(ended.reason)])
      sink.end()
    }
    this.#behind.tell()
  }

  /** Walks up to the tip; returns why it cannot, or null. */
  async #catchUp(): Promise<ResyncReason | null> {
    const { tip, feed, signal, replay, sink } = this.#options
    const { gateway, changed } = feed
    const walk = walkChanges({
      ...{ clock: gateway.clock, signal, from: this.#place },
      target: () => {
        const recent = tip.latest.value
        if (!recent) throw new Error('a stream was opened before the log was read')
        return { recent, to: tip.place ?? this.#place }
      },
      concerns: (change) => mayConcern(change, this.query),
      read: (changes) =>
        changes.every((change) => changed.has(change))
          ? Promise.all(changes.map((change) => changed.of(change)))
          : replay(changes),
      signed: (place) => signedPlace(gateway, place),
      atEnd: async (place) => {
        if (this.#isOver) return false
        this.#isAtTip = tip.join(this, place)
        if (this.#isAtTip) return false
        // Another gateway sent it changes that this gateway has not read yet.
        if (tip.place && !isReached(tip.place, place)) await tip.moved(AHEAD_MS, signal)
        return true
      },
    })
    for (;;) {
      const { done, value } = await walk.next()
      if (done) return value
      this.#tell(value)
      await sink.taken()
      if (this.#isOver) return null
    }
  }

  #tell({ changes, place }: WalkStep): void {
    this.#place = place
    const told = changes.flatMap((change): ToldChange[] => {
      const telling = tellingFor(change.changed, this.query)
      return telling ? [{ ...change, telling }] : []
    })
    const unknown = this.#unknownOf(told)
    if (unknown.length > 0) this.#send(eventsOf(this.query, unknown), this.#now())
  }

  #send(events: readonly Uint8Array[], now: number): boolean {
    if (events.length === 0) return true
    this.#sentAt = now
    return this.#options.sink.send(events)
  }

  #now(): number {
    return this.#options.feed.gateway.clock.monotonic()
  }

  #unknownOf(told: readonly ToldChange[]): readonly ToldChange[] {
    return this.#seqs.size === 0 ? told : told.filter((change) => !this.#isKnown(change))
  }

  /** Is the change in the snapshot already? */
  #isKnown({ changed: { change } }: ToldChange): boolean {
    const seq = this.#seqs.get(change.orderId)
    return seq !== undefined && change.seq <= seq
  }
}

/** The last event of a stream. */
export function resyncEvent(reason: ResyncReason): Buffer {
  const data: StreamEnd = { reason }
  return eventBody('resync-required', JSON.stringify(data))
}
