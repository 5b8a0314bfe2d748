import type { NextViews, ViewBatch } from '../../ports/order-views.ts'
import { StorageUnavailable } from '../../ports/storage-errors.ts'
import type { LmdbStore } from './lmdb-store.ts'
import type { OrderIndex } from './order-index.ts'
import type { ViewTables } from './view-tables.ts'

export interface NextViewsOptions {
  store: LmdbStore
  /** The other side of those that are read, and the index of what comes into it. */
  tables: ViewTables
  index: OrderIndex
  /** The tables that are read now. */
  read(): ViewTables
  /** Has these read from now on, called within the write that says so; what it returns undoes it. */
  swap(): () => void
  /** The rebuild that began last. */
  isLatest(): boolean
}

/** Views that are made again on the other side of the tables, with an index of their own. */
export class EmbeddedNextViews implements NextViews {
  readonly #options: NextViewsOptions

  constructor(options: NextViewsOptions) {
    this.#options = options
  }

  async apply(batch: ViewBatch): Promise<void> {
    const { store, tables, index } = this.#options
    const rows = await store.writeInTurn(() => {
      this.#mustBeOurs()
      return tables.put(batch)
    })
    for (const [id, row] of rows) index.put(id, row)
  }

  async position(partition: number): Promise<number> {
    this.#mustBeOurs()
    return this.#options.tables.positions.get(partition) ?? 0
  }

  // A batch becomes visible together with its position: nothing else was seen.
  async shown(): Promise<ReadonlyMap<number, number>> {
    const positions = [...this.#options.read().positions.getRange()]
    return new Map(positions.map(({ key, value }) => [key, value]))
  }

  // One write at a time, and none of another process: there is nobody to hold.
  async hold(): Promise<void> {}
  async release(): Promise<void> {}

  async takeOver(): Promise<boolean> {
    const { store, tables, read, swap } = this.#options
    let undo = () => {}
    try {
      return await store.writeInTurn(() => {
        this.#mustBeOurs()
        const old = read()
        for (const { key, value } of old.positions.getRange()) {
          if ((tables.positions.get(key) ?? 0) < value) return false
        }
        for (const { key, value } of old.freshness.getRange()) tables.freshness.putSync(key, value)
        tables.beRead()
        undo = swap()
        return true
      })
    } catch (error) {
      undo()
      throw error
    }
  }

  removeOthers(): AsyncIterable<number> {
    return this.#options.read().other.clear()
  }

  async abandon(): Promise<void> {
    this.#mustBeOurs()
  }

  #mustBeOurs(): void {
    if (this.#options.isLatest()) return
    throw new StorageUnavailable('taken-over', 'the views are made again by a later rebuild')
  }
}
