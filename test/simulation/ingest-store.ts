import type { BareTransaction } from '../../src/domain/chain/bare-transaction.ts'
import type {
  IngestChange,
  IngestState,
  IngestStore,
  StoredBlock,
} from '../../src/ports/log/ingest-store.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { Txid } from '../../src/schemas/scalars.ts'
import type { Process } from './process.ts'

/** The follower's store: every save is all or nothing. */
export class SimIngestStore {
  state: IngestState | null = null
  readonly blocks = new Map<string, StoredBlock>()
  readonly mempool = new Map<Txid, BareTransaction>()

  save({ state, keep, forgetBelow = 0, entered = [], left = [] }: IngestChange): void {
    if (keep) this.blocks.set(keep.hash, keep)
    for (const [hash, { height }] of this.blocks) if (height < forgetBelow) this.blocks.delete(hash)
    for (const txid of left) this.mempool.delete(txid)
    for (const transaction of entered) this.mempool.set(transaction.txid, transaction)
    this.state = state
  }
}

/**
 * The store as one process sees it; once another ingest has started it refuses this one's writes.
 */
export function ingestStoreOf(
  store: SimIngestStore,
  process: Process,
  isWriter: () => boolean,
): IngestStore {
  const trouble = () =>
    new StorageUnavailableError('io', 'simulated: no answer of the ingest store')
  const call = <T>(kind: 'read' | 'write', name: string, effect: () => T) =>
    process.call({ kind, name: `store.${name}`, effect, trouble })
  return {
    state: () => call('read', 'state', () => store.state),
    block: ({ hash }) => call('read', 'block', () => store.blocks.get(hash) ?? null),
    async *mempool() {
      yield* await call('read', 'mempool', () => [...store.mempool.keys()])
    },
    transactions: (txids) =>
      call('read', 'transactions', () => txids.flatMap((txid) => store.mempool.get(txid) ?? [])),
    save: (change) =>
      call('write', 'save', () => {
        if (!isWriter()) throw new StorageUnavailableError('taken-over', 'simulated: fenced')
        store.save(change)
      }),
  }
}
