import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import { BusyError } from '../../runtime/lanes.ts'
import type { StreamRequest, StreamSnapshot } from '../../schemas/api/stream.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type {
  ReaderPlace,
  RecentChange,
  RecentChanges,
} from '../../streams/activity/recent-changes.ts'
import type { Gateway } from '../gateway.ts'
import { findOrder } from '../order/read-order.ts'
import { type AskedFilters, asOf, freshnessTerms, summarise } from '../order/summarise.ts'
import { listPage, pageJson } from '../reading/list-page.ts'
import type { ChangeTip } from './change-tip.ts'
import type { ChangedOrder } from './changed-orders.ts'
import { eventBody, idLine, resumeAfter } from './event-frames.ts'
import type { StreamFeed } from './stream-feed.ts'
import { idAt, placeOfId, type StreamQuery, signedPlace, streamQuery } from './stream-query.ts'
import { resyncEvent, StreamReader, type StreamSink } from './stream-reader.ts'

/** How long a client waits before it resumes, milliseconds. */
const RETRY_MS = 1_000
/** How long the first read of the log, or of the views, may take, milliseconds. */
const OPENING_MS = 5_000
/** Milliseconds until a replay that was refused asks again. */
const TURNED_AWAY_MS = 1_000

/** The queues of a stream's reads. */
export interface StreamReads {
  snapshot: Queued
  /** Reads of orders for this stream alone. */
  replay: Queued
}
type Queued = <T>(work: () => Promise<T>) => Promise<T>

/** Resolves when the stream is over. */
export type BeginStream = (sink: StreamSink) => Promise<void>

/**
 * The changes of the orders that match: from the last event received on, or from a snapshot on.
 * Each change is sent once, the changes of one order in their order, whichever gateway continues
 * the stream. Ends at the abort, or with `resync-required`.
 *
 * @throws RefusalError INVALID_CURSOR, ORDER_NOT_FOUND, VALIDATION_FAILED
 * @throws StorageUnavailableError if the log or the views cannot be read
 * @throws BusyError
 */
export async function openStream(
  feed: StreamFeed,
  request: StreamRequest & { lastEventId?: string | undefined },
  reads: StreamReads,
  signal: AbortSignal,
): Promise<BeginStream> {
  const { gateway } = feed
  const { lastEventId, cursor: asked, limit, ...followed } = request
  const query = streamQuery(gateway, followed)
  const cursor = lastEventId ?? asked
  const resumed = cursor === undefined ? undefined : placeOfId(gateway, query, cursor)
  const tip = feed.join(signal)
  const recent = await firstOf(tip, signal)
  if (!recent) return endUnread
  const replay = (changes: readonly RecentChange[]) =>
    replayed(feed, changes, { replay: reads.replay, signal })
  const begin =
    (opening: Buffer[], from: ReaderPlace, seqs = new Map<OrderId, number>()): BeginStream =>
    (sink) => {
      const all = [resumeAfter(RETRY_MS), ...opening]
      const options = { feed, tip, query, sink, opening: all, from, seqs, replay, signal }
      return new StreamReader(options).run()
    }
  if (resumed === undefined) {
    const from = tip.place ?? recent.place
    const taken = await reads.snapshot(async () =>
      signal.aborted ? null : snapshotFor(gateway, query, limit),
    )
    if (!taken) return endUnread
    const { json, seqs } = taken
    const id = idLine(idAt(query, signedPlace(gateway, from)))
    return begin([id, eventBody('snapshot', json)], from, seqs)
  }
  const isOfThisLog = resumed !== null && (await isWithin(gateway, recent, resumed))
  return isOfThisLog ? begin([], resumed) : endAtOnce
}

const endAtOnce: BeginStream = async (sink) => {
  sink.send([resumeAfter(RETRY_MS), resyncEvent('other_log')])
  sink.end()
}

/** The client is gone, or the gateway ends: the client resumes at another gateway. */
const endUnread: BeginStream = async (sink) => sink.end()

/**
 * The place of the tip once it is at the end of the log: all changes before are in the views. Null
 * at the abort.
 */
async function firstOf(tip: ChangeTip, signal: AbortSignal): Promise<RecentChanges | null> {
  await tip.caughtUp(OPENING_MS, signal)
  if (signal.aborted) return null
  const { ended, place, latest } = tip
  if (ended && 'failure' in ended) throw ended.failure
  if (place && latest.value) return latest.value
  const what = latest.value ? 'the order views are behind the log' : 'the log cannot be read'
  throw new StorageUnavailableError('io', what)
}

/** A place that another gateway reached may be ahead of this gateway, but not of the log. */
async function isWithin({ log }: Pick<Gateway, 'log'>, recent: RecentChanges, place: ReaderPlace) {
  const ahead = recent.place.flatMap((next, partition) =>
    (place[partition] ?? 0) > next ? [partition] : [],
  )
  const ends = await Promise.all(ahead.map((partition) => log.end(TOPICS.lifecycle, partition)))
  return ahead.every((partition, at) => (place[partition] ?? 0) <= (ends[at] ?? 0))
}

const snapshotFor = (
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  { orderId, filters }: StreamQuery,
  limit: number,
) =>
  orderId === undefined ? snapshotOf(gateway, filters, limit) : snapshotOfOrder(gateway, orderId)

/** Reads the orders of changes that are no longer in memory; waits as long as no slot is free. */
async function replayed(
  { gateway, changed }: StreamFeed,
  changes: readonly RecentChange[],
  { replay, signal }: Pick<StreamReads, 'replay'> & { signal: AbortSignal },
): Promise<readonly (ChangedOrder | null)[]> {
  while (!signal.aborted) {
    try {
      return await replay(() => Promise.all(changes.map((change) => changed.of(change))))
    } catch (error) {
      if (!(error instanceof BusyError)) throw error
      await gateway.clock.sleep(TURNED_AWAY_MS, signal)
    }
  }
  return changes.map(() => null)
}

interface TakenSnapshot {
  /** The JSON of a `StreamSnapshot`. */
  json: string
  /** The number of the last change in each of its orders. */
  seqs: Map<OrderId, number>
}

/** The newest orders that the filters list. */
async function snapshotOf(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  filters: AskedFilters,
  limit: number,
): Promise<TakenSnapshot> {
  const seqs = new Map<OrderId, number>()
  const moment = freshnessTerms(gateway)
  const document = (stored: StoredOrder): OrderSummary => {
    noteSeq(stored, seqs)
    return summarise(gateway, stored, moment).summary
  }
  const query = { ...asOf(moment, filters), sort: 'newest', limit } as const
  const { bodies, total, next } = await listPage(gateway, query, { document })
  return { json: snapshotJson(bodies, { total, hasMore: next !== null }), seqs }
}

/**
 * One order.
 *
 * @throws RefusalError ORDER_NOT_FOUND
 */
async function snapshotOfOrder(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  orderId: OrderId,
): Promise<TakenSnapshot> {
  const stored = await findOrder(gateway, orderId)
  const body = Buffer.from(JSON.stringify(summarise(gateway, stored).summary))
  const seqs = new Map<OrderId, number>()
  noteSeq(stored, seqs)
  return { json: snapshotJson([body], { total: 1, hasMore: false }), seqs }
}

/** What the log tells of an order that is not proved begins with its first change there. */
function noteSeq(
  { order: { id, seq }, isUnproved }: StoredOrder,
  seqs: Map<OrderId, number>,
): void {
  if (!isUnproved) seqs.set(id, seq)
}

const snapshotJson = (bodies: readonly Buffer[], rest: Omit<StreamSnapshot, 'orders'>): string =>
  pageJson(bodies, rest).toString()
