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
  const failure = (part: string) => ({
    onFailure: ({ projection, error, retryInMs }: ProjectionFailure) =>
      report(part, error, 'projection failed, retrying', { projection, retryInMs }),
  })
  supervise('views', context, (signal) =>
    projectViews({ log, views, clock, ...failure('views') }, signal),
  )
  supervise('history', context, (signal) =>
    projectHistory({ log, history, clock, ...failure('history') }, signal),
  )
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
