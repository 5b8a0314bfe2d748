import { UnavailableError } from '../../ports/base-errors.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { History } from '../../ports/views/history.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import type { PartitionProgress, ReaderPosition } from '../../schemas/operations.ts'

export type PartitionLag = Omit<PartitionProgress, 'watermark'>

/** The readers whose places are read. */
export interface ReadersOfLog {
  log: Pick<EventLog, 'partitions' | 'consumed' | 'end' | 'stored'>
  views: Pick<OrderViews, 'position'>
  history: Pick<History, 'position'>
}

/** Beyond this many offsets, the records among them are not counted one by one. */
const COUNTED_OFFSETS = 200

/** How far the readers of the log are behind one of its partitions. */
export async function lagOf(
  { log, views, history }: ReadersOfLog,
  partition: number,
): Promise<PartitionLag> {
  const behind = async (
    topic: Topic,
    at: number | null,
    counts?: (value: unknown) => boolean,
  ): Promise<ReaderPosition> => {
    const end = await log.end(topic, partition)
    const place = { topic, partition, at: at ?? 0, end }
    return { at, end, left: at === null ? null : await leftOf(log, place, counts) }
  }
  return {
    partition,
    actors: await behind(TOPICS.inbox, await log.consumed(partition)),
    views: await behind(TOPICS.lifecycle, await views.position(partition).catch(unlessAway)),
    // The history stores rows only for changes.
    history: await behind(
      TOPICS.lifecycle,
      await history.position(partition).catch(unlessAway),
      isChange,
    ),
  }
}

/**
 * Offsets include what no reader sees, such as Kafka's control records: near the end, records are
 * counted.
 */
async function leftOf(
  log: Pick<EventLog, 'stored'>,
  { topic, partition, at, end }: { topic: Topic; partition: number; at: number; end: number },
  counts: (value: unknown) => boolean = () => true,
): Promise<number> {
  if (end - at > COUNTED_OFFSETS || end <= at) return Math.max(0, end - at)
  let left = 0
  for await (const batch of log.stored(topic, partition, at)) {
    left += batch.filter(({ value }) => counts(value)).length
  }
  return left
}

const isChange = (value: unknown): boolean =>
  !(typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'outcome')

function unlessAway(error: unknown): null {
  if (error instanceof UnavailableError) return null
  throw error
}
