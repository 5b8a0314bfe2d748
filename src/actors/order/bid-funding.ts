import { awaitsFunding } from '../../domain/order/due.ts'
import { fundingNames, readTouched } from '../../domain/order/touched.ts'
import type { Watermark } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'

interface WatchedBid {
  names: readonly number[]
  /** The tip that its verdict was given at. */
  height: number
}

/**
 * The bids of a partition by the outputs that pay for them. News of those outputs goes to other
 * partitions: here each watermark brings it, as names (ADR 58).
 */
export class BidFunding {
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
