import { timeSlice } from '../../runtime/time-slice.ts'
import { Waiters } from '../../runtime/waiters.ts'
import type { StreamHeartbeat } from '../../schemas/api/stream.ts'
import type { ReaderPlace, RecentChanges } from '../../streams/activity/recent-changes.ts'
import { type Latest, watchLatest } from '../../streams/operators/watch-latest.ts'
import type { Gateway } from '../gateway.ts'
import {
  isReached,
  type PlacedChange,
  type ResyncReason,
  type WalkStep,
  walkChanges,
} from './change-walk.ts'
import { type ChangedOrders, type ToldAs, tellingFor } from './changed-orders.ts'
import { eventBody, idLine, KEEP_ALIVE } from './event-frames.ts'
import { idAt, type StreamQuery, signedPlace } from './stream-query.ts'

/** A change for a query. */
export interface ToldChange extends PlacedChange {
  telling: ToldAs
}

/** The changes of a step of the tip for one query. */
export interface ToldStep {
  /** When the step is sent, milliseconds, monotonic. */
  at: number
  changes: readonly ToldChange[]
  /** The events of all changes, for streams that want every one. */
  events: readonly Buffer[]
}

/** A stream, as the tip sees it. */
export interface TipStream {
  readonly query: StreamQuery
  /** Sends a step; the stream then is at the tip, or leaves it. */
  push(step: ToldStep): void
  /**
   * Checks the connection; sends the heartbeat, if one is due. `own`: the place of a stream that is
   * not at the tip. `now`: milliseconds, monotonic.
   */
  attend(now: number, heartbeat: (own: ReaderPlace | null) => readonly Buffer[]): void
  /** The tip has ended: `reason` for the client, or the error. */
  end(ended: TipEnd): void
}

export type TipEnd = { reason: ResyncReason } | { failure: unknown }

export interface TipOptions {
  gateway: Pick<Gateway, 'log' | 'changes' | 'cursors' | 'clock'>
  changed: ChangedOrders
  /** How often the connections of all streams are checked, milliseconds. */
  attendMs: number
  signal: AbortSignal
}

/** Changes that come within this time are sent together, milliseconds. */
const GATHER_MS = 50
const LONGEST_REST_MS = 60_000
/** Work between two turns of the event loop, milliseconds. */
const SLICE_MS = 2

/** The streams at the tip with one query. */
interface Audience {
  query: StreamQuery
  /** Each stream with the number of the last step before it joined. */
  streams: Map<TipStream, number>
}

/**
 * Walks the changes as they come, once for all streams of a gateway: each change is read once, and
 * its event made once. A query only filters. Events are pushed to the streams at the tip.
 */
export class ChangeTip {
  readonly latest: Latest<RecentChanges>
  readonly #gateway: Pick<Gateway, 'log' | 'cursors' | 'clock'>
  readonly #changed: ChangedOrders
  readonly #signal: AbortSignal
  readonly #streams = new Set<TipStream>()
  readonly #audiences = new Map<string, Audience>()
  readonly #waiters = new Waiters()
  /** The number of the step that is being sent, or was sent last. */
  #step = 0
  #isTelling = false
  #place: ReaderPlace | null = null
  /** No change from this place on is missed: the views have all changes before it. */
  #begin: ReaderPlace | null = null
  #ended: TipEnd | null = null
  #signed: { place: ReaderPlace; text: string } | null = null

