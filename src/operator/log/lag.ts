import type { EventLog } from '../../ports/log/event-log.ts'
import { UnavailableError } from '../../ports/runtime/base-errors.ts'
import type { History } from '../../ports/views/history.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import { openReadModels } from '../../roles/open/open-read-models.ts'
import type { Config } from '../../schemas/config/config.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import { partitionsOf, withKeptLog } from './open-kept.ts'

/** A reader's position. `left`: records still to be read; null if it is unavailable. */
export interface Reader {
  at: number | null
  end: number
  left: number | null
}

export interface PartitionLag {
  partition: number
  /** The order actors, reading the inbox. */
  actors: Reader
  /** The views and the history, reading the lifecycle. */
  views: Reader
  history: Reader
}

/** Beyond this many offsets, the records among them are not counted one by one. */
const COUNTED_OFFSETS = 200

/** How far its readers are behind the log, partition by partition. */
export const lag = (config: Config): Promise<PartitionLag[]> =>
  withKeptLog(config, async ({ context, local, log }) => {
    const { views, history } = await openReadModels(context, local, 'read')
    return await Promise.all(
      partitionsOf(log).map((partition) => lagOf({ log, views, history }, partition)),
    )
  })

async function lagOf(
  { log, views, history }: { log: EventLog; views: OrderViews; history: History },
  partition: number,
): Promise<PartitionLag> {
  const behind = async (topic: Topic, at: number | null, counts?: (value: unknown) => boolean) => {
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
  log: EventLog,
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

/** A table: records left, and the position of each reader. */
export function lagTable(lags: readonly PartitionLag[]): string[] {
  const cell = ({ at, end, left }: Reader) =>
    left === null ? 'unavailable' : left === 0 ? '0' : `${left} (${at} of ${end})`
  const row = (...cells: string[]) =>
    cells
      .map((text) => text.padEnd(24))
      .join('')
      .trimEnd()
  const total = (reader: (lag: PartitionLag) => Reader) =>
    lags.some((one) => reader(one).left === null)
      ? 'unavailable'
      : String(lags.reduce((sum, one) => sum + (reader(one).left ?? 0), 0))
  return [
    row('partition', 'actors', 'views', 'history'),
    ...lags.map((one) =>
      row(String(one.partition), cell(one.actors), cell(one.views), cell(one.history)),
    ),
    row(
      'all',
      total((one) => one.actors),
      total((one) => one.views),
      total((one) => one.history),
    ),
  ]
}
