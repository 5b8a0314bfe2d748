import type { Database } from 'lmdb'
import type { PartitionFreshness, ViewBatch } from '../../../ports/views/order-views.ts'
import { packRow } from '../../../query-index/packed-row.ts'
import { type OrderRow, ROW_VERSION, rowOf } from '../../../query-index/row.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import { changesByOrder, foldNew } from '../../views/fold-batch.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

export interface ViewDocument {
  partition: number
  order: OrderRecord
}

/** Views are on one of two sides, and can be rebuilt on the other. */
export type Side = 0 | 1

const REMOVED_AT_ONCE = 500
const SAVED_INDEX = 'kept index'

/** The tables of one side. Methods write only within a write of the store. */
export class ViewTables {
  readonly side: Side
  readonly documents: Database<ViewDocument, string>
  /** Packed. */
  readonly rows: Database<Buffer, string>
  readonly positions: Database<number, number>
  readonly freshness: Database<PartitionFreshness, number>
  readonly #store: LmdbStore
  readonly #settings: Database<number, string>

  /** The tables currently read. */
  static ofReaders(store: LmdbStore): ViewTables {
    const settings = store.table<number>('view settings')
    return new ViewTables(store, settings.get('side') === 1 ? 1 : 0)
  }

  constructor(store: LmdbStore, side: Side) {
    const named = (name: string) => (side === 0 ? name : `${name}, side ${side}`)
    this.side = side
    this.documents = store.documents(named('view documents'))
    this.rows = store.bytes(named('view rows'))
    this.positions = store.table(named('view positions'))
    this.freshness = store.documents(named('view freshness'))
    this.#store = store
    this.#settings = store.table('view settings')
  }

  get other(): ViewTables {
    return new ViewTables(this.#store, this.side === 0 ? 1 : 0)
  }

  get hasRowsOfThisRelease(): boolean {
    return this.#settings.get(this.#rowVersion) === ROW_VERSION
  }

  /** The orders that the records change, each at its last change. Throws `ViewGapError`. */
  fold({ records }: Pick<ViewBatch, 'records'>): OrderRecord[] {
    return [...changesByOrder(records)].flatMap(
      ([id, changes]) => foldNew(this.documents.get(id)?.order ?? null, changes) ?? [],
    )
  }

  /** Folds a batch; returns the rows for the index. Throws `ViewGapError`. */
  put({ partition, nextOffset, records }: ViewBatch): [id: string, row: OrderRow][] {
    const folded = this.fold({ records })
    const rows = folded.map((order): [string, OrderRow] => [order.id, rowOf(order, partition)])
    for (const order of folded) this.documents.putSync(order.id, { partition, order })
    for (const [id, row] of rows) this.rows.putSync(id, packRow(row))
    this.positions.putSync(partition, Math.max(nextOffset, this.positions.get(partition) ?? 0))
    return rows
  }

  noteRowsOfThisRelease(): void {
    this.#settings.putSync(this.#rowVersion, ROW_VERSION)
  }

  /** The number of the file with the index of these rows that was kept last. */
  get savedIndex(): number | undefined {
    return this.#settings.get(SAVED_INDEX)
  }

  noteSavedIndex(number: number): void {
    this.#settings.putSync(SAVED_INDEX, number)
  }

  /** Makes these the tables that are read. */
  beRead(): void {
    this.#settings.putSync('side', this.side)
    this.noteRowsOfThisRelease()
  }

  /** Empties the tables; yields the entries removed by each step. Writes by itself. */
  async *clear(): AsyncGenerator<number> {
    // The positions first: without them, whatever an interrupted clearing leaves is never used.
    for (const table of [this.positions, this.freshness, this.rows, this.documents]) {
      for (;;) {
        const keys = [...table.getKeys({ limit: REMOVED_AT_ONCE })]
        if (keys.length === 0) break
        await this.#store.writeGrouped(() => {
          for (const key of keys) (table as Database<unknown, string | number>).removeSync(key)
        })
        yield keys.length
      }
    }
  }

  get #rowVersion(): string {
    return this.side === 0 ? 'row version' : `row version, side ${this.side}`
  }
}
