import { AheadOfLogError } from '../../ports/log/ahead-of-log.ts'
import { ChainBreakError } from '../../ports/log/chain-break.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import { projectHistory } from '../../projections/project-history.ts'
import { projectViews } from '../../projections/project-views.ts'
import type { ProjectionFailure } from '../../projections/retry.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import { lastAnswer } from '../observe/last-answer.ts'
import type { Metrics, PartitionFigure } from '../observe/metrics.ts'
import type { ReadModels } from '../open/open-read-models.ts'

/** Folds the lifecycle into the views and the history until the closer ends. */
export function runProjector(
  context: RuntimeContext,
  { log, views, history }: { log: EventLog } & Pick<ReadModels, 'views' | 'history'>,
): void {
  const { clock, metrics, report } = context
  meterViewsLag(metrics, { log, views })
  const breaks = meterBreaks(metrics)
  const failure = (part: string) => ({
    onFailure: ({ projection, error, retryInMs }: ProjectionFailure) => {
      breaks.note(error)
      report(part, error, 'projection failed, retrying', { projection, retryInMs })
    },
  })
  supervise('views', context, (signal) =>
    projectViews({ log, views, clock, ...failure('views') }, signal),
  )
  supervise('history', context, (signal) =>
    projectHistory({ log, history, clock, ...failure('history') }, signal),
  )
}

/** Counts the changes at which a chain was found broken and the stores ahead of the log, each once. */
function meterBreaks(metrics: Metrics): { note(error: unknown): void } {
  const found = new Set<string>()
  metrics.watch(
    'market_chain_breaks',
    'Changes that do not follow the one before them in the log, and partitions of views and history that have ' +
      'followed more than it has, found since the start: must stay 0.',
    () => found.size,
  )
  return {
    note: (error) => {
      if (error instanceof ChainBreakError) found.add(`${error.orderId} ${error.seq}`)
      if (error instanceof AheadOfLogError) found.add(error.finding)
    },
  }
}

/**
 * Reports by how many records of the log the views are behind, by partition: no value while log or
 * views give no answer.
 */
function meterViewsLag(
  metrics: Metrics,
  {
    log,
    views,
  }: { log: Pick<EventLog, 'partitions' | 'end'>; views: Pick<OrderViews, 'position'> },
): void {
  const lagOf = async (partition: number): Promise<PartitionFigure> => {
    const end = await log.end(TOPICS.lifecycle, partition)
    return [partition, Math.max(0, end - (await views.position(partition)))]
  }
  const read = lastAnswer(() =>
    Promise.all(Array.from({ length: log.partitions }, (_, partition) => lagOf(partition))),
  )
  metrics.watchPartitions(
    'market_views_lag_records',
    'Records of the log that are not yet in the views, by partition.',
    () => read() ?? [],
  )
}
