import type { OpenWorker, PartitionState } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Metrics, PartitionFigure } from './metrics.ts'

/**
 * Workers whose partitions report `market_partition_behind_seconds`: the age of the last watermark
 * that they consumed. One that stays behind the others is blocked by one of its records.
 */
export function withPartitionsBehind(metrics: Metrics, clock: Clock, open: OpenWorker): OpenWorker {
  const owned = new Map<number, PartitionState>()
  metrics.watchPartitions(
    'market_partition_behind_seconds',
    'Age of the last covering watermark consumed by the order actors of a partition.',
    () => [...owned.values()].flatMap((state) => behind(state, clock.now())),
  )
  return async (state) => {
    const worker = await open(state)
    const setAside = worker.setAside?.bind(worker)
    owned.set(state.partition, state)
    return {
      step: (batch) => worker.step(batch),
      ...(setAside && { setAside }),
      committed: () => worker.committed(),
      close: async () => {
        if (owned.get(state.partition) === state) owned.delete(state.partition)
        await worker.close()
      },
    }
  }
}

function behind({ partition, snapshots }: PartitionState, now: number): PartitionFigure[] {
  const at = snapshots.partitionSnapshot()?.watermark?.at
  return at === undefined ? [] : [[partition, Math.max(0, now - Date.parse(at)) / 1_000]]
}
