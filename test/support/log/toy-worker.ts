import { foldOrder } from '../../../src/domain/order/fold-order.ts'
import type { InboxWorker, OpenWorker, WorkerOutput } from '../../../src/ports/log/event-log.ts'
import { type ChangeRecord, LOG_SCHEMA, type SnapshotRecord } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderId } from '../../../src/schemas/scalars.ts'
import { toOrderId } from '../ids.ts'
import { dice, orderOf } from '../orders/order-book.ts'
import { changeBetween, mutated, partitionSnapshotOf } from '../orders/order-changes.ts'

/**
 * An inbox record of the toy: moves one of the partition's orders, in a way derived from its
 * offset.
 */
export interface ToyCommand {
  order: number
}

/**
 * The simplest worker that still does what the real one does: one change for each record, chained
 * to the order's last, with the order's snapshot and the partition's own.
 */
export const openToyWorker: OpenWorker = async ({ partition, snapshots, lifecycleEnd }) => {
  const worker: InboxWorker = {
    step: async (batch): Promise<WorkerOutput> => {
      const changes: ChangeRecord[] = []
      const orders = new Map<string, OrderRecord>()
      for (const { offset, value } of batch) {
        const first = orderOf(dice(1_000 * partition + (value as ToyCommand).order), offset)
        const id = toyId(partition, (value as ToyCommand).order)
        const before = orders.get(id) ?? snapshots.order(id)?.order ?? null
        const after = before ? mutated(dice(offset), before) : { ...first, id }
        const cause = { partition, offset, kind: 'toy' }
        const change = changeBetween(before, after, cause)
        changes.push(change)
        orders.set(id, foldOrder(before, change))
      }
      const all: SnapshotRecord[] = [...orders.values()].map((order) => ({
        schema: LOG_SCHEMA,
        kind: 'order',
        order,
      }))
      const end = lifecycleEnd() + changes.length
      const last = batch.at(-1)?.offset ?? 0
      all.push(partitionSnapshotOf(partition, last, end))
      return { lifecycle: changes, snapshots: all, dead: [] }
    },
    committed() {},
    close: async () => {},
  }
  return worker
}

export const toyId = (partition: number, order: number): OrderId =>
  toOrderId(`${partition.toString(16)}${order.toString(16).padStart(3, '0')}`.padEnd(64, '0'))
