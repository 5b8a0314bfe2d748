import { sealChange } from '../../../src/domain/order/change-chain.ts'
import type { EventLog } from '../../../src/ports/log/event-log.ts'
import type { OrderViews } from '../../../src/ports/views/order-views.ts'
import { projectViews } from '../../../src/projections/project-views.ts'
import { type ChangeRecord, type LifecycleRecord, TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { changeBetween, settle } from '../orders/order-changes.ts'
import { systemClock as clock } from '../system-clock.ts'

/**
 * The lifecycle as actors write it, projected into the views concurrently; the test plays the
 * actors.
 */
export class LiveLifecycle {
  readonly #log: EventLog
  readonly #stop = new AbortController()
  readonly #orders = new Map<string, OrderRecord>()
  readonly #projected: Promise<void>
  /** Everything that was written, oldest first. */
  readonly changes: ChangeRecord[] = []

  constructor(log: EventLog, views: OrderViews) {
    this.#log = log
    this.#projected = projectViews({ log, views, clock }, this.#stop.signal)
  }

  /** Writes an order, or changes of its last version; `kind`: of the record. */
  async write(
    order: OrderRecord,
    changes: Partial<OrderRecord> = {},
    kind?: ChangeRecord['kind'],
  ): Promise<ChangeRecord> {
    const before = this.#orders.get(order.id) ?? null
    const after = { ...(before ?? order), ...changes }
    const { hash: _, ...change } = changeBetween(before, after)
    const record = sealChange({ ...change, kind: kind ?? change.kind })
    this.#orders.set(order.id, settle(after, record))
    this.changes.push(record)
    await this.append(this.partitionOf(order.id), record)
    return record
  }

  append(partition: number, value: LifecycleRecord): Promise<void> {
    return this.#log.append([{ topic: TOPICS.lifecycle, partition, key: value.orderId, value }])
  }

  partitionOf(orderId: string): number {
    return Number.parseInt(orderId.slice(0, 6), 16) % this.#log.partitions
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#projected
  }
}
