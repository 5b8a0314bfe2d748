import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { NextViews, ViewBatch } from '../../../ports/views/order-views.ts'
import type { QueryIndex } from '../../../query-index/query-index.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import type { ViewTables } from './view-tables.ts'

export interface NextViewsOptions {
  store: LmdbStore
  /** The tables of the side that is not read. */
  tables: ViewTables
  index: QueryIndex
  /** The tables currently read. */
  read(): ViewTables
  /**
   * Makes these the tables that are read. Called within the write that records it; the result
   * undoes it.
   */
  swap(): () => void
  /** Is this the latest rebuild? */
  isLatest(): boolean
}

/** Views rebuilt on the other side of the tables, with an index of their own. */
export class EmbeddedNextViews implements NextViews {
  readonly #options: NextViewsOptions

  constructor(options: NextViewsOptions) {
    this.#options = options
  }

  async apply(batch: ViewBatch): Promise<void> {
    const { store, tables, index } = this.#options
    const rows = await store.writeGrouped(() => {
      this.#mustBeOurs()
      return tables.put(batch)
    })
    for (const [id, row] of rows) index.put(id, row)
  }

  async position(partition: number): Promise<number> {
    this.#mustBeOurs()
    return this.#options.tables.positions.get(partition) ?? 0
  }

  // Readers have the index that is filled here.
  async announce(): Promise<void> {}

  // A batch becomes visible together with its position: nothing beyond it was shown.
  async shown(): Promise<ReadonlyMap<number, number>> {
    const positions = [...this.#options.read().positions.getRange()]
    return new Map(positions.map(({ key, value }) => [key, value]))
  }

  // Writes run one at a time, all in this process: there is no writer to hold.
  async hold(): Promise<void> {}
  async release(): Promise<void> {}

  async takeOver(): Promise<boolean> {
    const { store, tables, read, swap } = this.#options
    let undo = () => {}
    try {
      return await store.writeGrouped(() => {
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
    throw new StorageUnavailableError('taken-over', 'another rebuild has taken over')
  }
}
