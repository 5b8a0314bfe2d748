import type { Database } from 'lmdb'
import type { BareTransaction } from '../../domain/bare-transaction.ts'
import type {
  CopyChange,
  CopyPosition,
  IngestCopy,
  IngestState,
  IngestStore,
  KeptBlock,
} from '../../ports/ingest-store.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import type { LmdbStore } from './lmdb-store.ts'
import type { EmbeddedLog } from './log.ts'

type BlockKey = [height: number, hash: string]

/**
 * The follower's own tables in the environment of DATA_DIR; closed by its opener. `log`: the one in
 * the same environment, if the follower writes to that.
 */
export function openIngestStore(store: LmdbStore, log?: EmbeddedLog): IngestStore {
  const tables = new IngestTables(store)
  const own: IngestStore = {
    ...tables.reads(),
    save: (change) => store.write(() => tables.apply(change)),
  }
  if (!log) return own
  return {
    ...own,
    saveWith: (records, change) => log.append(records, () => tables.apply(change)),
  }
}

/** The same tables as a copy of what the log keeps. */
export function openIngestCopy(store: LmdbStore): IngestCopy {
  const tables = new IngestTables(store)
  const positions = store.table<CopyPosition>('ingest.position')
  return {
    ...tables.reads(),
    position: () => positions.get('position') ?? null,
    apply: (changes, position) =>
      store.write(() => {
        for (const change of changes) tables.apply(change)
        positions.putSync('position', position)
      }),
    keptBelow: (height) => tables.keptBelow(height),
    clear: () =>
      store.write(() => {
        tables.clear()
        positions.removeSync('position')
      }),
  }
}

class IngestTables {
  readonly #states: Database<IngestState>
  readonly #blocks: Database<KeptBlock, BlockKey>
  readonly #mempool: Database<Uint8Array, string>

  constructor(store: LmdbStore) {
    this.#states = store.table('ingest.state')
    this.#blocks = store.table('ingest.blocks')
    this.#mempool = store.table('ingest.mempool')
  }

  reads(): Omit<IngestStore, 'save' | 'saveWith'> {
    const mempool = this.#mempool
    return {
      state: async () => this.#states.get('state') ?? null,
      block: async ({ height, hash }) => this.#blocks.get([height, hash]) ?? null,
      async *mempool() {
        yield* mempool.getKeys()
      },
      transactions: async (txids) =>
        txids.flatMap((txid): BareTransaction[] => {
          const bytes = mempool.get(txid)
          return bytes ? [{ txid, bytes }] : []
        }),
    }
  }

  /** Only within a write. */
  apply(change: CopyChange): void {
    const { state, keep, forget, forgetBelow = 0, entered = [], left = [] } = change
    if (keep) this.#blocks.putSync([keep.height, keep.hash], keep)
    if (forget) this.#blocks.removeSync([forget.height, forget.hash])
    if (forgetBelow > 0) this.#forgetBelow(forgetBelow)
    for (const txid of left) this.#mempool.removeSync(txid)
    for (const { txid, bytes } of entered) this.#mempool.putSync(txid, bytes)
    if (state) this.#states.putSync('state', state)
  }

  keptBelow(height: number): BlockRef[] {
    const keys = [...this.#blocks.getKeys({ end: [height, ''] })]
    return keys.map(([at, hash]) => ({ height: at, hash }))
  }

  #forgetBelow(limit: number): void {
    for (const { height, hash } of this.keptBelow(limit)) this.#blocks.removeSync([height, hash])
  }

  /** Only within a write. */
  clear(): void {
    this.#states.removeSync('state')
    for (const key of [...this.#blocks.getKeys()]) this.#blocks.removeSync(key)
    for (const txid of [...this.#mempool.getKeys()]) this.#mempool.removeSync(txid)
  }
}
