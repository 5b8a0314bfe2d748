import { type Due, dueAt, duesOf } from '../domain/order/due.ts'
import type { Watermark } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { OrderId } from '../schemas/scalars.ts'
import { BidFunding } from './order/bid-funding.ts'

export interface WaitingOrder {
  id: OrderId
  dues: readonly Due[]
  checkedAt: string
}

export interface DueOrder {
  id: OrderId
  action: Due['action']
}

/** The orders of a partition that wait for more than news of their own output. */
export class WaitingOrders {
  readonly #waiting = new Map<OrderId, WaitingOrder>()
  readonly #bids = new BidFunding()

  get size(): number {
    return this.#waiting.size
  }

  /** Must be called on every change of an order. */
  put(order: OrderRecord): void {
    const { id, validation } = order
    this.#bids.put(order)
    const dues = duesOf(order)
    if (dues.length === 0) this.#waiting.delete(id)
    else this.#waiting.set(id, { id, dues, checkedAt: validation.checkedAt })
  }

  drop(id: OrderId): void {
    this.#waiting.delete(id)
  }

  /** Ids of the bids whose funding may have changed. */
  touched(watermark: Watermark): Set<OrderId> {
    return this.#bids.touched(watermark)
  }

  /**
   * Orders due now, at most `limit`, least recently checked first. The choice depends on the orders
   * alone, so that a replay wakes the same ones.
   */
  due(watermark: Watermark, limit: number): DueOrder[] {
    const isDue = dueAt(watermark)
    const first: (WaitingOrder & DueOrder)[] = []
    for (const waiting of this.#waiting.values()) {
      const last = first.at(-1)
      if (first.length >= limit && last && !isEarlier(waiting, last)) continue
      const due = waiting.dues.find(isDue)
      if (!due) continue
      const at = first.findIndex((other) => isEarlier(waiting, other))
      first.splice(at < 0 ? first.length : at, 0, { ...waiting, action: due.action })
      if (first.length > limit) first.pop()
    }
    return first.map(({ id, action }) => ({ id, action }))
  }
}

type Place = Pick<WaitingOrder, 'id' | 'checkedAt'>

const isEarlier = (a: Place, b: Place): boolean =>
  a.checkedAt < b.checkedAt || (a.checkedAt === b.checkedAt && a.id < b.id)
