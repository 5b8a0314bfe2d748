import { Allowances, type Rate } from '../../runtime/token-bucket.ts'

export interface FairQueueLimits {
  /** Per publisher: items beyond it wait. */
  rate: Rate
  /** Total size of all waiting items. */
  maxSize: number
  /** When the queue is full, a publisher with more waiting items than this loses one. */
  share: number
}

/** An item from a publisher, and what it costs to keep. */
export interface Said {
  publisher: string
  size: number
}

/** Items of many publishers, served round-robin; each publisher has its own budget. */
export class FairQueue<T extends Said> {
  readonly #limits: FairQueueLimits
  readonly #allowances: Allowances
  /** Waiting items of each publisher, oldest first; publishers in round-robin order. */
  readonly #queues = new Map<string, T[]>()
  #size = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
    this.#allowances = new Allowances(limits.rate)
  }

  get isFull(): boolean {
    return this.#size >= this.#limits.maxSize
  }

  push(item: T): void {
    const queue = this.#queues.get(item.publisher)
    if (queue) queue.push(item)
    else this.#queues.set(item.publisher, [item])
    this.#size += item.size
  }

  /**
   * Drops the oldest item of the publisher with most waiting; null if none has more than a share.
   */
  shed(): T | null {
    let largest: T[] = []
    for (const queue of this.#queues.values()) if (queue.length > largest.length) largest = queue
    return largest.length > this.#limits.share ? this.#take(largest) : null
  }

  /** The next item whose publisher is within its rate; that publisher then goes to the back. */
  next(now: number): T | null {
    for (const [publisher, queue] of this.#queues) {
      if (this.#allowances.waitMs(publisher, now) > 0) continue
      this.#queues.delete(publisher)
      this.#queues.set(publisher, queue)
      return this.#take(queue)
    }
    return null
  }

  /** Charges the publisher for one processed item. */
  spend(publisher: string, now: number): void {
    this.#allowances.spend(publisher, now)
  }

  /** Milliseconds until there is a next item, unless more arrive; infinite while nothing waits. */
  waitMs(now: number): number {
    let least = Number.POSITIVE_INFINITY
    for (const publisher of this.#queues.keys()) {
      least = Math.min(least, this.#allowances.waitMs(publisher, now))
    }
    return least
  }

  #take(queue: T[]): T | null {
    const item = queue.shift()
    if (!item) return null
    if (queue.length === 0) this.#queues.delete(item.publisher)
    this.#size -= item.size
    return item
  }
}
