import { isUnsettled } from '../domain/order/due.ts'
import type { Snapshots } from '../ports/log/event-log.ts'
import type { OrderSnapshot, PartitionSnapshot, SnapshotRecord } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { OrderId, OutpointText } from '../schemas/scalars.ts'

/** In-memory snapshots of one partition: for a clean replay of its inputs, and for simulation. */
export class MemorySnapshots implements Snapshots {
  readonly #orders = new Map<OrderId, OrderSnapshot>()
  readonly #at = new Map<OutpointText, OrderId[]>()
  #partition: PartitionSnapshot | undefined

  /** Stores the snapshots of a committed batch. */
  put(snapshots: readonly SnapshotRecord[]): void {
    for (const snapshot of snapshots) {
      if (snapshot.kind === 'partition') this.#partition = snapshot
      else this.#putOrder(snapshot)
    }
  }

  order(orderId: OrderId): OrderSnapshot | undefined {
    return this.#orders.get(orderId)
  }

  ordersAt(outpoint: OutpointText): readonly OrderId[] {
    return (this.#at.get(outpoint) ?? []).filter((id) => this.#open(id))
  }

  watched(after: OutpointText | null, limit: number): readonly OutpointText[] {
    const open = [...this.#at].filter(([, ids]) => ids.some((id) => this.#open(id)))
    const outputs = open.map(([outpoint]) => outpoint).filter((one) => one > (after ?? ''))
    return outputs.sort().slice(0, limit)
  }

  partitionSnapshot(): PartitionSnapshot | undefined {
    return this.#partition
  }

  unsettled(): Iterable<OrderId> {
    return this.#idsOf(isUnsettled)
  }

  above(height: number): Iterable<OrderId> {
    return this.#idsOf(
      ({ outputBlock, spend }) =>
        (outputBlock?.height ?? 0) > height || (spend?.block?.height ?? 0) > height,
    )
  }

  live(after: string | null, limit: number, upTo?: string): readonly OrderId[] {
    return this.#sorted(
      ({ id, state }) =>
        state === 'LIVE' && id > (after ?? '') && (upTo === undefined || id <= upTo),
      limit,
    )
  }

  others(after: string | null, limit: number): readonly OrderId[] {
    return this.#sorted(({ id, state }) => state !== 'LIVE' && id > (after ?? ''), limit)
  }

  orders(): OrderRecord[] {
    return [...this.#orders.values()].map(({ order }) => order)
  }

  #putOrder(snapshot: OrderSnapshot): void {
    const { id, outpoint } = snapshot.order
    if (!this.#orders.has(id)) this.#at.set(outpoint, [...(this.#at.get(outpoint) ?? []), id])
    this.#orders.set(id, snapshot)
  }

  #open(id: OrderId): boolean {
    return this.#orders.get(id)?.order.closedAt === null
  }

  #sorted(wanted: (order: OrderRecord) => boolean, limit: number): OrderId[] {
    return this.#idsOf(wanted).sort().slice(0, limit)
  }

  #idsOf(wanted: (order: OrderRecord) => boolean): OrderId[] {
    return this.orders()
      .filter((order) => order.closedAt === null && wanted(order))
      .map(({ id }) => id)
  }
}
