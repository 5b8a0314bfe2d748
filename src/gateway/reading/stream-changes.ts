import { z } from 'zod'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type {
  RESYNC_REASONS,
  StreamEnd,
  StreamHeartbeat,
  StreamRequest,
  StreamSnapshot,
} from '../../schemas/api/stream.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type {
  ReaderPlace,
  RecentChange,
  RecentChanges,
} from '../../streams/activity/recent-changes.ts'
import { type Latest, watchLatest } from '../../streams/operators/watch-latest.ts'
import type { Gateway } from '../gateway.ts'
import { RefusalError } from '../refusal.ts'
import { type ChangedOrders, textFor } from './changed-orders.ts'
import { listFilters } from './list-orders.ts'
import { listPage } from './list-page.ts'
import { findOrder } from './read-order.ts'
import { type AskedFilters, asOf, freshnessTerms, summarise } from './summarise.ts'

/** One event; `data` is JSON. */
export interface StreamEvent {
  event: 'snapshot' | 'change' | 'heartbeat' | 'resync-required'
  /**
   * The position at which a client that has received it resumes. Absent: it cannot resume there.
   */
  id?: string
  data: string
}

/** Events that can be sent together. */
export type StreamEvents = AsyncGenerator<readonly StreamEvent[], void>

/** Changes per step: between two steps the event loop is free. */
const STEP = 50
/** Changes that come within this time are sent together, milliseconds. */
const GATHER_MS = 50
const HEARTBEAT_MS = 10_000
/** How long the views may take to reach a change of the log, milliseconds. */
const LATE_MS = 30_000
const LATE_POLL_MS = 50
/** How long the first reading of the log may take, milliseconds. */
const OPENING_MS = 5_000

/** What one stream follows. */
interface Followed {
  gateway: Gateway
  changed: ChangedOrders
  latest: Latest<RecentChanges>
  signal: AbortSignal
  /** The query that its cursors are bound to. */
  query: string
  isConcerned(change: RecentChange): boolean
  filters: AskedFilters | null
}

/**
 * The changes of the orders that match: from the last event received on, or from a snapshot on.
 * Each change is sent once, those of one order in their order, whichever gateway continues the
 * stream. Ends at the abort, or with `resync-required`.
 *
 * @throws RefusalError INVALID_CURSOR, ORDER_NOT_FOUND, VALIDATION_FAILED
 * @throws StorageUnavailableError if the log or the views cannot be read
 */
export async function streamChanges(
  gateway: Gateway,
  changed: ChangedOrders,
  request: StreamRequest & { lastEventId?: string | undefined },
  signal: AbortSignal,
): Promise<StreamEvents> {
  const { lastEventId, orderId, ...listed } = request
  const { limit } = listed
  const cursor = lastEventId ?? listed.cursor
  const { ...filters } = listFilters(gateway, listed)
  refuseBoth(orderId, filters)
  const query = JSON.stringify(['changes', orderId ?? Object.entries(filters).sort()])
  const place =
    cursor === undefined ? null : gateway.cursors.decode(query, cursor, placeOf(gateway))
  const followed: Followed = {
    gateway,
    changed,
    latest: watchLatest(gateway.changes, signal),
    signal,
    query,
    isConcerned: (change) => orderId === undefined || change.orderId === orderId,
    filters: orderId === undefined ? filters : null,
  }
  const recent = await firstOf(followed)
  if (place) {
    const isOfThisLog = await isWithin(gateway, recent, place)
    return isOfThisLog ? follow(followed, place, new Map()) : endOf('other_log')
  }
  const from = recent.place
  const { snapshot, seqs } =
    orderId === undefined
      ? await snapshotOf(gateway, filters, limit)
      : await snapshotOfOrder(gateway, orderId)
  return begin(followed, snapshot, from, seqs)
}

/** `orderId` excludes other filters. */
export function refuseBoth(orderId: OrderId | undefined, filters: AskedFilters): void {
  const { includeWithdrawn, ...others } = filters
  if (orderId === undefined || (Object.keys(others).length === 0 && !includeWithdrawn)) return
  throw new RefusalError('VALIDATION_FAILED', 'orderId: excludes other filters')
}

const placeOf = ({ log }: Gateway) => z.array(z.int().nonnegative()).length(log.partitions)

async function firstOf({ latest }: Followed): Promise<RecentChanges> {
  if (latest.value === null) await latest.changed(OPENING_MS)
  if (latest.value) return latest.value
  throw new StorageUnavailableError('io', 'the log cannot be read')
}

