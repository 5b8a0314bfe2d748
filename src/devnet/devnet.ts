import { scriptOfAddress } from '../domain/script/address.ts'
import type { AssetIndex } from '../ports/authorities/asset-index.ts'
import type { ContentSource } from '../ports/authorities/content-source.ts'
import type { BlockSource, FullNode } from '../ports/authorities/full-node.ts'
import type { Clock } from '../runtime/clock.ts'
import type { BlockHash, Outpoint, Txid } from '../schemas/scalars.ts'
import { DevnetStore } from './devnet-store.ts'
import { DevnetNode } from './full-node.ts'
import { DevnetIndex } from './index/asset-index.ts'
import { IndexFollower } from './index/index-follower.ts'
import { buildBlock } from './node/build-block.ts'
import type { ChainBlock } from './node/chain.ts'
import { Miner, type Payment } from './node/miner.ts'
import { subsidyAt } from './node/regtest.ts'
import { type NodePhase, RegtestNode } from './node/regtest-node.ts'
import { decodeTx, type Tx } from './node/tx.ts'
import { type InscriptionContent, inscribing } from './people/inscribe.ts'

export interface DevnetOptions {
  /** A folder used by nothing else; null: nothing is kept. */
  dataDir: string | null
  clock: Clock
  network: 'regtest'
  /** Mined on a new chain, so that the miner has something to spend; 120. */
  initialBlocks?: number
  /**
   * ord's `--max-savepoints`: with 2, the default, a reorg of 9 to 18 blocks, by height, ends the
   * index. `all`: it follows a reorg of any depth, and one that had ended is rebuilt when opened.
   */
  indexSavepoints?: number | 'all'
}

export interface MineOptions {
  /** Hex of the first block's transactions, exactly these; by default it takes from the mempool. */
  transactions?: readonly string[]
  /** The script that coinbases pay; default: the miner's. */
  coinbaseScriptHex?: string
}

export interface ReorgOptions {
  /** Not returned to the mempool when their block is gone. */
  dropTransactions?: 'all' | readonly Txid[]
  /** Hex of the new blocks' transactions, from the lowest block on; by default they are empty. */
  blocks?: readonly (readonly string[])[]
}

export interface Reorg {
  /** The highest block that both chains share. */
  forkHeight: number
  disconnected: readonly BlockHash[]
  connected: readonly string[]
}

export interface Confirmable {
  /** False leaves it in the mempool; otherwise one block is mined. */
  confirm?: boolean
}

export interface InscribeOptions extends InscriptionContent, Confirmable {
  /** Value of the inscription's output, sats. */
  postage: bigint
}

const DEFAULT_INITIAL_BLOCKS = 120
const HEX = /^(?:[0-9a-f]{2})+$/

/**
 * A regtest node with an inscription index, in this process, for playing and for tests. When an
 * operation returns, it is complete, and durable if there is a folder. Operations throw
 * `NodeUnavailableError` while the node is down.
 */
export class Devnet {
  readonly node: FullNode & BlockSource
  readonly index: AssetIndex & ContentSource
  readonly #regtest: RegtestNode
  readonly #follower: IndexFollower
  readonly #miner: Miner
  readonly #clock: Clock
  readonly #store: DevnetStore | null

  constructor({ dataDir, clock, initialBlocks, indexSavepoints }: DevnetOptions) {
    this.#clock = clock
    this.#regtest = new RegtestNode()
    const savepoints = indexSavepoints === 'all' ? Number.POSITIVE_INFINITY : indexSavepoints
    this.#follower = new IndexFollower(this.#regtest.chain, savepoints)
    this.#miner = new Miner(this.#regtest, (outpoint) => this.#follower.isInscribed(outpoint))
    this.node = new DevnetNode(this.#regtest)
    this.index = new DevnetIndex(this.#follower, this.#regtest)
    this.#store = dataDir === null ? null : new DevnetStore(dataDir)
    const saved = this.#store?.load(this.#regtest)
    if (saved) this.#follower.restore(saved)
    else this.mine(initialBlocks ?? DEFAULT_INITIAL_BLOCKS)
  }

  /** The outpoint of an output with this value, in sats, that pays a script (hex) or an address. */
  fund(to: string, sats: bigint, { confirm = true }: Confirmable = {}): Outpoint {
    return this.#change(() => {
      const tx = this.#miner.pay([{ script: scriptOf(to), valueSats: sats }])
      this.#regtest.submit(tx)
      if (confirm) this.#mineOne()
      return { txid: tx.txid, vout: 0 }
    })
  }

