import { z } from 'zod'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type {
  StreamEnd,
  StreamHeartbeat,
  StreamRequest,
  StreamSnapshot,
} from '../../schemas/api/stream.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { ReaderPlace, RecentChanges } from '../../streams/activity/recent-changes.ts'
import type { Gateway } from '../gateway.ts'
import { listFilters } from '../reading/list-orders.ts'
import { listPage, pageJson } from '../reading/list-page.ts'
import { findOrder } from '../reading/read-order.ts'
import { type AskedFilters, asOf, freshnessTerms, summarise } from '../reading/summarise.ts'
import { RefusalError } from '../refusal.ts'
import type { ChangedOrders } from './changed-orders.ts'
import type { QueryFollower, QueryFollowers, ResyncReason } from './query-followers.ts'
import {
  type FollowedQuery,
  idAt,
  isReached,
  patienceWithViews,
  type StreamedChange,
  stepFrom,
} from './stream-steps.ts'

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

const HEARTBEAT_MS = 10_000
/** Until the views, or the follower, are checked again, milliseconds. */
const SHORT_REST_MS = 50
/** How long the first reading of the log may take, milliseconds. */
const OPENING_MS = 5_000

/** What all streams of a gateway share. */
export interface StreamSources {
  changed: ChangedOrders
  followers: QueryFollowers
}

/** One stream. */
interface Reader {
  followed: FollowedQuery
  follower: QueryFollower
  signal: AbortSignal
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
  { changed, followers }: StreamSources,
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
  const followed: FollowedQuery = { gateway, changed, query, orderId, filters }
  const reader: Reader = { followed, follower: followers.join(followed, signal), signal }
  const recent = await firstOf(reader)
  if (place) {
    const isOfThisLog = await isWithin(gateway, recent, place)
    return isOfThisLog ? follow(reader, place, new Map()) : endOf('other_log')
  }
  const from = recent.place
  const { snapshot, seqs } =
    orderId === undefined
      ? await snapshotOf(gateway, filters, limit)
      : await snapshotOfOrder(gateway, orderId)
  return begin(reader, snapshot, from, seqs)
}

/** `orderId` excludes other filters. */
export function refuseBoth(orderId: OrderId | undefined, filters: AskedFilters): void {
  const { includeWithdrawn, ...others } = filters
  if (orderId === undefined || (Object.keys(others).length === 0 && !includeWithdrawn)) return
  throw new RefusalError('VALIDATION_FAILED', 'orderId: excludes other filters')
}

const placeOf = ({ log }: Gateway) => z.array(z.int().nonnegative()).length(log.partitions)

async function firstOf({ follower, signal }: Reader): Promise<RecentChanges> {
  if (follower.mark === null) await follower.moved(OPENING_MS, signal)
  if (follower.mark && follower.latest.value) return follower.latest.value
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
  /** The JSON of a `StreamSnapshot`. */
  snapshot: string
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
  const document = (stored: StoredOrder): OrderSummary => {
    seqs.set(stored.order.id, stored.order.seq)
    return summarise(gateway, stored, moment).summary
  }
  const query = { ...asOf(moment, filters), sort: 'newest', limit } as const
  const { bodies, total, next } = await listPage(gateway, query, { document })
  return { snapshot: snapshotJson(bodies, { total, hasMore: next !== null }), seqs }
}

async function snapshotOfOrder(gateway: Gateway, orderId: OrderId): Promise<Snapshot> {
  const stored = await findOrder(gateway, orderId)
  const body = Buffer.from(JSON.stringify(summarise(gateway, stored).summary))
  const seqs = new Map([[orderId, stored.order.seq]])
  return { snapshot: snapshotJson([body], { total: 1, hasMore: false }), seqs }
}

const snapshotJson = (bodies: readonly Buffer[], rest: Omit<StreamSnapshot, 'orders'>): string =>
  pageJson(bodies, rest).toString()

async function* begin(
  reader: Reader,
  snapshot: string,
  from: ReaderPlace,
  seqs: Map<string, number>,
): StreamEvents {
  const id = idAt(reader.followed, from)
  yield [{ event: 'snapshot', id, data: snapshot }]
  yield* follow(reader, from, seqs)
}

async function* endOf(reason: ResyncReason): StreamEvents {
  const data: StreamEnd = { reason }
  yield [{ event: 'resync-required', data: JSON.stringify(data) }]
}

/** `seqs`: changes up to these are in the snapshot already. */
async function* follow(
  reader: Reader,
  from: ReaderPlace,
  seqs: ReadonlyMap<string, number>,
): StreamEvents {
  const { followed, follower, signal } = reader
  const { clock } = followed.gateway
  const isNew = ({ orderId, seq }: StreamedChange) => seq > (seqs.get(orderId) ?? 0)
  const steps = stepsOf(reader, from)
  let sentAt = clock.monotonic()
  while (!signal.aborted) {
    const { changes, place, rest, ended } = await steps()
    const events = seqs.size === 0 ? changes : changes.filter(isNew)
    if (events.length > 0) {
      yield events
      sentAt = clock.monotonic()
    }
    if (ended) return yield* endOf(ended)
    const restMs = sentAt + HEARTBEAT_MS - clock.monotonic()
    if (restMs <= 0) {
      const data: StreamHeartbeat = { at: new Date(clock.now()).toISOString() }
      yield [{ event: 'heartbeat', id: idAt(followed, place), data: JSON.stringify(data) }]
      sentAt = clock.monotonic()
    } else if (rest === 'until moved') await follower.moved(restMs, signal)
    else if (rest === 'short') await clock.sleep(SHORT_REST_MS, signal)
    else if (rest === 'turn') await clock.turn()
  }
}

interface Taken {
  changes: readonly StreamedChange[]
  place: ReaderPlace
  /** Before the next one is taken. */
  rest: 'until moved' | 'short' | 'turn' | null
  ended: ResyncReason | null
}

/** The steps of one stream: its own until it is where the follower is, then the follower's. */
function stepsOf({ followed, follower }: Reader, from: ReaderPlace): () => Taken | Promise<Taken> {
  const { clock } = followed.gateway
  let place = from
  /** How many steps of the follower were taken; null: the stream is elsewhere. */
  let taken: number | null = null
  const isTooLate = patienceWithViews(clock)

  const own = async (recent: RecentChanges, to: ReaderPlace): Promise<Taken> => {
    if (!recent.reaches(place)) return { changes: [], place, rest: null, ended: 'too_old' }
    const step = await stepFrom(followed, recent, { from: place, to })
    place = step.place
    const rest = step.isLate ? 'short' : step.hasMore ? 'turn' : null
    return { changes: step.changes, place, rest, ended: isTooLate(step) ? 'views_behind' : null }
  }
  return () => {
    const { mark, latest } = follower
    if (!mark || !latest.value) throw new Error('a stream was opened before its follower')
    const isBehind = isReached(mark.place, place)
    if (taken === null && isBehind && isReached(place, mark.place)) taken = mark.steps
    const changes = taken === null ? null : follower.after(taken)
    if (changes) {
      taken = mark.steps
      place = mark.place
      const isAll = changes.length === 0
      return {
        changes,
        place,
        rest: isAll ? 'until moved' : null,
        ended: isAll ? follower.ended : null,
      }
    }
    taken = null
    if (isBehind) return own(latest.value, mark.place)
    // The follower is about to come here.
    return { changes: [], place, rest: 'short', ended: follower.ended }
  }
}
