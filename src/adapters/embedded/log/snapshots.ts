import type { Database } from 'lmdb'
import { isUnsettled } from '../../../domain/order/due.ts'
import type { Snapshots } from '../../../ports/log/event-log.ts'
import { OrderSnapshot, PartitionSnapshot, type SnapshotRecord } from '../../../schemas/log.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { OrderId, OutpointText } from '../../../schemas/scalars.ts'
import { partitionKey } from '../../log/step-records.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/** The snapshot last written under a key of a partition. */
export type LatestSnapshot = (partition: number, key: string) => unknown

/** The ways to find an order without its id: each kind of entry ends on the order id. */
export type SnapshotEntry =
  | [partition: number, kind: 'outpoint', outpoint: OutpointText, id: OrderId]
  | [partition: number, kind: 'unsettled' | 'live' | 'other', id: OrderId]
  | [partition: number, kind: 'height', height: number, id: OrderId]
type Bound = (number | string)[]

/** Sorts after every hex id. */
const AFTER_IDS = 'g'

/**
 * The latest snapshots of all partitions with their look-ups, written together with the records.
 */
export class SnapshotTables {
  readonly #latest: LatestSnapshot
  readonly #entries: Database<true, SnapshotEntry | Bound>
  /** The entries of each order, so that its old ones are found without reading the order. */
  readonly #entriesOf: Database<SnapshotEntry[], [partition: number, id: OrderId]>

  constructor(store: LmdbStore, latest: LatestSnapshot) {
    this.#latest = latest
    this.#entries = store.table('snapshot entries')
    this.#entriesOf = store.table('snapshot entries by order')
  }

  /** Only within a write, before the snapshots themselves are appended. */
  index(partition: number, snapshots: readonly SnapshotRecord[]): void {
    for (const snapshot of snapshots) {
      if (snapshot.kind === 'order') this.#indexOrder(partition, snapshot.order)
    }
  }

  /** As `index`, but the order can be found only by its id until `enter` has its entries. */
  indexLater(partition: number, order: OrderRecord): SnapshotEntry[] {
    const key: [number, OrderId] = [partition, order.id]
    for (const entry of this.#entriesOf.get(key) ?? []) this.#entries.removeSync(entry)
    const entries = entriesOf(partition, order)
    this.#entriesOf.putSync(key, entries)
    return entries
  }

  /** Only within a write. */
  enter(entries: readonly SnapshotEntry[]): void {
    for (const entry of entries) this.#entries.putSync(entry, true)
  }

  /** Only within a write: nothing of the partition can be found afterwards. */
  forget(partition: number): void {
    const whole = { start: [partition], end: [partition + 1] }
    for (const entry of [...this.#entries.getKeys(whole)]) this.#entries.removeSync(entry)
    for (const { key } of [
      ...this.#entriesOf.getRange({ start: [partition, ''], end: [partition + 1, ''] }),
    ]) {
      this.#entriesOf.removeSync(key)
    }
  }

  of(partition: number): Snapshots {
    return {
      order: (id) => this.#order(partition, id),
      partitionSnapshot: () => {
        const value = this.#latest(partition, partitionKey(partition))
        return value === undefined ? undefined : PartitionSnapshot.parse(value)
      },
      ordersAt: (outpoint) => [...this.#idsIn([partition, 'outpoint', outpoint])],
      watched: (after, limit) => this.#watched(partition, after, limit),
      unsettled: () => this.#idsIn([partition, 'unsettled']),
      above: (height) => this.#above(partition, height),
      live: (after, limit, upTo) => this.#after([partition, 'live'], after, limit, upTo),
      others: (after, limit) => this.#after([partition, 'other'], after, limit),
    }
  }

  #order(partition: number, id: string): OrderSnapshot | undefined {
    const value = this.#latest(partition, id)
    return value === undefined ? undefined : OrderSnapshot.parse(value)
  }

  // Read in full before the first is returned: the caller may write between two ids.
  #idsIn(prefix: Bound): OrderId[] {
    return this.#ids(prefix, [...prefix, AFTER_IDS])
  }

  #watched(partition: number, after: OutpointText | null, limit: number): OutpointText[] {
    const prefix: Bound = [partition, 'outpoint']
    const start = after === null ? prefix : [...prefix, after, AFTER_IDS]
    const entries = this.#entries.getKeys({ start, end: [...prefix, AFTER_IDS], limit })
    return [...entries].map((entry) => entry[2] as OutpointText)
  }

  #above(partition: number, height: number): OrderId[] {
    return this.#ids(
      [partition, 'height', height + 1],
      [partition, 'height', Number.MAX_SAFE_INTEGER],
    )
  }

  #after(prefix: Bound, after: string | null, limit: number, upTo = AFTER_IDS): OrderId[] {
    const start = [...prefix, ...(after === null ? [] : [after])]
    // The end of a range is exclusive.
    return this.#ids(start, [...prefix, `${upTo} `], { limit, exclusiveStart: after !== null })
  }

  #ids(start: Bound, end: Bound, range: { limit?: number; exclusiveStart?: boolean } = {}) {
    return [...this.#entries.getKeys({ start, end, ...range })].map(
      (entry) => entry.at(-1) as OrderId,
    )
  }

  #indexOrder(partition: number, order: OrderRecord): void {
    const entries = entriesOf(partition, order)
    const before = this.#entriesOf.get([partition, order.id])
    if (before) this.#move(before, entries)
    else this.enter(entries)
    this.#entriesOf.putSync([partition, order.id], entries)
  }

  #move(before: SnapshotEntry[], after: SnapshotEntry[]): void {
    const old = new Map(keyed(before))
    const now = new Map(keyed(after))
    for (const [key, entry] of old) if (!now.has(key)) this.#entries.removeSync(entry)
    for (const [key, entry] of now) if (!old.has(key)) this.#entries.putSync(entry, true)
  }
}

/** Snapshots of one kind have values of one type in each position. */
export function compareEntries(a: SnapshotEntry, b: SnapshotEntry): number {
  for (let at = 0; at < a.length; at += 1) {
    const [value, other] = [a[at] ?? '', b[at] ?? '']
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

const keyed = (entries: SnapshotEntry[]): [string, SnapshotEntry][] =>
  entries.map((entry) => [JSON.stringify(entry), entry])

/** A closed order can only be found by its id. */
function entriesOf(partition: number, order: OrderRecord): SnapshotEntry[] {
  if (order.closedAt !== null) return []
  const { id, outpoint, outputBlock, spend } = order
  const height = Math.max(outputBlock?.height ?? -1, spend?.block?.height ?? -1)
  const entries: SnapshotEntry[] = [[partition, 'outpoint', outpoint, id]]
  if (height >= 0) entries.push([partition, 'height', height, id])
  entries.push([partition, order.state === 'LIVE' ? 'live' : 'other', id])
  if (isUnsettled(order)) entries.push([partition, 'unsettled', id])
  return entries
}
