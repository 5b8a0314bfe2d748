import type { SnapshotRecord } from '../../schemas/log.ts'
import type { Snapshots } from './event-log.ts'

/**
 * The latest snapshots of the partitions that a process owns, kept near it: a copy that can always
 * be refilled from the log. Its content is never newer than `position` says.
 */
export interface SnapshotStore {
  of(partition: number): Snapshots
  /** How far the copy of a partition goes; null if there is none. */
  position(partition: number): SnapshotPosition | null
  /** Applies what one commit wrote, with the position after it: all or none. */
  apply(
    partition: number,
    snapshots: readonly SnapshotRecord[],
    position: SnapshotPosition,
  ): Promise<void>
  /**
   * Applies many snapshots in key order, each part at once, without a position. Until it ends, orders
   * may not be found by their outputs: the position is that of no log meanwhile. Rejects with the
   * signal's reason, and writes nothing after it.
   */
  restore(
    partition: number,
    parts: Iterable<readonly SnapshotRecord[]>,
    signal: AbortSignal,
  ): Promise<void>
  /** Forgets a partition. */
  clear(partition: number): Promise<void>
}

/** No log has this id: a copy with it is part of one, and is cleared before it is used. */
export const NO_LOG = ''

export interface SnapshotPosition {
  /** The log that this is a copy of: it must not be used with another one. */
  logId: string
  /** The offset of the snapshots topic up to which the copy goes. */
  snapshots: number
  /** The inbox offset from which processing resumes. */
  inbox: number
  /** The offset after the partition's last lifecycle record. */
  lifecycleEnd: number
}
