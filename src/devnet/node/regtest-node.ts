import type { Block } from 'bitcoinjs-lib'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { NodeTrouble } from '../../schemas/evidence.ts'
import type { BlockHash, Txid } from '../../schemas/scalars.ts'
import { type Acceptance, judgeAcceptance } from './acceptance.ts'
import { Chain, type ChainBlock, InvalidBlockError } from './chain.ts'
import { type Coin, isFinal, isPast, sequenceLock } from './consensus.ts'
import { byFeerate, type Chunk, feerateChunks } from './feerate-diagram.ts'
import { Mempool, type PooledTransaction } from './mempool.ts'
import { Pushes } from './pushes.ts'
import { COINBASE_MATURITY, MAX_BLOCK_WEIGHT } from './regtest.ts'
import { inTopologicalOrder, type Tx } from './tx.ts'
import { scriptFailure } from './verify-scripts.ts'

/** The node refuses a transaction; `reason` as `sendrawtransaction` words it. */
export class TransactionRefusedError extends Error {
  override name = 'TransactionRefusedError'
  readonly reason: string

  constructor(reason: string) {
    super(`transaction refused: ${reason}`)
    this.reason = reason
  }
}

export type NodePhase = 'ready' | 'loading-mempool' | 'warming-up' | 'stopped'

/** Core readmits transactions of at most this many blocks that `invalidateblock` disconnects. */
const MAX_INVALIDATED_RETURN = 10
/** Room that Core's miner leaves for the header and the coinbase, weight units. */
const RESERVED_WEIGHT = 8_000
const WITNESS_SCALE = 4
/** Core's default for `maxfeerate`: 0.10 BTC/kvB. */
const MAX_FEE_SATS_PER_VBYTE = 10_000n

/** Reasons that `sendrawtransaction` words differently from `testmempoolaccept`. */
const BROADCAST_WORDS: Record<string, string> = {
  'txn-already-known': 'Transaction outputs already in utxo set',
}

const TROUBLE: Record<NodePhase, NodeTrouble | null> = {
  ready: null,
  'loading-mempool': null,
  'warming-up': 'node_warming_up',
  stopped: 'node_unavailable',
}

/**
 * Chain and mempool as one node: every change goes through here, keeps both consistent, and is
 * published in the order of Core's ZMQ topic `sequence`.
 */
export class RegtestNode {
  readonly chain = new Chain((tx, coins) => this.#scriptFailure(tx, coins))
  readonly mempool = new Mempool()
  readonly pushes = new Pushes()
  readonly #verified = new Set<string>()
  #phase: NodePhase = 'ready'

  get phase(): NodePhase {
    return this.#phase
  }

  /** Throws `NodeUnavailableError` unless the node answers. */
  assertServing(): void {
    const trouble = TROUBLE[this.#phase]
    if (trouble) throw new NodeUnavailableError(trouble, `the devnet's node is ${this.#phase}`)
  }

  /** Starting a stopped node resets its mempool, and the sequence begins at 1. */
  enter(phase: NodePhase): void {
    const wasDown = TROUBLE[this.#phase] !== null
    this.#phase = phase
    if (TROUBLE[phase] !== null || !wasDown) return
    this.pushes.publish({ kind: 'gap', detail: 'the node restarted' })
    for (const tx of this.mempool.restart()) this.#tryAdd(tx)
  }

  /** Brings a new node to a saved state. */
  restore(tip: BlockHash, invalid: readonly string[], mempool: readonly Tx[]): void {
    this.chain.restore(tip, invalid)
    for (const tx of inTopologicalOrder(mempool)) this.#tryAdd(tx)
  }

  /** Would it be accepted? Nothing changes. */
  test(tx: Tx): Acceptance {
    const acceptance = judgeAcceptance(tx, this.chain, this.mempool)
    if (acceptance.allowed && acceptance.entry.feeSats > MAX_FEE_SATS_PER_VBYTE * BigInt(tx.vsize))
      return { allowed: false, reason: 'max-fee-exceeded' }
    return acceptance
  }

  /**
   * Accepts a transaction; one that is already there is not an error. Throws
   * `TransactionRefusedError`.
   */
  submit(tx: Tx): void {
    if (this.mempool.entries.has(tx.txid)) return
    const acceptance = judgeAcceptance(tx, this.chain, this.mempool)
    if (!acceptance.allowed)
      throw new TransactionRefusedError(BROADCAST_WORDS[acceptance.reason] ?? acceptance.reason)
    this.#accept(acceptance)
  }

  /** Drops a transaction and its descendants, as expiry and a full mempool do. */
  evict(txid: Txid): void {
    this.#removeAll([txid])
  }

  /** Adds a block; the longest chain becomes active. Throws `InvalidBlockError`. */
  acceptBlock(raw: Block): ChainBlock {
    const block = this.chain.add(raw)
    this.#activate(block.parent === this.chain.tip ? block : this.chain.best())
    return block
  }

  /** As `invalidateblock`. */
  invalidate(block: ChainBlock): void {
    this.chain.invalidate(block)
    let disconnected = 0
    while (this.chain.isActive(block)) {
      const { txs } = this.#disconnect()
      this.#resurrect(txs, ++disconnected <= MAX_INVALIDATED_RETURN ? 'return' : 'drop')
    }
    this.#activate(this.chain.best())
  }

  /** As `reconsiderblock`. */
  reconsider(block: ChainBlock): void {
    this.chain.reconsider(block)
    this.#activate(this.chain.best())
  }

  /** What a miner takes into the next block: best feerate first, parents before children. */
  blockTransactions(): readonly PooledTransaction[] {
    const seen = new Set<string>()
    const chunks: Chunk<PooledTransaction>[] = []
    for (const txid of this.mempool.entries.keys()) {
      if (seen.has(txid)) continue
      const cluster = this.mempool.clusters([txid])
      for (const entry of cluster) seen.add(entry.txid)
      chunks.push(...feerateChunks(cluster))
    }
    const chosen: PooledTransaction[] = []
    let weight = RESERVED_WEIGHT
    for (const { txs, vsize } of chunks.sort(byFeerate)) {
      weight += vsize * WITNESS_SCALE
      if (weight > MAX_BLOCK_WEIGHT) break
      chosen.push(...txs)
    }
    return chosen
  }

  #activate(best: ChainBlock): void {
    const { tip } = this.chain
    if (best === tip) return
    const path = pathTo(best, this.chain)
    const gone: ChainBlock[] = []
    const fork = path[0]?.parent ?? best
    while (this.chain.tip !== fork) gone.push(this.#disconnect())
    const connected: ChainBlock[] = []
    for (const block of path) {
      try {
        this.chain.connect(block)
      } catch (error) {
        if (!(error instanceof InvalidBlockError)) throw error
        this.chain.invalidate(block)
        this.#finish(gone, connected)
        this.#activate(this.chain.best())
        throw error
      }
      this.#removeMined(block)
      connected.push(block)
    }
    this.#finish(gone, connected)
  }

  #finish(gone: readonly ChainBlock[], connected: readonly ChainBlock[]): void {
    if (gone.length > 0) {
      const mined = new Set(connected.flatMap(({ txs }) => txs.map(({ txid }) => txid)))
      const back = [...gone].reverse().flatMap(({ txs }) => txs)
      this.#resurrect(
        back.filter(({ txid }) => !mined.has(txid)),
        'return',
      )
    }
    for (const { hash } of connected) this.pushes.publish({ kind: 'connected', hash })
  }

  #disconnect(): ChainBlock {
    const block = this.chain.disconnect()
    this.pushes.publish({ kind: 'disconnected', hash: block.hash })
    return block
  }

