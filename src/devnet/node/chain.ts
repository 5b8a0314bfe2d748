import { Block } from 'bitcoinjs-lib'
import { blockId, displayBlockHash } from '../../domain/chain/hash256.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import type { BlockHash, OutpointText, Txid } from '../../schemas/scalars.ts'
import {
  type Coin,
  feeOf,
  isFinal,
  isOutsideUtxoSet,
  isPast,
  type LockView,
  malformation,
  outputSum,
  sequenceLock,
} from './consensus.ts'
import { GENESIS_HEX, MAX_BLOCK_WEIGHT, POW_BITS, subsidyAt } from './regtest.ts'
import { type Tx, txOf } from './tx.ts'

export interface ChainBlock {
  hash: BlockHash
  height: number
  parent: ChainBlock | null
  /** Unix seconds. */
  time: number
  medianTime: number
  raw: Block
  /** The coinbase first. */
  txs: readonly Tx[]
  /** For every transaction except the coinbase, in order: the coins that its inputs spent. */
  undo: readonly (readonly Coin[])[]
}

/** A script that does not run to true; null when every input's does. */
export type VerifyScripts = (tx: Tx, coins: readonly Coin[]) => string | null

/** A block that breaks the rules; `message` is Core's reject reason. */
export class InvalidBlockError extends Error {
  override name = 'InvalidBlockError'
}

const MEDIAN_SPAN = 11

/**
 * A tree of blocks and the one branch of it that is active, with the UTXO set at its tip and the
 * indexes that a node with `-txindex -txospenderindex` keeps. Stale blocks stay.
 */
export class Chain {
  readonly #blocks = new Map<string, ChainBlock>()
  readonly #arrived: ChainBlock[] = []
  readonly #active: ChainBlock[] = []
  readonly #invalid = new Set<string>()
  readonly #coins = new Map<OutpointText, Coin>()
  readonly #byScript = new Map<string, Set<OutpointText>>()
  readonly #transactions = new Map<string, { tx: Tx; block: ChainBlock }>()
  readonly #spenders = new Map<string, { txid: Txid; blockHash: BlockHash }>()
  readonly #verifyScripts: VerifyScripts

  constructor(verifyScripts: VerifyScripts) {
    this.#verifyScripts = verifyScripts
    const raw = Block.fromHex(GENESIS_HEX)
    const time = raw.timestamp
    const genesis = { ...rootsOf(raw), height: 0, parent: null, time, medianTime: time, undo: [] }
    this.#keep(genesis)
    this.#active.push(genesis)
  }

  get tip(): ChainBlock {
    const tip = this.#active.at(-1)
    if (!tip) throw new Error('a chain has its genesis block')
    return tip
  }

  /** Blocks in order of arrival, the genesis block first. */
  arrivedFrom(index: number): readonly ChainBlock[] {
    return this.#arrived.slice(index)
  }

  get invalid(): ReadonlySet<string> {
    return this.#invalid
  }

  at(height: number): ChainBlock | undefined {
    return this.#active[height]
  }

  block(hash: BlockHash): ChainBlock | undefined {
    return this.#blocks.get(hash)
  }

  isActive(block: ChainBlock): boolean {
    return this.#active[block.height] === block
  }

  coin(outpoint: OutpointText): Coin | undefined {
    return this.#coins.get(outpoint)
  }

  get coins(): ReadonlyMap<OutpointText, Coin> {
    return this.#coins
  }

  /** Outpoints of the coins with this script, oldest first. */
  coinsOf(script: Uint8Array): Iterable<OutpointText> {
    return this.#byScript.get(scriptKey(script)) ?? []
  }

  /** The active blocks above one of them, lowest first. */
  activeAbove(block: ChainBlock): readonly ChainBlock[] {
    return this.#active.slice(block.height + 1)
  }

  /** How many blocks are known, stale ones included. */
  get size(): number {
    return this.#arrived.length
  }

  /** As `-txindex`: a transaction of a stale block stays until another block has it. */
  transaction(txid: Txid): { tx: Tx; block: ChainBlock } | undefined {
    return this.#transactions.get(txid)
  }

  spender(outpoint: OutpointText): { txid: Txid; blockHash: BlockHash } | undefined {
    return this.#spenders.get(outpoint)
  }

  /** The height and times that lock rules need for a block on top of this one. */
  nextBlockView(parent: ChainBlock = this.tip): LockView {
    return {
      height: parent.height + 1,
      medianTime: parent.medianTime,
      medianTimeAt: (height) => this.#active[height]?.medianTime ?? parent.medianTime,
    }
  }