  /** Pays these outputs in a block, the change last. The txid. */
  pay(outputs: readonly Payment[]): Txid {
    return this.#change(() => {
      const tx = this.#miner.pay(outputs)
      this.#regtest.submit(tx)
      this.#mineOne()
      return tx.txid
    })
  }

  /** Broadcasts, and mines a block. The txid; throws as `submit` does. */
  confirm(hex: string): Txid {
    const txid = this.submit(hex)
    this.mine(1)
    return txid
  }

  /** Makes an inscription that arrives at offset 0 of an output paying a script (hex) or an address. */
  inscribe(
    to: string,
    { contentType, body, postage, confirm = true }: InscribeOptions,
  ): { inscriptionId: string; outpoint: Outpoint } {
    return this.#change(() => {
      const payment = { script: scriptOf(to), valueSats: postage }
      const { commit, reveal, inscriptionId } = inscribing(this.#miner, payment, {
        contentType,
        body,
      })
      this.#regtest.submit(commit)
      this.#regtest.submit(reveal)
      if (confirm) this.#mineOne()
      return { inscriptionId, outpoint: { txid: reveal.txid, vout: 0 } }
    })
  }

  /** Mines blocks. Their hashes in order. */
  mine(count: number, options: MineOptions = {}): readonly BlockHash[] {
    return this.#change(() =>
      Array.from({ length: count }, (_, index) => {
        const { transactions, coinbaseScriptHex } = options
        const exactly = index === 0 ? transactions?.map(decodeTx) : undefined
        return this.#mineOne(exactly, coinbaseScriptHex).hash
      }),
    )
  }

  /** One block with exactly these transactions. Its hash; throws `InvalidBlockError`. */
  generateBlock(transactionsHex: readonly string[]): string {
    return this.#change(() => this.#mineOne(transactionsHex.map(decodeTx)).hash)
  }

  /**
   * Replaces the last `depth` blocks with `depth + 1` others. Transactions of the old ones return
   * to the mempool. Throws `InvalidBlockError` when the given blocks are not valid there.
   */
  reorg(depth: number, { dropTransactions = [], blocks = [] }: ReorgOptions = {}): Reorg {
    return this.#change(() => {
      const { chain } = this.#regtest
      const fork = chain.at(chain.tip.height - depth)
      if (!fork || depth < 1) throw new RangeError(`a reorg of ${depth} blocks is not possible`)
      const gone = chain.activeAbove(fork)
      let parent = fork
      const connected = Array.from({ length: depth + 1 }, (_, index) => {
        const txs = (blocks[index] ?? []).map(decodeTx)
        parent = this.#regtest.acceptBlock(this.#build(parent, txs, 0n))
        return parent.hash
      })
      const back = gone.flatMap(({ txs }) => txs.map(({ txid }) => txid))
      for (const txid of dropTransactions === 'all' ? back : dropTransactions)
        this.#regtest.evict(txid)
      return { forkHeight: fork.height, disconnected: gone.map(({ hash }) => hash), connected }
    })
  }

  /** Broadcasts. The txid; throws `TransactionRefusedError` or `UndecodableTransactionError`. */
  submit(hex: string): Txid {
    return this.#change(() => {
      const tx = decodeTx(hex)
      this.#regtest.submit(tx)
      return tx.txid
    })
  }

  /** Removes a transaction and its descendants from the mempool. */
  evict(txid: Txid): void {
    this.#change(() => this.#regtest.evict(txid))
  }

  /** As `invalidateblock`: the chain falls back to the best without this block. */
  invalidate(blockHash: BlockHash): void {
    this.#change(() => this.#regtest.invalidate(this.#known(blockHash)))
  }

  /** As `reconsiderblock`. */
  reconsider(blockHash: BlockHash): void {
    this.#change(() => this.#regtest.reconsider(this.#known(blockHash)))
  }

  stopNode(): void {
    this.#regtest.enter('stopped')
  }

  /** Starts a stopped node, or moves one that is warming up to another phase of its start. */
  startNode(phase: Exclude<NodePhase, 'stopped'> = 'ready'): void {
    this.#regtest.enter(phase)
    if (phase !== 'warming-up') this.#change(() => undefined)
  }

  stopIndex(): void {
    this.#follower.stop()
    this.#save()
  }

  startIndex(): void {
    this.#follower.start()
    this.#save()
  }

  /** Keeps the index at or below a height; null releases it. */
  holdIndex(height: number | null): void {
    this.#follower.hold(height)
    this.#save()
  }

  /** Puts the index in the state after a reorg that is deeper than its savepoints. */
  breakIndex(): void {
    this.#follower.breakDown()
    this.#save()
  }

  /** Indexes the chain from nothing: the cure after `breakIndex`. The index's version changes. */
  rebuildIndex(): void {
    this.#follower.rebuild()
    this.#save()
  }

  async close(): Promise<void> {
    this.#regtest.enter('stopped')
    await this.#store?.close()
  }

  #change<T>(action: () => T): T {
    this.#regtest.assertServing()
    try {
      return action()
    } finally {
      this.#follower.follow()
      this.#save()
    }
  }

  #save(): void {
    this.#store?.save(this.#regtest, this.#follower.state)
  }

  #known(blockHash: BlockHash): ChainBlock {
    const block = this.#regtest.chain.block(blockHash)
    if (!block) throw new RangeError(`the node does not have block ${blockHash}`)
    return block
  }

  /** Like Core, a block with given transactions does not claim their fees. */
  #mineOne(exactly?: readonly Tx[], coinbaseScriptHex?: string): ChainBlock {
    const chosen = exactly ? [] : this.#regtest.blockTransactions()
    const txs = exactly ?? chosen.map(({ tx }) => tx)
    const fees = chosen.reduce((sum, { feeSats }) => sum + feeSats, 0n)
    const { tip } = this.#regtest.chain
    return this.#regtest.acceptBlock(this.#build(tip, txs, fees, coinbaseScriptHex))
  }

  #build(
    parent: ChainBlock,
    transactions: readonly Tx[],
    feeSats: bigint,
    coinbaseScriptHex?: string,
  ): ReturnType<typeof buildBlock> {
    const height = parent.height + 1
    return buildBlock({
      prevHash: parent.hash,
      height,
      time: Math.max(Math.floor(this.#clock.now() / 1000), parent.medianTime + 1),
      transactions,
      rewardSats: subsidyAt(height) + feeSats,
      coinbaseScript:
        coinbaseScriptHex === undefined
          ? this.#miner.script
          : Buffer.from(coinbaseScriptHex, 'hex'),
      extraNonce: this.#regtest.chain.size,
    })
  }
}

/** Opens a new devnet, or the one in the folder. Always regtest. */
export const openDevnet = (options: DevnetOptions): Devnet => new Devnet(options)

function scriptOf(to: string): Uint8Array {
  const scriptHex = HEX.test(to) ? to : scriptOfAddress(to, 'regtest')
  if (scriptHex === null) throw new RangeError(`${to} is neither a script nor a regtest address`)
  return Buffer.from(scriptHex, 'hex')
}