  /** Core `removeForBlock`: mined transactions leave silently, conflicting ones are published. */
  #removeMined({ txs }: ChainBlock): void {
    for (const tx of txs) {
      this.mempool.remove(tx.txid)
      const conflicts = tx.prevouts.flatMap((prevout) => this.mempool.spender(prevout) ?? [])
      this.#removeAll(conflicts)
    }
  }

  /**
   * Core `MaybeUpdateMempoolForReorg`: readmits disconnected transactions, oldest first, and drops
   * those that spend transactions not readmitted or that are invalid on the new tip.
   */
  #resurrect(txs: readonly Tx[], fate: 'return' | 'drop'): void {
    for (const tx of txs) {
      const returned = fate === 'return' && this.#tryAdd(tx, 'resurrected')
      if (!returned) this.#removeAll(this.mempool.childrenOf(tx))
    }
    const broken = [...this.mempool.entries.values()].filter((entry) => !this.#holds(entry))
    this.#removeAll(broken.map(({ txid }) => txid))
  }

  /** Still final, and not spending immature coins? */
  #holds(entry: PooledTransaction): boolean {
    const { tx } = entry
    const view = this.chain.nextBlockView()
    const coins = tx.prevouts.map(
      (prevout) => this.mempool.coin(prevout, view.height) ?? this.chain.coin(prevout),
    )
    if (!coins.every((coin) => coin !== undefined)) return false
    if (!isFinal(tx, view.height, view.medianTime)) return false
    // As in Core: a transaction locked to a parent in the mempool does not survive a lower tip.
    if (!this.chain.isActive(entry.lockedTo)) {
      entry.lock = sequenceLock(tx, coins, view)
      entry.lockedTo = this.chain.at(entry.lock.youngestHeight) ?? this.chain.tip
    }
    if (!isPast(entry.lock, view)) return false
    return coins.every((coin) => !coin.coinbase || view.height - coin.height >= COINBASE_MATURITY)
  }

  #tryAdd(tx: Tx, resurrected: 'resurrected' | null = null): boolean {
    const acceptance = judgeAcceptance(tx, this.chain, this.mempool, resurrected)
    if (acceptance.allowed) this.#accept(acceptance)
    return acceptance.allowed
  }

  #accept({ entry, replaces }: Extract<Acceptance, { allowed: true }>): void {
    for (const { txid } of replaces) this.#remove(txid)
    const mempoolSequence = this.mempool.add(entry)
    const { tx } = entry
    this.#verified.add(witnessId(tx))
    this.pushes.publish({ kind: 'added', txid: tx.txid, mempoolSequence, hex: tx.hex })
  }

  #scriptFailure(tx: Tx, coins: readonly Coin[]): string | null {
    return this.#verified.has(witnessId(tx)) ? null : scriptFailure(tx, coins)
  }

  #removeAll(txids: readonly Txid[]): void {
    for (const { txid } of this.mempool.withDescendants(txids)) this.#remove(txid)
  }

  #remove(txid: Txid): void {
    const mempoolSequence = this.mempool.remove(txid)
    if (mempoolSequence !== null) this.pushes.publish({ kind: 'removed', txid, mempoolSequence })
  }
}

/** The blocks to connect for this one to be the tip, lowest first. */
function pathTo(block: ChainBlock, chain: Chain): ChainBlock[] {
  const path: ChainBlock[] = []
  for (let at: ChainBlock | null = block; at && !chain.isActive(at); at = at.parent)
    path.unshift(at)
  return path
}

const witnessId = ({ raw }: Tx): string => Buffer.from(raw.getHash(true)).toString('base64')
