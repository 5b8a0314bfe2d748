import type { ActivityEntry } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** A change of an order to report to clients, with its place in the lifecycle log. */
export interface RecentChange {
  partition: number
  offset: number
  orderId: OrderId
  seq: number
  /** RFC 3339 in UTC. */
  observedAt: string
  /** The transition; null for a change that left the state as it was. */
  entry: ActivityEntry | null
  /** A verification that left everything as it was, but for when that was: what is known of before. */
  renewal?: ChangeTimes
}

/** Times of an order's changes; null: not known. */
export interface ChangeTimes {
  /** When it changed last. */
  changed: string | null
  /**
   * About when the order was verified last; a verification that was not noted as a change counts.
   */
  verified: string | null
}

/** A reader's position: for each partition, the lifecycle offset of what comes next. */
export type ReaderPlace = readonly number[]

/** Changes of one partition, and the offset at which to continue. */
export interface NextChanges {
  changes: readonly RecentChange[]
  next: number
}

interface PartitionChanges {
  /** Every change from this offset on is here. */
  from: number
  /** The offset after the last record read. */
  next: number
  changes: RecentChange[]
  /** When the orders of these changes changed last. */
  times: Map<OrderId, ChangeTimes>
}

/**
 * The newest changes of every partition, the same number of each. Offsets are offsets of the log,
 * so a place found in one process can be continued in another.
 */
export class RecentChanges {
  readonly #partitions: readonly PartitionChanges[]
  readonly #mostOfPartition: number

  /** `begins`: the offsets from which records will be added. */
  constructor(begins: ReaderPlace, mostOfPartition: number) {
    this.#partitions = begins.map((from) => ({
      ...{ from, next: from },
      ...{ changes: [], times: new Map() },
    }))
    this.#mostOfPartition = mostOfPartition
  }

  /** The records of a partition below `next` have been read; these are the changes among them. */
  add(partition: number, next: number, changes: readonly RecentChange[]): void {
    const own = this.#of(partition)
    own.next = Math.max(own.next, next)
    for (const change of changes) own.changes.push(withTimes(change, own.times))
    // Up to twice the number is held before any is dropped: each drop moves all that remain.
    if (own.changes.length < 2 * this.#mostOfPartition) return
    const dropped = own.changes.splice(0, own.changes.length - this.#mostOfPartition)
    own.from = (dropped.at(-1)?.offset ?? own.from) + 1
    for (const { orderId, observedAt } of dropped) {
      if (own.times.get(orderId)?.changed === observedAt) own.times.delete(orderId)
    }
  }

  /** The end of what has been read. */
  get place(): ReaderPlace {
    return this.#partitions.map(({ next }) => next)
  }

  /** Before the last change of each partition; where there is none, at the end. */
  get lastPlace(): ReaderPlace {
    return this.#partitions.map(({ changes, next }) => changes.at(-1)?.offset ?? next)
  }

  /** Whether every change from this place on is still here, or is yet to be read. */
  reaches(place: ReaderPlace): boolean {
    return this.#partitions.every(({ from }, partition) => (place[partition] ?? 0) >= from)
  }

  /**
   * The next changes of one partition from an offset on, and the offset of what comes after them.
   * Null if they are no longer here.
   */
  ofPartition(partition: number, from: number, most: number): NextChanges | null {
    const own = this.#of(partition)
    if (from < own.from) return null
    const at = firstFrom(own.changes, from)
    const changes = own.changes.slice(at, at + most)
    const last = changes.at(-1)
    const isAll = changes.length < most
    return { changes, next: isAll || !last ? Math.max(from, own.next) : last.offset + 1 }
  }

  /**
   * The next changes from a place on, before another one: in the order of the log within a
   * partition, by their times between partitions.
   */
  between(place: ReaderPlace, to: ReaderPlace, most: number): RecentChange[] {
    const heads = this.#partitions.map(({ changes }, partition) => ({
      changes,
      at: firstFrom(changes, place[partition] ?? 0),
      end: firstFrom(changes, to[partition] ?? 0),
    }))
    const found: RecentChange[] = []
    while (found.length < most) {
      const waiting = heads.filter(({ at, end }) => at < end)
      const [first, ...others] = waiting
      if (!first) break
      const oldest = others.reduce((a, b) => (timeAt(b) < timeAt(a) ? b : a), first)
      const change = oldest.changes[oldest.at]
      if (change) found.push(change)
      oldest.at += 1
    }
    return found
  }

  #of(partition: number): PartitionChanges {
    const own = this.#partitions[partition]
    if (!own) throw new Error(`there is no partition ${partition}`)
    return own
  }
}

/** The change, with the order's times before it where they matter; notes its own in `times`. */
export function withTimes(change: RecentChange, times: Map<OrderId, ChangeTimes>): RecentChange {
  const { orderId, observedAt, entry, renewal } = change
  const before = times.get(orderId) ?? UNKNOWN_TIMES
  const isNote = entry === null && !renewal
  times.set(orderId, {
    changed: observedAt,
    verified: isNote ? before.verified : observedAt,
  })
  return renewal ? { ...change, renewal: before } : change
}

export const UNKNOWN_TIMES: ChangeTimes = { changed: null, verified: null }

const timeAt = ({ changes, at }: { changes: readonly RecentChange[]; at: number }): string =>
  changes[at]?.observedAt ?? ''

/** The index of the first change at an offset or after it. */
function firstFrom(changes: readonly RecentChange[], offset: number): number {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((changes[middle]?.offset ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}
