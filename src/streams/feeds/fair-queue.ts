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

/** Items of many publishers, who take turns; each has its own budget. */
export class FairQueue<T extends Said> {
  readonly #limits: FairQueueLimits
  readonly #allowances: Allowances
  /** Waiting items of each publisher, oldest first; publishers in order of their turns. */
  readonly #lanes = new Map<string, T[]>()
  #size = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
    this.#allowances = new Allowances(limits.rate)
  }

  get isFull(): boolean {
    return this.#size >= this.#limits.maxSize
  }

  push(item: T): void {
    const lane = this.#lanes.get(item.publisher)
    if (lane) lane.push(item)
    else this.#lanes.set(item.publisher, [item])
    this.#size += item.size
  }

  /**
   * Drops the oldest item of the publisher with most waiting; null if none has more than a share.
   */
  shed(): T | null {
    let largest: T[] = []
    for (const lane of this.#lanes.values()) if (lane.length > largest.length) largest = lane
    return largest.length > this.#limits.share ? this.#take(largest) : null
  }

  /** The next item whose publisher is within its rate; that publisher then goes to the back. */
  next(now: number): T | null {
    for (const [publisher, lane] of this.#lanes) {
      if (this.#allowances.waitMs(publisher, now) > 0) continue
      this.#lanes.delete(publisher)
      this.#lanes.set(publisher, lane)
      return this.#take(lane)
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
    for (const publisher of this.#lanes.keys()) {
      least = Math.min(least, this.#allowances.waitMs(publisher, now))
    }
    return least
  }

  #take(lane: T[]): T | null {
    const item = lane.shift()
    if (!item) return null
    if (lane.length === 0) this.#lanes.delete(item.publisher)
    this.#size -= item.size
    return item
  }
}
