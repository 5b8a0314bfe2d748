import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { IndexPart } from '../../../query-index/columns.ts'
import { PARTS_VERSION, type QueryIndex } from '../../../query-index/query-index.ts'
import { ROW_VERSION } from '../../../query-index/row.ts'
import type { Network } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { readParts, writeParts } from './parts-file.ts'
import type { ViewTables } from './view-tables.ts'

const HEAD = 'head'
const LARGEST_NUMBER = 2 ** 47
/** More than a file holds for an order. */
const BYTES_OF_ORDER = 512
/** A stop has 10 s for all that it does. */
const SAVED_WITHIN_MS = 2_000

/**
 * The query index of a clean stop, in a file beside the store: a start that finds it reads neither
 * rows nor documents. It is used only by the process that opens the store next, whatever release the
 * others are of, and only with the store that has its number.
 */
export class SavedIndex {
  readonly #store: LmdbStore
  readonly #network: Network

  constructor(store: LmdbStore, network: Network) {
    this.#store = store
    this.#network = network
  }

  /**
   * Nothing may change the rows any more. What cannot be kept, or not in time, is built at the next
   * start.
   */
  async keep(index: QueryIndex, tables: ViewTables): Promise<void> {
    const parts = index.parts()
    if (!parts) return
    const number = randomInt(LARGEST_NUMBER)
    const head = this.#headOf(number, this.#store.term, tables)
    try {
      await dropSavedIndex(this.#store)
      this.#store.assertRoom(index.size * BYTES_OF_ORDER)
      const inTime = AbortSignal.timeout(SAVED_WITHIN_MS)
      await writeParts(pathIn(this.#store), withHead(parts, head), inTime)
      await this.#store.write(() => tables.noteSavedIndex(number))
    } catch {
      await dropSavedIndex(this.#store).catch(() => {})
    }
  }

  /**
   * Fills an empty index; false: none was kept of the rows as they are. The file is of no use to any
   * later start.
   */
  async take(index: QueryIndex, tables: ViewTables): Promise<boolean> {
    const parts = await readParts(pathIn(this.#store)).catch(() => null)
    await dropSavedIndex(this.#store).catch(() => {})
    const head = this.#headOf(tables.savedIndex, this.#store.term - 1, tables)
    if (parts?.get(HEAD) !== head) return false
    index.take(parts)
    return true
  }

  #headOf(number: number | undefined, term: number, { side }: ViewTables): string {
    return [number, term, side, this.#network, ROW_VERSION, PARTS_VERSION].join(' ')
  }
}

const dropSavedIndex = (store: LmdbStore): Promise<void> => rm(pathIn(store), { force: true })

const pathIn = ({ directory }: LmdbStore): string => path.join(directory, 'query-index')

function* withHead(parts: Iterable<IndexPart>, head: string): Generator<IndexPart> {
  yield [HEAD, head]
  yield* parts
}