  /** Adds a block to the tree; its contents are checked when it becomes active. */
  add(raw: Block): ChainBlock {
    const parent = raw.prevHash && this.#blocks.get(displayBlockHash(raw.prevHash))
    if (!parent) throw new InvalidBlockError('prev-blk-not-found')
    const known = this.#blocks.get(raw.getId())
    if (known) return known
    if (raw.bits !== POW_BITS || !raw.checkProofOfWork()) throw new InvalidBlockError('high-hash')
    if (raw.timestamp <= parent.medianTime) throw new InvalidBlockError('time-too-old')
    if (!raw.checkTxRoots()) throw new InvalidBlockError('bad-txnmrklroot')
    if (raw.weight() > MAX_BLOCK_WEIGHT) throw new InvalidBlockError('bad-blk-weight')
    const block: ChainBlock = {
      ...rootsOf(raw),
      height: parent.height + 1,
      parent,
      time: raw.timestamp,
      medianTime: medianTimeAfter(parent, raw.timestamp),
      undo: [],
    }
    this.#keep(block)
    return block
  }

  /** The block with the most work that is not ruled out; the first seen among equals. */
  best(): ChainBlock {
    let best: ChainBlock | undefined
    for (const block of this.#arrived)
      if (block.height >= this.tip.height && (!best || block.height > best.height))
        if (!this.#ruledOut(block)) best = block
    return best ?? this.tip
  }

  /** Rules a block out with its descendants; `reconsider` undoes it, as the RPCs of these names. */
  invalidate(block: ChainBlock): void {
    this.#invalid.add(block.hash)
  }

  reconsider(block: ChainBlock): void {
    for (const hash of this.#invalid) {
      const marked = this.#blocks.get(hash)
      if (marked && (descends(block, marked) || descends(marked, block))) this.#invalid.delete(hash)
    }
  }

  /** Restores a saved state, whose blocks were checked when they came. */
  restore(tip: BlockHash, invalid: readonly string[]): void {
    for (const hash of invalid) this.#invalid.add(hash)
    const path: ChainBlock[] = []
    let block = this.#blocks.get(tip)
    for (; block && !this.isActive(block); block = block.parent ?? undefined) path.unshift(block)
    const active = new Set(path)
    // The transaction index goes back: to transactions of stale blocks, unless an active block also
    // has them.
    for (const stale of this.#arrived)
      if (!active.has(stale) && !this.isActive(stale)) this.#indexTransactions(stale)
    for (const next of path) this.connect(next, 'trust')
  }

  /** Adds a block on the tip. Throws `InvalidBlockError` and changes nothing when a rule forbids it. */
  connect(block: ChainBlock, scripts: 'verify' | 'trust' = 'verify'): void {
    if (block.parent !== this.tip) throw new InvalidBlockError('prev-blk-not-tip')
    const changed = new Map<OutpointText, Coin | null>()
    const coinOf = (outpoint: OutpointText) =>
      changed.has(outpoint) ? changed.get(outpoint) : this.#coins.get(outpoint)
    const undo: Coin[][] = []
    let fees = 0n
    if (block.txs.some((tx) => this.#overwrites(tx))) throw new InvalidBlockError('bad-txns-BIP30')
    block.txs.forEach((tx, index) => {
      if (index > 0) {
        const coins = spentCoins(tx, coinOf)
        fees += this.#judge(tx, coins, block, scripts)
        for (const prevout of tx.prevouts) changed.set(prevout, null)
        undo.push(coins)
      }
      addCoins(tx, block.height, index === 0, changed)
    })
    const [coinbase] = block.txs
    if (!coinbase || outputSum(coinbase.raw) > subsidyAt(block.height) + fees)
      throw new InvalidBlockError('bad-cb-amount')

    block.undo = undo
    for (const [outpoint, coin] of changed)
      if (coin) this.#addCoin(outpoint, coin)
      else this.#deleteCoin(outpoint)
    this.#indexTransactions(block)
    for (const tx of block.txs) {
      if (tx === coinbase) continue
      for (const prevout of tx.prevouts)
        this.#spenders.set(prevout, { txid: tx.txid, blockHash: block.hash })
    }
    this.#active.push(block)
  }

  /** Removes the tip and returns it. */
  disconnect(): ChainBlock {
    const block = this.tip
    if (!block.parent) throw new Error('the genesis block stays')
    for (let index = block.txs.length - 1; index >= 0; index--) {
      const tx = block.txs[index]
      if (!tx) continue
      tx.raw.outs.forEach((_, vout) => {
        this.#deleteCoin(outpointText({ txid: tx.txid, vout }))
      })
      tx.prevouts.forEach((prevout, input) => {
        this.#spenders.delete(prevout)
        const coin = block.undo[index - 1]?.[input]
        if (coin) this.#addCoin(prevout, coin)
      })
    }
    this.#active.pop()
    return block
  }

  #keep(block: ChainBlock): void {
    this.#blocks.set(block.hash, block)
    this.#arrived.push(block)
  }

  #addCoin(outpoint: OutpointText, coin: Coin): void {
    this.#coins.set(outpoint, coin)
    const key = scriptKey(coin.script)
    const sameScript = this.#byScript.get(key)
    if (sameScript) sameScript.add(outpoint)
    else this.#byScript.set(key, new Set([outpoint]))
  }

  #deleteCoin(outpoint: OutpointText): void {
    const coin = this.#coins.get(outpoint)
    if (!coin) return
    this.#coins.delete(outpoint)
    const key = scriptKey(coin.script)
    const sameScript = this.#byScript.get(key)
    sameScript?.delete(outpoint)
    if (sameScript?.size === 0) this.#byScript.delete(key)
  }

  #indexTransactions(block: ChainBlock): void {
    for (const tx of block.txs) this.#transactions.set(tx.txid, { tx, block })
  }

  /** BIP30: an output must not replace one that is unspent. */
  #overwrites({ txid, raw }: Tx): boolean {
    return raw.outs.some((_, vout) => this.#coins.has(outpointText({ txid, vout })))
  }

  #ruledOut(block: ChainBlock): boolean {
    if (this.#invalid.size === 0) return false
    for (let at: ChainBlock | null = block; at; at = at.parent)
      if (this.#invalid.has(at.hash)) return true
    return false
  }

  #judge(tx: Tx, coins: readonly Coin[], block: ChainBlock, scripts: 'verify' | 'trust'): bigint {
    const view = this.nextBlockView(block.parent ?? block)
    const malformed = malformation(tx)
    if (malformed) throw new InvalidBlockError(malformed)
    const fee = feeOf(tx, coins, block.height)
    if ('reason' in fee) throw new InvalidBlockError(fee.reason)
    if (!isFinal(tx, view.height, view.medianTime) || !isPast(sequenceLock(tx, coins, view), view))
      throw new InvalidBlockError('bad-txns-nonfinal')
    const failure = scripts === 'verify' ? this.#verifyScripts(tx, coins) : null
    if (failure) throw new InvalidBlockError(`block-script-verify-flag-failed (${failure})`)
    return fee.feeSats
  }
}

function rootsOf(raw: Block): { raw: Block; hash: BlockHash; txs: readonly Tx[] } {
  return { raw, hash: blockId(raw), txs: (raw.transactions ?? []).map(txOf) }
}

function spentCoins(tx: Tx, coinOf: (outpoint: OutpointText) => Coin | null | undefined): Coin[] {
  return tx.prevouts.map((prevout) => {
    const coin = coinOf(prevout)
    if (!coin) throw new InvalidBlockError('bad-txns-inputs-missingorspent')
    return coin
  })
}

function addCoins(tx: Tx, height: number, coinbase: boolean, to: Map<string, Coin | null>): void {
  tx.raw.outs.forEach(({ value, script }, vout) => {
    if (isOutsideUtxoSet(script)) return
    const coin = { valueSats: value, script, height, coinbase }
    to.set(outpointText({ txid: tx.txid, vout }), coin)
  })
}

const scriptKey = (script: Uint8Array): string => Buffer.from(script).toString('latin1')

const descends = (block: ChainBlock, from: ChainBlock): boolean => {
  let at: ChainBlock | null = block
  while (at && at.height > from.height) at = at.parent
  return at === from
}

/** The median of the last 11 block times, this one included (BIP113). */
function medianTimeAfter(parent: ChainBlock, time: number): number {
  const times = [time]
  for (let at: ChainBlock | null = parent; at && times.length < MEDIAN_SPAN; at = at.parent)
    times.push(at.time)
  times.sort((a, b) => a - b)
  return times[times.length >> 1] ?? time
}
