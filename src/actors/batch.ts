import type { WorkerOutput } from '../ports/event-log.ts'
import {
  type LifecycleRecord,
  LOG_SCHEMA,
  type OutcomeRecord,
  type PartitionSnapshot,
  type SnapshotRecord,
} from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { Question } from './question.ts'

/** What the steps of one batch made; it becomes visible with the batch's offset or not at all. */
export class Batch {
  readonly lifecycle: LifecycleRecord[] = []
  readonly dead: WorkerOutput['dead'][number][] = []
  readonly orders = new Map<string, OrderRecord>()
  readonly questions = new Map<string, Question>()
  readonly #made = new Map<string, string[]>()

  add(
    order: OrderRecord,
    change: LifecycleRecord | null,
    outcomes: readonly OutcomeRecord[],
  ): void {
    this.orders.set(order.id, order)
    if (change) this.lifecycle.push(change)
    this.lifecycle.push(...outcomes)
  }

  madeAt(outpoint: string, orderId: string): void {
    this.#made.set(outpoint, [...this.idsAt(outpoint), orderId])
  }

  idsAt(outpoint: string): readonly string[] {
    return this.#made.get(outpoint) ?? []
  }

  output(partition: PartitionSnapshot | null): WorkerOutput {
    const snapshots: SnapshotRecord[] = [...this.orders.values()].map((order) => ({
      schema: LOG_SCHEMA,
      kind: 'order',
      order,
    }))
    if (partition) snapshots.push(partition)
    return { lifecycle: this.lifecycle, snapshots, dead: this.dead }
  }
}
