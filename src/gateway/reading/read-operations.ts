import type { EventLog } from '../../ports/log/event-log.ts'
import type { RecordBrowser } from '../../ports/log/record-browser.ts'
import type { OrderViews, PartitionFreshness } from '../../ports/views/order-views.ts'
import type { Clock } from '../../runtime/clock.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import type {
  BuildInfo,
  FeedStatus,
  LogRates,
  OperationsReport,
  PartitionProgress,
  ProcessFacts,
  SetAsideRecord,
} from '../../schemas/operations.ts'
import { lagOf, type ReadersOfLog } from '../../streams/progress/partition-lag.ts'
import { readSetAside } from '../../streams/progress/set-aside.ts'

export interface OperationsSources extends ReadersOfLog {
  build: BuildInfo
  process: () => Promise<ProcessFacts>
  browser: RecordBrowser
  clock: Pick<Clock, 'now'>
  views: Pick<OrderViews, 'position' | 'freshness'>
  /** Null: another process reads the feeds. */
  feeds: (() => readonly FeedStatus[]) | null
}

const RATED_MS = 60_000

/** Letters read of each partition: what a log full of them costs is bounded. */
const NEWEST = 50

/**
 * How far each partition, each feed and the dead letters are, asked just now.
 *
 * @throws StorageUnavailableError
 */
export async function readOperations(
  sources: OperationsSources,
): Promise<Omit<OperationsReport, 'acts'>> {
  const { build, log, views, feeds } = sources
  const partitions = Array.from({ length: log.partitions }, (_, partition) => partition)
  const freshness = await views.freshness()
  const [progress, letters, process, rates] = await Promise.all([
    Promise.all(partitions.map((partition) => lagOf(sources, partition))),
    Promise.all(partitions.map((partition) => newestLetters(log, partition))),
    sources.process(),
    logRates(sources),
  ])
  return {
    ...{ build, process, rates },
    partitions: progress.map((lag) => ({
      ...lag,
      watermark: watermarkOf(freshness.get(lag.partition)),
    })),
    feeds: feeds === null ? null : [...feeds()],
    deadLetters: letters.flat(),
  }
}

async function logRates({
  browser,
  clock,
}: Pick<OperationsSources, 'browser' | 'clock'>): Promise<LogRates> {
  const rateOf = async (topic: Topic): Promise<number> => {
    const before = await browser.offsetsAt(topic, clock.now() - RATED_MS)
    const ranges = await browser.ranges(topic)
    const added = ranges.map(({ partition, end }) => end - (before[partition] ?? end))
    return added.reduce((sum, one) => sum + Math.max(0, one), 0) / (RATED_MS / 1_000)
  }
  const [inboxPerSecond, lifecyclePerSecond] = await Promise.all([
    rateOf(TOPICS.inbox),
    rateOf(TOPICS.lifecycle),
  ])
  return { inboxPerSecond, lifecyclePerSecond }
}

function watermarkOf(freshness: PartitionFreshness | undefined): PartitionProgress['watermark'] {
  if (!freshness) return null
  const { at, tip, index, indexStatus } = freshness.watermark
  return { at, tipHeight: tip.height, indexHeight: index?.height ?? null, indexStatus }
}

async function newestLetters(
  log: Pick<EventLog, 'end' | 'stored'>,
  partition: number,
): Promise<SetAsideRecord[]> {
  const from = Math.max(0, (await log.end(TOPICS.dead, partition)) - NEWEST)
  const letters = await readSetAside(log, partition, from)
  return letters.map(({ place, reasons, retried }) => ({
    ...place,
    reasons,
    retriedAt: retried?.at ?? null,
  }))
}
