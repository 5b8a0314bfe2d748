import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Network } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { type OrderIndex, PARTS_VERSION } from '../order-index/order-index.ts'
import { type IndexPart, readParts, writeParts } from '../order-index/order-index-file.ts'
import { ROW_VERSION } from '../order-index/order-index-row.ts'
import type { Side } from './view-tables.ts'

const HEAD = 'head'

/**
 * The query index of a clean stop, in a file beside the store: a start that finds it reads neither
 * rows nor documents. It is used only by the process that opens the store next, whatever release the
 * others are of.
 */
export class KeptIndex {
  readonly #store: LmdbStore
  readonly #network: Network

  constructor(store: LmdbStore, network: Network) {
    this.#store = store
    this.#network = network
  }

  /** Nothing may change the rows any more. What cannot be kept is built at the next start. */
  async keep(index: OrderIndex, side: Side): Promise<void> {
    const parts = index.parts()
    if (!parts) return
    const head = this.#headOf(this.#store.term, side)
    // A full disk, for one, only makes the next start slower.
    await writeParts(pathIn(this.#store), withHead(parts, head)).catch(() => {})
  }

  /** Fills an empty index; false: none was kept of the rows as they are. */
  async take(index: OrderIndex, side: Side): Promise<boolean> {
    const parts = await readParts(pathIn(this.#store)).catch(() => null)
    if (parts?.get(HEAD) !== this.#headOf(this.#store.term - 1, side)) return false
    index.take(parts)
    return true
  }

  #headOf(term: number, side: Side): string {
    return [term, side, this.#network, ROW_VERSION, PARTS_VERSION].join(' ')
  }
}

/** For whatever changes rows before the views are open. */
export const dropKeptIndex = (store: LmdbStore): Promise<void> => rm(pathIn(store), { force: true })

const pathIn = ({ directory }: LmdbStore): string => path.join(directory, 'order-index')

function* withHead(parts: Iterable<IndexPart>, head: string): Generator<IndexPart> {
  yield [HEAD, head]
  yield* parts
}
