import type { EventLog } from '../../ports/log/event-log.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import { TOPICS } from '../../schemas/log.ts'
import { lastAnswer } from './last-answer.ts'
import type { Metrics, PartitionFigure } from './metrics.ts'

/**
 * Reports by how many records of the log the views are behind, by partition: no value while log or
 * views give no answer.
 */
export function meterViewsLag(
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
