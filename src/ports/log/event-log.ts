import type { InboxRecord, LifecycleRecord, SnapshotRecord, Topic } from '../../schemas/log.ts'
import type { OrderId, OutpointText } from '../../schemas/scalars.ts'

/** A record with its place. Offsets grow by at least one; they may have holes. */
export interface Stored<T> {
  partition: number
  offset: number
  value: T
  /**
   * The key of a spend or an output in the inbox, which names the output. Known without reading
   * `value`, which a log may parse only when it is read.
   */
  newsOf?: string | undefined
}

export interface NewRecord {
  topic: Topic
  partition: number
  key: string
  value: unknown
  /** What `JSON.stringify` makes of the value, where its maker has it faster: for logs of text. */
  text?: () => string
}

/**
 * The durable log (docs/log.md). A record that `append` acknowledged is never lost; a batch of
 * inbox records and everything computed from it become visible together or not at all.
 */
export interface EventLog {
  /** New each time an empty log is created: offsets of one log say nothing of another. */
  readonly id: string
  /** Fixed when the topics are made; the partition of an outpoint is `partitionOf` (domain). */
  readonly partitions: number
  /** All or none, durable when it resolves. */
  append(records: readonly NewRecord[]): Promise<void>
  /** Records from an offset on, then new ones, in ordered batches, until the signal aborts. */
  read(
    topic: Topic,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly Stored<unknown>[]>
  /** The current records of a partition, from an offset on, below `until`, in ordered batches. */
  stored(
    topic: Topic,
    partition: number,
    from: number,
    until?: number,
  ): AsyncIterable<readonly Stored<unknown>[]>
  /** The offset that the next record of the partition will have, at least. */
  end(topic: Topic, partition: number): Promise<number>
  /**
   * The inbox offset from which a partition's processing resumes: everything below it has had its
   * effects.
   */
  consumed(partition: number): Promise<number>
  /**
   * Consumes the inbox exactly once until the signal aborts: for each partition assigned, opens a
   * worker, gives it batches from the last committed offset, and commits its output with the
   * offset. The offset of steps without output is committed later: they are repeated after a crash.
   * A worker is closed when its partition is lost or a commit failed, and reopened.
   */
  processInbox(open: OpenWorker, signal: AbortSignal): Promise<void>
}

export type OpenWorker = (partition: PartitionState) => Promise<InboxWorker>

/** What a worker may read of its partition while it owns it: always at the last commit. */
export interface PartitionState {
  partition: number
  snapshots: Snapshots
  /** Inbox records were deleted before they were consumed: their content is unknown. */
  hasGap?: boolean
  /** The end of the partition's lifecycle: the offset its next record will have, at least. */
  lifecycleEnd(): number
}

export interface InboxWorker {
  /** One step over a batch: pure except for reads of `Snapshots`. `value` is not yet parsed. */
  step(batch: readonly Stored<unknown>[]): Promise<WorkerOutput>
  /** Replaces a step over a record whose effects no log accepts. Absent: only a dead letter. */
  setAside?(record: Stored<unknown>, reason: string): Promise<WorkerOutput>
  /** Called after the output of `step` was committed, or was empty: effects may run now. */
  committed(): void
  close(): Promise<void>
}

export interface WorkerOutput {
  lifecycle: readonly LifecycleRecord[]
  snapshots: readonly SnapshotRecord[]
  /** Records that could not be understood, for the dead letters. */
  dead: readonly { record: Stored<unknown>; reason: string }[]
  /**
   * How many records of the batch this consumes: the rest come again after the commit, and the
   * first of them may have had part of its effects. Absent: all.
   */
  taken?: number
  /** To be committed with the position of a step that has no other effect. */
  owed?: readonly SnapshotRecord[]
}

/** The latest snapshots of one partition. Synchronous: held by the process that owns it. */
export interface Snapshots {
  order(orderId: OrderId): Extract<SnapshotRecord, { kind: 'order' }> | undefined
  /** Ids of the orders whose offered output this is. */
  ordersAt(outpoint: OutpointText): readonly OrderId[]
  /** Sorted outputs of open orders after `after`; one of several orders may be there repeatedly. */
  watched(after: OutpointText | null, limit: number): readonly OutpointText[]
  partitionSnapshot(): Extract<SnapshotRecord, { kind: 'partition' }> | undefined
  /** Ids of orders with a pending question or waiting for more than news of their own output. */
  unsettled(): Iterable<OrderId>
  /** Ids of orders whose output or spend is in a block above this height. */
  above(height: number): Iterable<OrderId>
  /** Sorted ids of LIVE orders after `after`, up to and including `upTo`: for the sweep. */
  live(after: string | null, limit: number, upTo?: string): readonly OrderId[]
  /** Sorted ids of orders neither LIVE nor closed, after `after`. */
  others(after: string | null, limit: number): readonly OrderId[]
}

export type { InboxRecord }
