import type { ActivityEntry } from '../../schemas/order.ts'
import type { OrderId, Txid } from '../../schemas/scalars.ts'

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
  /** Authorities were asked. */
  isVerified: boolean
  /** A verification that left everything as it was, but for when that was: what is known of before. */
  renewal?: KnownBefore
  /** What spends the offered output now, if the change says so. */
  spender?: ChangedSpender
  /** What spent the offered output before and no longer does. */
  lostSpender?: Txid | 'unknown'
}

export interface ChangedSpender {
  /** Null: nothing. */
  now: Txid | null
  /** By its state before the change, something may have spent the output. */
  mayReplace: boolean
}

/** What is known of an order before a change. */
export interface KnownBefore {
  /** When it changed last; null: not known. */
  changed: string | null
  /**
   * About when the order was verified last; a verification that was not noted as a change counts.
   * Null: not known.
   */
  verified: string | null
  /** What spent its output; null: nothing; undefined: not known. */
  spender?: Txid | null | undefined
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
  /** What is known of the orders of these changes. */
  known: Map<OrderId, KnownBefore>
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
      ...{ changes: [], known: new Map() },
    }))
    this.#mostOfPartition = mostOfPartition
  }

  /** The records of a partition below `next` have been read; these are the changes among them. */
  add(partition: number, next: number, changes: readonly RecentChange[]): void {
    const own = this.#of(partition)
    own.next = Math.max(own.next, next)
    for (const change of changes) own.changes.push(withKnown(change, own.known))
    // Up to twice the number is held before any is dropped: each drop moves all that remain.
    if (own.changes.length < 2 * this.#mostOfPartition) return
    const dropped = own.changes.splice(0, own.changes.length - this.#mostOfPartition)
    own.from = (dropped.at(-1)?.offset ?? own.from) + 1
    for (const { orderId, observedAt } of dropped) {
      if (own.known.get(orderId)?.changed === observedAt) own.known.delete(orderId)
    }
  }

  /** The end of what has been read. */
  get place(): ReaderPlace {
    return this.#partitions.map(({ next }) => next)
  }

  /** The end of what has been read of one partition. */
  endOf(partition: number): number {
    return this.#of(partition).next
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

/** The change, with what is known of the order before it where that matters; notes its own in `known`. */
export function withKnown(change: RecentChange, known: Map<OrderId, KnownBefore>): RecentChange {
  const { orderId, observedAt, entry, isVerified, renewal, spender } = change
  const before = known.get(orderId) ?? NOT_KNOWN
  const isNote = entry === null && !isVerified
  known.set(orderId, {
    changed: observedAt,
    verified: isNote ? before.verified : observedAt,
    spender: spender ? spender.now : before.spender,
  })
  const lostSpender = spender && lostOf(before, spender)
  return {
    ...change,
    ...(renewal && { renewal: before }),
    ...(lostSpender && { lostSpender }),
  }
}

function lostOf({ spender }: KnownBefore, { now, mayReplace }: ChangedSpender) {
  if (spender === undefined) return mayReplace ? 'unknown' : null
  return spender === now ? null : spender
}

export const NOT_KNOWN: KnownBefore = { changed: null, verified: null }

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
