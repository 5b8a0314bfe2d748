import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { FollowerState } from './index-follower.ts'
import type { RegtestNode } from './regtest-node.ts'
import { decodeTx } from './tx.ts'

interface SavedState {
  tip: string
  /** Blocks ruled out, by hash. */
  invalid: string[]
  index: FollowerState
}

/**
 * The devnet on disk: every block in the order in which it came, the mempool, and where node and
 * index stand. One synced transaction for each change, so a crash loses nothing that was answered.
 */
export class DevnetStore {
  readonly #root: RootDatabase
  readonly #blocks: Database<Buffer, number>
  readonly #mempool: Database<string, string>
  readonly #state: Database<SavedState, string>
  #blocksSaved = 0
  readonly #mempoolSaved = new Set<string>()

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true })
    this.#root = open({ path: join(directory, 'devnet.mdb'), overlappingSync: false, maxDbs: 3 })
    this.#blocks = this.#root.openDB({ name: 'blocks', encoding: 'binary' })
    this.#mempool = this.#root.openDB({ name: 'mempool', encoding: 'string' })
    this.#state = this.#root.openDB({ name: 'state' })
  }

  /** Brings a new node to where the saved one stood; null when there is nothing yet. */
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

  save({ chain, mempool }: RegtestNode, index: FollowerState): void {
    this.#root.transactionSync(() => {
      // The genesis block is known to everybody.
      for (const { raw } of chain.arrivedFrom(this.#blocksSaved + 1)) {
        this.#blocks.putSync(this.#blocksSaved, Buffer.from(raw.toBuffer()))
        this.#blocksSaved++
      }
      this.#saveMempool(new Map([...mempool.entries].map(([txid, { tx }]) => [txid, tx.hex])))
      this.#state.putSync('state', { tip: chain.tip.hash, invalid: [...chain.invalid], index })
    })
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  #saveMempool(now: ReadonlyMap<string, string>): void {
    for (const txid of this.#mempoolSaved)
      if (!now.has(txid)) {
        this.#mempool.removeSync(txid)
        this.#mempoolSaved.delete(txid)
      }
    for (const [txid, hex] of now)
      if (!this.#mempoolSaved.has(txid)) {
        this.#mempool.putSync(txid, hex)
        this.#mempoolSaved.add(txid)
      }
  }
}
