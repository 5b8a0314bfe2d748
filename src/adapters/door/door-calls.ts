import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BoundStatistic } from '../../domain/statistics/statistics.ts'
import type { EventLog, NewRecord, Stored } from '../../ports/log/event-log.ts'
import type { IngestStore } from '../../ports/log/ingest-store.ts'
import type { HistorySizes, TableSize, TopicSize } from '../../ports/log/sizes.ts'
import type { ActivityQuery, History, StoredRows } from '../../ports/views/history.ts'
import type { OrderViews, RebuildProgress } from '../../ports/views/order-views.ts'
import type {
  ExportedView,
  FileFormat,
  HistoryOrigin,
  StatisticPage,
  Statistics,
} from '../../ports/views/statistics.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LANES, type Lanes } from '../../runtime/lanes.ts'
import { timeSlice } from '../../runtime/time-slice.ts'
import type { Topic } from '../../schemas/log.ts'

/** What a running service lends to commands beside it. */
export interface DoorParts {
  /** The address of its API. */
  api: string
  log: Pick<EventLog, 'id' | 'partitions' | 'append' | 'end' | 'consumed' | 'read' | 'stored'>
  ingestStore: Pick<IngestStore, 'mempool'>
  views: Pick<OrderViews, 'position'>
  history: Pick<History, 'record' | 'activity' | 'position' | 'summary' | 'probe'> & HistorySizes
  statistics: Statistics
  /** One question to the history at a time that reads a lot. */
  lanes: Lanes
  topicSizes(since: number): Promise<TopicSize[]>
  tableSizes(): Promise<TableSize[]>
  rebuildViews(onProgress: (step: RebuildProgress) => void, signal: AbortSignal): Promise<boolean>
  bundleOf(orderId: string, signal: AbortSignal): Promise<string>
  clock: Clock
}

/** Bytes of a file in one line, before they are text. */
const PIECE_BYTES = 2 ** 18
/** Milliseconds of work between two turns of the event loop, which the service's clients share. */
const SLICE_MS = 2

/** Questions with one answer: values of JSON both ways. */
export const callsOf = ({ log, views, history, statistics, lanes, ...parts }: DoorParts) => {
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => lanes.run(LANES.later, ask)
  return {
    service: async () => ({ id: log.id, partitions: log.partitions, api: parts.api }),
    append: (_: AbortSignal, records: readonly NewRecord[]) => log.append(records),
    end: (_: AbortSignal, topic: Topic, partition: number) => log.end(topic, partition),
    consumed: (_: AbortSignal, partition: number) => log.consumed(partition),
    topicSizes: (_: AbortSignal, since: number) => parts.topicSizes(since),
    tableSizes: () => parts.tableSizes(),
    viewed: (_: AbortSignal, partition: number) => views.position(partition),
    record: (_: AbortSignal, rows: readonly StoredRows[]) => history.record(rows),
    activity: (_: AbortSignal, query: ActivityQuery) => history.activity(query),
    recorded: (_: AbortSignal, partition: number) => history.position(partition),
    probe: () => history.probe(),
    historySizes: () => history.sizes(),
    rows: (_: AbortSignal, question: BoundStatistic, page: StatisticPage) =>
      inTurn(() => statistics.rows(question, page)),
    file: (_: AbortSignal, question: BoundStatistic, format: FileFormat, limit: number) =>
      inTurn(async () => {
        const { bytes, isWhole } = await statistics.file(question, format, limit)
        return { base64: bytes.toString('base64'), isWhole }
      }),
    origin: (_: AbortSignal, known: HistoryOrigin | null) => inTurn(() => statistics.origin(known)),
    days: (_: AbortSignal, view: ExportedView) =>
      inTurn(async () => [...(await statistics.days(view))]),
    bundle: (signal: AbortSignal, orderId: string) => parts.bundleOf(orderId, signal),
  }
}

/** Questions with an answer of any length, which is read as fast as it is taken. */
export const streamsOf = ({
  log,
  ingestStore,
  history,
  statistics,
  lanes,
  clock,
  ...parts
}: DoorParts) => ({
  read: (signal: AbortSignal, topic: Topic, partition: number, from: number) =>
    placed(log.read(topic, partition, from, signal), clock),
  stored: (_: AbortSignal, topic: Topic, partition: number, from: number, until?: number) =>
    placed(log.stored(topic, partition, from, until), clock),
  mempool: () => ingestStore.mempool(),
  summary: () => history.summary(),
  rebuildViews: (signal: AbortSignal) =>
    followed<RebuildProgress, boolean>((onProgress) => parts.rebuildViews(onProgress, signal)),
  day: (_: AbortSignal, view: ExportedView, day: string) =>
    pieces((path) => lanes.run(LANES.later, () => statistics.exportDay(view, day, path))),
})

/** Records with their places, one by one; the event loop runs in between. */
async function* placed(
  batches: AsyncIterable<readonly Stored<unknown>[]>,
  clock: Clock,
): AsyncGenerator<Pick<Stored<unknown>, 'partition' | 'offset' | 'value'>> {
  const slice = timeSlice(clock, SLICE_MS)
  for await (const batch of batches) {
    for (const { partition, offset, value } of batch) {
      yield { partition, offset, value }
      if (slice.isOver()) await slice.next()
    }
  }
}

/** The steps of a task, the latest if they come faster than they are taken, and last its result. */
async function* followed<Step, T>(
  task: (onProgress: (step: Step) => void) => Promise<T>,
): AsyncGenerator<{ step: Step } | { result: T }> {
  let latest: Step | null = null
  let hasEnded = false
  let wake = () => {}
  const result = task((step) => {
    latest = step
    wake()
  }).finally(() => {
    hasEnded = true
    wake()
  })
  // It is awaited below, after the steps.
  result.catch(() => undefined)
  while (!hasEnded) {
    const step: Step | null = latest
    latest = null
    if (step) yield { step }
    else
      await new Promise<void>((resolve) => {
        wake = resolve
        if (hasEnded || latest) resolve()
      })
  }
  yield { result: await result }
}

/** The bytes of a file that `write` makes, as text; the file is removed. */
async function* pieces(write: (path: string) => Promise<void>): AsyncGenerator<string> {
  const folder = await mkdtemp(join(tmpdir(), 'market-export-'))
  try {
    const path = join(folder, 'file')
    await write(path)
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }))
      yield (piece as Buffer).toString('base64')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
