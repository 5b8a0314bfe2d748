import type { BareTransaction } from '../../domain/bare-transaction.ts'
import type { IngestChange, IngestState, IngestStore, KeptBlock } from '../../ports/ingest-store.ts'
import type { LmdbStore } from './lmdb-store.ts'

type BlockKey = [height: number, hash: string]

/** The follower's own tables in the environment of DATA_DIR; who opened that closes it. */
export function openIngestStore(store: LmdbStore): IngestStore {
  const states = store.table<IngestState>('ingest.state')
  const blocks = store.table<KeptBlock, BlockKey>('ingest.blocks')
  const mempool = store.table<Uint8Array>('ingest.mempool')

  function apply({ state, keep, forgetBelow = 0, entered = [], left = [] }: IngestChange): void {
    if (keep) blocks.putSync([keep.height, keep.hash], keep)
    for (const key of [...blocks.getKeys({ end: [forgetBelow, ''] })]) blocks.removeSync(key)
    for (const txid of left) mempool.removeSync(txid)
    for (const { txid, bytes } of entered) mempool.putSync(txid, bytes)
    states.putSync('state', state)
  }

  return {
    state: async () => states.get('state') ?? null,
    block: async ({ height, hash }) => blocks.get([height, hash]) ?? null,
    async *mempool() {
      yield* mempool.getKeys()
    },
    transactions: async (txids) =>
      txids.flatMap((txid): BareTransaction[] => {
        const bytes = mempool.get(txid)
        return bytes ? [{ txid, bytes }] : []
      }),
    save: (change) => store.write(() => apply(change)),
  }
}
