import type { Database } from 'lmdb'
import type { BareTransaction } from '../../../domain/chain/bare-transaction.ts'
import type {
  CopyChange,
  CopyPosition,
  IngestCopy,
  IngestState,
  IngestStore,
  StoredBlock,
} from '../../../ports/log/ingest-store.ts'
import type { BlockHash, BlockRef, Txid } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import type { EmbeddedLog } from './log.ts'

type BlockKey = [height: number, hash: BlockHash]
type ArrivalKey = [number: number, txid: Txid]

/**
 * The follower's own tables in the environment of DATA_DIR; closed by its opener. `log`: the one in
 * the same environment, if the follower writes to that.
 */
export function openIngestStore(store: LmdbStore, log?: EmbeddedLog): IngestStore {
  const tables = store.opening(() => new IngestTables(store))
  const own: IngestStore = {
    ...tables.reads(),
    save: (change) => tables.written(store.write(() => tables.apply(change))),
  }
  if (!log) return own
  return {
    ...own,
    saveWith: (records, change) => tables.written(log.append(records, () => tables.apply(change))),
  }
}

const POSITION = 'position'

/** These tables as a copy of what the log keeps. */
export function openIngestCopy(store: LmdbStore): IngestCopy {
  const tables = store.opening(() => new IngestTables(store))
  const positions = store.table<CopyPosition>('ingest.position')
  return {
    ...tables.reads(),
    position: () => positions.get(POSITION) ?? null,
    apply: (changes, position) =>
      tables.written(
        store.write(() => {
          for (const change of changes) tables.apply(change)
          positions.putSync(POSITION, position)
        }),
      ),
    storedBelow: (height) => tables.storedBelow(height),
    clear: () =>
      tables.written(
        store.write(() => {
          tables.clear()
          positions.clearSync()
        }),
      ),
  }
}

/**
 * Transactions are kept in the order in which they arrived: transactions of one step share a few
 * pages, while under their txids they would be spread over all pages.
 */
class IngestTables {
  readonly #states: Database<IngestState>
  readonly #blocks: Database<StoredBlock, BlockKey>
  readonly #arrived: Database<Uint8Array, ArrivalKey>
  /** The number of each transaction kept; null: not read yet. */
  #numbers: Map<Txid, number> | null = null
  #next = 0

  constructor(store: LmdbStore) {
    this.#states = store.table('ingest.state')
    this.#blocks = store.table('ingest.blocks')
    this.#arrived = store.table('ingest.arrivals')
  }

  reads(): Omit<IngestStore, 'save' | 'saveWith'> {
    const numbers = () => this.#known()
    return {
      state: async () => this.#states.get('state') ?? null,
      block: async ({ height, hash }) => this.#blocks.get([height, hash]) ?? null,
      async *mempool() {
        yield* [...numbers().keys()]
      },
      transactions: async (txids) =>
        txids.flatMap((txid): BareTransaction[] => {
          const bytes = this.#bytesOf(txid)
          return bytes ? [{ txid, bytes }] : []
        }),
    }
  }

  /** The result of a write; after a failed one, what is kept is read again. */
  async written<T>(write: Promise<T>): Promise<T> {
    try {
      return await write
    } catch (error) {
      this.#numbers = null
      throw error
    }
  }

  /** Only within a write that is `written`. */
  apply(change: CopyChange): void {
    const { state, keep, forget, forgetBelow = 0, entered = [], left = [] } = change
    if (keep) this.#blocks.putSync([keep.height, keep.hash], keep)
    if (forget) this.#blocks.removeSync([forget.height, forget.hash])
    if (forgetBelow > 0) this.#forgetBelow(forgetBelow)
    for (const txid of left) this.#remove(txid)
    for (const transaction of entered) this.#put(transaction)
    if (state) this.#states.putSync('state', state)
  }

  storedBelow(height: number): BlockRef[] {
    const keys = [...this.#blocks.getKeys({ end: [height, ''] })]
    return keys.map(([at, hash]) => ({ height: at, hash }))
  }

  /** Only within a write that is `written`; it does not read what it removes. */
  clear(): void {
    for (const table of [this.#states, this.#blocks, this.#arrived]) table.clearSync()
    this.#numbers = new Map()
  }

  #forgetBelow(limit: number): void {
    for (const { height, hash } of this.storedBelow(limit)) this.#blocks.removeSync([height, hash])
  }

  #put({ txid, bytes }: BareTransaction): void {
    const numbers = this.#known()
    this.#remove(txid)
    this.#arrived.putSync([this.#next, txid], bytes)
    numbers.set(txid, this.#next)
    this.#next += 1
  }

  #remove(txid: Txid): void {
    const number = this.#known().get(txid)
    if (number === undefined) return
    this.#arrived.removeSync([number, txid])
    this.#known().delete(txid)
  }

  #bytesOf(txid: Txid): Uint8Array | undefined {
    const number = this.#known().get(txid)
    return number === undefined ? undefined : this.#arrived.get([number, txid])
  }

  #known(): Map<Txid, number> {
    if (this.#numbers) return this.#numbers
    const numbers = new Map<Txid, number>()
    for (const [number, txid] of this.#arrived.getKeys()) {
      numbers.set(txid, number)
      this.#next = number + 1
    }
    this.#numbers = numbers
    return numbers
  }
}
