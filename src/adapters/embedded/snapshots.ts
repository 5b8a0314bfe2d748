import type { Database } from 'lmdb'
import { duesOf } from '../../domain/due.ts'
import type { Snapshots } from '../../ports/event-log.ts'
import { OrderSnapshot, PartitionSnapshot, type SnapshotRecord, TOPICS } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { LmdbStore } from './lmdb-store.ts'
import type { LogTables } from './log-tables.ts'

/** Where an order is found without its id: each kind of entry ends on the order id. */
type Entry =
  | [partition: number, kind: 'outpoint', outpoint: string, id: string]
  | [partition: number, kind: 'unsettled' | 'live', id: string]
  | [partition: number, kind: 'height', height: number, id: string]
type Bound = (number | string)[]

/** Sorts after every hex id. */
const AFTER_IDS = 'g'

/** The latest snapshots of all partitions with their look-ups, written together with the records. */
export class SnapshotTables {
  readonly #log: LogTables
  readonly #entries: Database<true, Entry | Bound>
  /** The entries of each order, so that its old ones are found without reading the order. */
  readonly #entriesOf: Database<Entry[], [partition: number, id: string]>

  constructor(store: LmdbStore, log: LogTables) {
    this.#log = log
    this.#entries = store.table('snapshot entries')
    this.#entriesOf = store.table('snapshot entries by order')
  }

  /** Only within a write, before the snapshots themselves are appended. */
  index(partition: number, snapshots: readonly SnapshotRecord[]): void {
    for (const snapshot of snapshots) {
      if (snapshot.kind === 'order') this.#indexOrder(partition, snapshot.order)
    }
  }

  of(partition: number): Snapshots {
    return {
      order: (id) => this.#order(partition, id),
      partitionSnapshot: () => {
        const value = this.#log.latest(TOPICS.snapshots, partition, partitionKey(partition))
        return value === undefined ? undefined : PartitionSnapshot.parse(value)
      },
      ordersAt: (outpoint) => [...this.#idsIn([partition, 'outpoint', outpoint])],
      unsettled: () => this.#idsIn([partition, 'unsettled']),
      above: (height) => this.#above(partition, height),
      live: (after, limit, upTo) => this.#live(partition, after, limit, upTo),
    }
  }

  #order(partition: number, id: string): OrderSnapshot | undefined {
    const value = this.#log.latest(TOPICS.snapshots, partition, id)
    return value === undefined ? undefined : OrderSnapshot.parse(value)
  }

  // Read whole before the first is handed out: the caller may write between two ids.
  #idsIn(prefix: Bound): string[] {
    return this.#ids(prefix, [...prefix, AFTER_IDS])
  }

  #above(partition: number, height: number): string[] {
    return this.#ids(
      [partition, 'height', height + 1],
      [partition, 'height', Number.MAX_SAFE_INTEGER],
    )
  }

  #live(partition: number, after: string | null, limit: number, upTo = AFTER_IDS): string[] {
    const start = [partition, 'live', ...(after === null ? [] : [after])]
    // The end of a range is not in it.
    return this.#ids(start, [partition, 'live', `${upTo} `], {
      limit,
      exclusiveStart: after !== null,
    })
  }

  #ids(start: Bound, end: Bound, range: { limit?: number; exclusiveStart?: boolean } = {}) {
    return [...this.#entries.getKeys({ start, end, ...range })].map((entry) => String(entry.at(-1)))
  }

  #indexOrder(partition: number, order: OrderRecord): void {
    const entries = entriesOf(partition, order)
    const old = new Map(keyed(this.#entriesOf.get([partition, order.id]) ?? []))
    const now = new Map(keyed(entries))
    for (const [key, entry] of old) if (!now.has(key)) this.#entries.removeSync(entry)
    for (const [key, entry] of now) if (!old.has(key)) this.#entries.putSync(entry, true)
    this.#entriesOf.putSync([partition, order.id], entries)
  }
}

/** The key of a partition's own snapshot among those of its orders. */
export const partitionKey = (partition: number): string => `partition ${partition}`

const keyed = (entries: Entry[]): [string, Entry][] =>
  entries.map((entry) => [JSON.stringify(entry), entry])

/** A closed order is found by its id alone. */
function entriesOf(partition: number, order: OrderRecord): Entry[] {
  if (order.closedAt !== null) return []
  const { id, outpoint, outputBlock, spend } = order
  const height = Math.max(outputBlock?.height ?? -1, spend?.block?.height ?? -1)
  const entries: Entry[] = [[partition, 'outpoint', outpoint, id]]
  if (height >= 0) entries.push([partition, 'height', height, id])
  if (order.state === 'LIVE') entries.push([partition, 'live', id])
  if (order.pending !== null || duesOf(order).length > 0) entries.push([partition, 'unsettled', id])
  return entries
}
