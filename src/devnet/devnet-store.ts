import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { type Database, open, type RootDatabase } from 'lmdb'
import { assertFree, KEPT_FREE_BYTES } from '../adapters/free-space.ts'
import type { BlockHash, Txid } from '../schemas/scalars.ts'
import type { FollowerState } from './index/index-follower.ts'
import type { RegtestNode } from './node/regtest-node.ts'
import { decodeTx } from './node/tx.ts'

interface SavedState {
  tip: BlockHash
  /** Hashes of the blocks marked invalid. */
  invalid: string[]
  index: FollowerState
}

/**
 * The devnet on disk: every block in order of arrival, the mempool, and the positions of node and
 * index. One synced transaction for each change, so a crash loses nothing that was answered.
 */
export class DevnetStore {
  readonly #directory: string
  readonly #root: RootDatabase
  readonly #blocks: Database<Buffer, number>
  readonly #mempool: Database<string, Txid>
  readonly #state: Database<SavedState, string>
  #blocksSaved = 0
  readonly #mempoolSaved = new Set<Txid>()

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true })
    this.#directory = directory
    this.#root = open({ path: join(directory, 'devnet.mdb'), overlappingSync: false, maxDbs: 3 })
    // The missing ones are created in one transaction: a new chain waits for the disk once for all.
    const root = this.#root
    const tables = root.transactionSync(() => ({
      blocks: root.openDB<Buffer, number>({ name: 'blocks', encoding: 'binary' }),
      mempool: root.openDB<string, Txid>({ name: 'mempool', encoding: 'string' }),
      state: root.openDB<SavedState, string>({ name: 'state' }),
    }))
    this.#blocks = tables.blocks
    this.#mempool = tables.mempool
    this.#state = tables.state
  }

  /** Brings a new node to the saved state; null when nothing is saved yet. */
  load(node: RegtestNode): FollowerState | null {
    const state = this.#state.get('state')
    if (!state) return null
    for (const { key, value } of this.#blocks.getRange()) {
      node.chain.add(Block.fromBuffer(value))
      this.#blocksSaved = key + 1
    }
    node.restore(
      state.tip,
      state.invalid,
      [...this.#mempool.getRange()].map(({ value }) => decodeTx(value)),
    )
    for (const txid of this.#mempool.getKeys()) this.#mempoolSaved.add(txid)
    return state.index
  }

  /**
   * Throws `StorageUnavailableError` when the disk is full: the next save then includes these changes.
   */
  save({ chain, mempool }: RegtestNode, index: FollowerState): void {
    assertFree(this.#directory, KEPT_FREE_BYTES)
    // The genesis block is built in.
    const blocks = chain.arrivedFrom(this.#blocksSaved + 1)
    const entered = [...mempool.entries.values()].filter(
      ({ txid }) => !this.#mempoolSaved.has(txid),
    )
    const left = [...this.#mempoolSaved].filter((txid) => !mempool.entries.has(txid))
    this.#root.transactionSync(() => {
      blocks.forEach(({ raw }, added) => {
        this.#blocks.putSync(this.#blocksSaved + added, Buffer.from(raw.toBuffer()))
      })
      for (const { txid, tx } of entered) this.#mempool.putSync(txid, tx.hex)
      for (const txid of left) this.#mempool.removeSync(txid)
      this.#state.putSync('state', { tip: chain.tip.hash, invalid: [...chain.invalid], index })
    })
    this.#blocksSaved += blocks.length
    for (const { txid } of entered) this.#mempoolSaved.add(txid)
    for (const txid of left) this.#mempoolSaved.delete(txid)
  }

  async close(): Promise<void> {
    await this.#root.close()
  }
}