/** A place that another gateway has reached may be ahead of this one, but not of the log. */
async function isWithin({ log }: Gateway, recent: RecentChanges, place: ReaderPlace) {
  const ahead = recent.place.flatMap((next, partition) =>
    (place[partition] ?? 0) > next ? [partition] : [],
  )
  const ends = await Promise.all(ahead.map((partition) => log.end(TOPICS.lifecycle, partition)))
  return ahead.every((partition, at) => (place[partition] ?? 0) <= (ends[at] ?? 0))
}

interface Snapshot {
  snapshot: StreamSnapshot
  /** The number of the last change in each of its orders. */
  seqs: Map<string, number>
}

async function snapshotOf(
  gateway: Gateway,
  filters: AskedFilters,
  limit: number,
): Promise<Snapshot> {
  const seqs = new Map<string, number>()
  const moment = freshnessTerms(gateway)
  const shown = (stored: StoredOrder): OrderSummary => {
    seqs.set(stored.order.id, stored.order.seq)
    return summarise(gateway, stored, moment).summary
  }
  const query = { ...asOf(moment, filters), sort: 'newest', limit } as const
  const page = await listPage(gateway, query, shown)
  const { orders, total, next } = page
  return { snapshot: { orders, total, hasMore: next !== null }, seqs }
}

async function snapshotOfOrder(gateway: Gateway, orderId: OrderId): Promise<Snapshot> {
  const stored = await findOrder(gateway, orderId)
  const orders = [summarise(gateway, stored).summary]
  const seqs = new Map([[orderId, stored.order.seq]])
  return { snapshot: { orders, total: 1, hasMore: false }, seqs }
}

async function* begin(
  followed: Followed,
  snapshot: StreamSnapshot,
  from: ReaderPlace,
  seqs: Map<string, number>,
): StreamEvents {
  yield [{ event: 'snapshot', id: idAt(followed, from), data: JSON.stringify(snapshot) }]
  yield* follow(followed, from, seqs)
}

async function* endOf(reason: (typeof RESYNC_REASONS)[number]): StreamEvents {
  const data: StreamEnd = { reason }
  yield [{ event: 'resync-required', data: JSON.stringify(data) }]
}

/** `seqs`: changes up to these are in the snapshot already. */
async function* follow(
  followed: Followed,
  from: ReaderPlace,
  seqs: ReadonlyMap<string, number>,
): StreamEvents {
  const { gateway, latest, signal } = followed
  const { clock } = gateway
  let place = from
  let sentAt = clock.monotonic()
  let lateSince: number | null = null
  while (!signal.aborted) {
    const recent = latest.value
    if (!recent?.reaches(place)) return yield* endOf('too_old')
    const step = await stepFrom(followed, recent, place, seqs)
    place = step.place
    if (step.events.length > 0) {
      yield step.events
      sentAt = clock.monotonic()
    }
    lateSince = step.isLate ? (lateSince ?? clock.monotonic()) : null
    if (lateSince !== null && clock.monotonic() - lateSince > LATE_MS) {
      return yield* endOf('views_behind')
    }
    const restMs = sentAt + HEARTBEAT_MS - clock.monotonic()
    if (restMs <= 0) {
      const data: StreamHeartbeat = { at: new Date(clock.now()).toISOString() }
      yield [{ event: 'heartbeat', id: idAt(followed, place), data: JSON.stringify(data) }]
      sentAt = clock.monotonic()
    } else if (step.isLate) await clock.sleep(LATE_POLL_MS, signal)
    else if (step.hasMore) await clock.turn()
    else {
      await latest.changed(restMs)
      await clock.sleep(GATHER_MS, signal)
    }
  }
}

interface Step {
  events: StreamEvent[]
  place: ReaderPlace
  /** The views have not reached the next change. */
  isLate: boolean
  hasMore: boolean
}

async function stepFrom(
  followed: Followed,
  recent: RecentChanges,
  from: ReaderPlace,
  seqs: ReadonlyMap<string, number>,
): Promise<Step> {
  const { changed, isConcerned, filters } = followed
  const read = recent.place
  const changes = recent.after(from, STEP)
  const place = [...from]
  const events: StreamEvent[] = []
  for (const change of changes) {
    const { partition, offset, orderId, seq } = change
    if (isConcerned(change) && seq > (seqs.get(orderId) ?? 0)) {
      const told = await changed.of(change)
      if (!told) return { events, place, isLate: true, hasMore: true }
      place[partition] = offset + 1
      const data = textFor(told, filters)
      if (data !== null) events.push({ event: 'change', id: idAt(followed, place), data })
    } else place[partition] = offset + 1
  }
  const hasMore = changes.length === STEP
  const reached = hasMore ? place : place.map((next, at) => Math.max(next, read[at] ?? 0))
  return { events, place: reached, isLate: false, hasMore }
}

const idAt = ({ gateway, query }: Followed, place: ReaderPlace): string =>
  gateway.cursors.encode(query, place)
