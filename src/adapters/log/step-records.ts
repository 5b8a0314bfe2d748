import type { NewRecord, WorkerOutput } from '../../ports/log/event-log.ts'
import { LOG_SCHEMA, type SnapshotRecord, TOPICS } from '../../schemas/log.ts'

/** The key of a partition's own snapshot, among the snapshots of its orders. */
export const partitionKey = (partition: number): string => `partition ${partition}`

/** A step's output as records of its partition: the snapshots after the lifecycle. */
export const recordsOf = (partition: number, output: WorkerOutput): NewRecord[] => [
  ...lifecycleRecords(partition, output),
  ...snapshotRecords(partition, output.snapshots),
  ...deadLetters(partition, output),
]

export const lifecycleRecords = (
  partition: number,
  { lifecycle }: Pick<WorkerOutput, 'lifecycle'>,
): NewRecord[] =>
  lifecycle.map((value) => ({ topic: TOPICS.lifecycle, partition, key: value.orderId, value }))

export const snapshotRecords = (
  partition: number,
  snapshots: readonly SnapshotRecord[],
): NewRecord[] =>
  snapshots.map((value) => ({
    topic: TOPICS.snapshots,
    partition,
    key: snapshotKey(partition, value),
    value,
  }))

/**
 * A watermark is shown after all changes of its commit, also those it made itself. Where offsets
 * have holes, only the written changes say where the lifecycle ends.
 */
export const withEnd = (snapshot: SnapshotRecord, lifecycleEnd: number): SnapshotRecord =>
  snapshot.kind === 'partition' ? { ...snapshot, lifecycleEnd } : snapshot

export const snapshotKey = (partition: number, value: SnapshotRecord): string =>
  value.kind === 'order' ? value.order.id : partitionKey(partition)

export const deadLetters = (partition: number, { dead }: Pick<WorkerOutput, 'dead'>): NewRecord[] =>
  dead.map(({ record: { offset, value }, reason }) => ({
    topic: TOPICS.dead,
    partition,
    key: String(offset),
    value: { schema: LOG_SCHEMA, kind: 'dead', offset, reason, value },
  }))
