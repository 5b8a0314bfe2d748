import { awaitsFunding, type Due, dueAt, duesOf } from '../domain/order/due.ts'
import { fundingNames, readTouched } from '../domain/order/touched.ts'
import type { Watermark } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { OrderId } from '../schemas/scalars.ts'

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

type SortKey = Pick<WaitingOrder, 'id' | 'checkedAt'>

const isEarlier = (a: SortKey, b: SortKey): boolean =>
  a.checkedAt < b.checkedAt || (a.checkedAt === b.checkedAt && a.id < b.id)

interface WatchedBid {
  names: readonly number[]
  /** The tip that its verdict was given at. */
  height: number
}

/**
 * The bids of a partition by the outputs that pay for them. News of those outputs goes to other
 * partitions: here each watermark brings it, as names (ADR 58).
 */
class BidFunding {
  readonly #bids = new Map<OrderId, WatchedBid>()
  readonly #named = new Map<number, Set<OrderId>>()

  /** Must be called on every change of an order. */
  put(order: OrderRecord): void {
    if (awaitsFunding(order)) this.#watch(order)
    else this.#forget(order.id)
  }

  /** Ids of the bids whose funding this watermark names, or whose verdict rests on a lost block. */
  touched({ touched, forkHeight = Infinity }: Watermark): Set<OrderId> {
    const names = readTouched(touched)
    if (names === 'all') return new Set(this.#bids.keys())
    const ids = new Set<OrderId>()
    for (const name of names) for (const id of this.#at(name)) ids.add(id)
    if (forkHeight === Infinity) return ids
    for (const [id, { height }] of this.#bids) if (height > forkHeight) ids.add(id)
    return ids
  }

  #watch(order: OrderRecord): void {
    const known = this.#bids.get(order.id)
    // What a bid spends is part of its id.
    const names = known?.names ?? fundingNames(order.kept.offer)
    this.#bids.set(order.id, { names, height: order.anchor?.tip.height ?? Infinity })
    if (known) return
    for (const name of names) this.#named.set(name, this.#at(name).add(order.id))
  }

  #at(name: number): Set<OrderId> {
    return this.#named.get(name) ?? new Set()
  }

  #forget(id: OrderId): void {
    for (const name of this.#bids.get(id)?.names ?? []) {
      const ids = this.#at(name)
      ids.delete(id)
      if (ids.size === 0) this.#named.delete(name)
    }
    this.#bids.delete(id)
  }
}
