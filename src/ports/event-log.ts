import type { InboxRecord, LifecycleRecord, SnapshotRecord, Topic } from '../schemas/log.ts'

/** A record with its place. Offsets grow by at least one; they may have holes. */
export interface Stored<T> {
  partition: number
  offset: number
  value: T
}

export interface NewRecord {
  topic: Topic
  partition: number
  key: string
  value: unknown
}

/**
 * The durable log (design: "The log"). What `append` has acknowledged is never lost; a batch of
 * inbox records and all that was computed from it become visible together or not at all.
 */
export interface EventLog {
  /** Fixed when the topics are made; the partition of an outpoint is `partitionOf` (domain). */
  readonly partitions: number
  /** All or none, durable when it resolves. */
  append(records: readonly NewRecord[]): Promise<void>
  /** From an offset on, then what comes, in batches in order, until the signal aborts. */
  read(
    topic: Topic,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly Stored<unknown>[]>
  /** What stands in a partition now, from an offset on, in batches in order. */
  stored(topic: Topic, partition: number, from: number): AsyncIterable<readonly Stored<unknown>[]>
  /** The offset that the next record of the partition will have, at least. */
  end(topic: Topic, partition: number): Promise<number>
  /** The inbox offset of a partition from which processing goes on: all below it has had its effects. */
  consumed(partition: number): Promise<number>
  /**
   * Consumes the inbox exactly once until the signal aborts: for each partition assigned, opens a
   * worker, gives it batches from the last committed offset, and commits what it returns with the
   * offset. A worker is closed when its partition is lost or a commit failed, and opened anew.
   */
  processInbox(open: OpenWorker, signal: AbortSignal): Promise<void>
}

export type OpenWorker = (partition: PartitionState) => Promise<InboxWorker>

/** What a worker may read of its partition while it owns it. Always as of the last commit. */
export interface PartitionState {
  partition: number
  snapshots: Snapshots
  /** Inbox records were deleted before they were consumed: what they told is not known. */
  hasGap?: boolean
  /** Where the partition's lifecycle ends: the offset that its next record will have, at least. */
  lifecycleEnd(): number
}

export interface InboxWorker {
  /** One step over a batch: pure but for reads of `Snapshots`. `value` is not yet parsed. */
  step(batch: readonly Stored<unknown>[]): Promise<WorkerOutput>
  /** In place of a step over a record whose effects no log takes. Absent: a dead letter is all. */
  setAside?(record: Stored<unknown>, reason: string): Promise<WorkerOutput>
  /** Called after the output of `step` was committed: effects may run now. */
  committed(): void
  close(): Promise<void>
}

export interface WorkerOutput {
  lifecycle: readonly LifecycleRecord[]
  snapshots: readonly SnapshotRecord[]
  /** Records that could not be understood, for the dead letters. */
  dead: readonly { record: Stored<unknown>; reason: string }[]
  /**
   * How many records of the batch this consumes: the others are given again after the commit, of
   * which the first may have had a part of its effects. Absent: all.
   */
  taken?: number
}

/** The latest snapshots of one partition. Synchronous: held by the process that owns it. */
export interface Snapshots {
  order(orderId: string): Extract<SnapshotRecord, { kind: 'order' }> | undefined
  /** Ids of the orders whose offered output this is. */
  ordersAt(outpoint: string): readonly string[]
  partitionSnapshot(): Extract<SnapshotRecord, { kind: 'partition' }> | undefined
  /** Ids of orders with a question out or an authority to wait for: what a new owner must resume. */
  unsettled(): Iterable<string>
  /** Ids of orders whose output or spend stands in a block above this height. */
  above(height: number): Iterable<string>
  /** Ids of LIVE orders in the order of their id, after one, up to and with another: for the sweep. */
  live(after: string | null, limit: number, upTo?: string): readonly string[]
  /** Ids of orders that are neither LIVE nor closed, in the order of their id, after one. */
  others(after: string | null, limit: number): readonly string[]
}

export type { InboxRecord }