  constructor({ gateway, changed, attendMs, signal }: TipOptions) {
    this.#gateway = gateway
    this.#changed = changed
    this.#signal = signal
    this.latest = watchLatest(gateway.changes, gateway.clock, signal)
    this.#run().then(
      (reason) => reason && this.#end({ reason }),
      (failure: unknown) => this.#end({ failure }),
    )
    void this.#attend(attendMs)
  }

  /**
   * The place of the tip; null until the views have all changes from before the tip began. Every
   * change before this place is in the views.
   */
  get place(): ReaderPlace | null {
    const isBegun = this.#place && this.#begin && isReached(this.#place, this.#begin)
    return isBegun ? this.#place : null
  }

  get ended(): TipEnd | null {
    return this.#ended
  }

  /**
   * Resolves when all changes known now are sent, at the end of the tip, after `ms`, or at the
   * abort.
   */
  async caughtUp(ms: number, signal: AbortSignal): Promise<void> {
    const until = this.#gateway.clock.monotonic() + ms
    let goal: ReaderPlace | null = null
    for (;;) {
      goal ??= this.latest.value?.place ?? null
      if (goal && this.place && isReached(this.place, goal)) return
      const leftMs = until - this.#gateway.clock.monotonic()
      if (leftMs <= 0 || signal.aborted || this.#ended) return
      await this.moved(leftMs, signal)
    }
  }

  /** Resolves at the next step, at the end of the tip, after `ms`, or at the abort. */
  async moved(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#ended) return
    await this.#waiters.within(this.#gateway.clock, ms, signal)
  }

  /** A stream begins: its connection is checked until it leaves. */
  add(stream: TipStream): void {
    this.#streams.add(stream)
    if (this.#ended) stream.end(this.#ended)
  }

  remove(stream: TipStream): void {
    this.#streams.delete(stream)
    this.leave(stream)
  }

  /**
   * Joins a stream that was sent everything before this place; false: the tip is at another place.
   */
  join(stream: TipStream, place: ReaderPlace): boolean {
    const tip = this.place
    if (!tip || !isReached(tip, place) || !isReached(place, tip)) return false
    const { query } = stream
    const audience = this.#audiences.get(query.tag) ?? { query, streams: new Map() }
    this.#audiences.set(query.tag, audience)
    audience.streams.set(stream, this.#step)
    return true
  }

  /** The stream leaves the tip: nothing is pushed to it any more. */
  leave(stream: TipStream): void {
    const { tag } = stream.query
    const audience = this.#audiences.get(tag)
    audience?.streams.delete(stream)
    if (audience?.streams.size === 0) this.#audiences.delete(tag)
  }

  async #run(): Promise<ResyncReason | null> {
    const { latest } = this
    const { clock } = this.#gateway
    while (!latest.value && !this.#signal.aborted) await latest.changed(LONGEST_REST_MS)
    const recent = latest.value
    if (!recent) return null
    this.#begin = recent.place
    const walk = walkChanges({
      ...{ clock, signal: this.#signal },
      from: recent.lastPlace,
      target: () => ({ recent: latest.value ?? recent, to: (latest.value ?? recent).place }),
      concerns: () => true,
      read: (changes) => Promise.all(changes.map((change) => this.#changed.of(change))),
      signed: (place) => signedPlace(this.#gateway, place),
      atEnd: async (place) => {
        // Where nothing has changed yet, no step says so.
        this.#place ??= place
        this.#waiters.tell()
        await latest.changed(LONGEST_REST_MS)
        await clock.sleep(GATHER_MS, this.#signal)
        return true
      },
    })
    for (;;) {
      const { done, value } = await walk.next()
      if (done) return value
      await this.#tell(value)
    }
  }

  async #tell({ changes, place }: WalkStep): Promise<void> {
    this.#step += 1
    this.#place = place
    this.#waiters.tell()
    if (changes.length === 0) return
    const number = this.#step
    const { clock } = this.#gateway
    const slice = timeSlice(clock, SLICE_MS)
    const at = clock.monotonic()
    this.#isTelling = true
    for (const audience of [...this.#audiences.values()]) {
      const step = stepFor(changes, audience, at)
      if (slice.isOver()) await slice.next()
      if (!step) continue
      for (const [stream, joined] of [...audience.streams]) {
        // A stream that joined meanwhile has this step already.
        if (joined < number) stream.push(step)
        if (slice.isOver()) await slice.next()
      }
    }
    this.#isTelling = false
  }

  /** One timer for all streams: heartbeats, and clients that do not read. */
  async #attend(everyMs: number): Promise<void> {
    const { clock } = this.#gateway
    while (!this.#signal.aborted) {
      await clock.sleep(everyMs, this.#signal)
      this.#changed.forget()
      const now = clock.monotonic()
      const data: StreamHeartbeat = { at: new Date(clock.now()).toISOString() }
      const body = eventBody('heartbeat', JSON.stringify(data))
      const slice = timeSlice(clock, SLICE_MS)
      for (const stream of [...this.#streams]) {
        stream.attend(now, (own) => this.#heartbeat(stream, own, body))
        if (slice.isOver()) await slice.next()
      }
    }
  }

  #heartbeat(stream: TipStream, own: ReaderPlace | null, body: Buffer): readonly Buffer[] {
    // While a step is being sent, some changes before the tip's place are not sent yet.
    const place = own ?? (this.#isTelling ? null : this.#place)
    return place ? [idLine(idAt(stream.query, this.#signedOnce(place))), body] : [KEEP_ALIVE]
  }

  /** The place is the same for all streams at the tip. */
  #signedOnce(place: ReaderPlace): string {
    if (this.#signed?.place !== place) {
      this.#signed = { place, text: signedPlace(this.#gateway, place) }
    }
    return this.#signed.text
  }

  #end(ended: TipEnd): void {
    this.#ended = ended
    for (const stream of [...this.#streams]) stream.end(ended)
    this.#waiters.tell()
  }
}

/** The changes that a query lists; null: none. */
function stepFor(
  changes: readonly PlacedChange[],
  { query, streams }: Audience,
  at: number,
): ToldStep | null {
  const told = changes.flatMap((change): ToldChange[] => {
    const telling = tellingFor(change.changed, query)
    return telling ? [{ ...change, telling }] : []
  })
  if (told.length === 0) return null
  const events = eventsOf(query, told)
  // Many streams share one joined text; for a single stream, joining costs more than it saves.
  return { at, changes: told, events: streams.size > 1 ? [Buffer.concat(events)] : events }
}

/** The events of changes: the id differs by query, the rest is the same for all queries. */
export const eventsOf = (query: StreamQuery, told: readonly ToldChange[]): Buffer[] =>
  told.flatMap(({ changed, signed, telling }) => [
    idLine(idAt(query, signed())),
    changed.body(telling),
  ])
