import { Allowances, type Rate } from '../ports/budget.ts'

export interface FairQueueLimits {
  /** Of one publisher: who has more to say waits with that. */
  rate: Rate
  /** Of all that waits. */
  maxSize: number
  /** A publisher of whom more waits makes room in a queue that is full. */
  share: number
}

/** Something that a publisher said, with what it costs to keep. */
export interface Said {
  publisher: string
  size: number
}

/** What many publishers said: they take turns, and each has a budget of its own. */
export class FairQueue<T extends Said> {
  readonly #limits: FairQueueLimits
  readonly #allowances: Allowances
  /** What waits of each publisher, the oldest first; whose turn is next stands first. */
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

  /** Gives up the oldest of the publisher of whom most waits; null: nobody has more than a share. */
  shed(): T | null {
    let largest: T[] = []
    for (const lane of this.#lanes.values()) if (lane.length > largest.length) largest = lane
    return largest.length > this.#limits.share ? this.#take(largest) : null
  }

  /** The next whose publisher may; that one is then the last to have its turn again. */
  next(now: number): T | null {
    for (const [publisher, lane] of this.#lanes) {
      if (this.#allowances.waitMs(publisher, now) > 0) continue
      this.#lanes.delete(publisher)
      this.#lanes.set(publisher, lane)
      return this.#take(lane)
    }
    return null
  }

  /** One of the publisher was worked on. */
  spend(publisher: string, now: number): void {
    this.#allowances.spend(publisher, now)
  }

  /** Milliseconds until there is a next one, unless more is said; infinite while nothing waits. */
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
