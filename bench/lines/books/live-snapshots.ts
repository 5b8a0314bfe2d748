import type { EmbeddedSnapshotStore } from '../../../src/adapters/embedded/log/snapshot-store.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import { LOG_SCHEMA, type SnapshotRecord } from '../../../src/schemas/log.ts'
import { liveOrders } from './live-orders.ts'

const WRITTEN_AT_ONCE = 500

/** The position that each partition's copies are written with. */
const POSITION = { logId: 'bench', snapshots: 1, inbox: 1, lifecycleEnd: 1 }

/** Writes the snapshots of so many LIVE orders, each in its partition. */
export async function writeLiveSnapshots(
  copies: Pick<EmbeddedSnapshotStore, 'apply'>,
  orders: number,
  partitions: number,
): Promise<void> {
  const waiting = new Map<number, SnapshotRecord[]>()
  for (const order of liveOrders(orders)) {
    const partition = partitionOf(order.outpoint, partitions)
    const snapshots = waiting.get(partition) ?? []
    waiting.set(partition, snapshots)
    snapshots.push({ schema: LOG_SCHEMA, kind: 'order', order })
    if (snapshots.length < WRITTEN_AT_ONCE) continue
    waiting.delete(partition)
    await copies.apply(partition, snapshots, POSITION)
  }
  for (const [partition, snapshots] of waiting) await copies.apply(partition, snapshots, POSITION)
}
