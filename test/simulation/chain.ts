import { createHash } from 'node:crypto'
import type { NodeChange } from '../../src/ports/authorities/full-node.ts'
import type { NodeTrouble } from '../../src/schemas/evidence.ts'
import type { BlockHash, BlockRef, Txid } from '../../src/schemas/scalars.ts'
import { toBlockHash } from '../support/ids.ts'
import { Moments } from './moments.ts'
import { coinbaseOf, type SimTransaction, transactionOf } from './transactions.ts'

export interface SimBlock extends BlockRef {
  prevHash: BlockHash | null
  time: number
  medianTime: number
  transactions: readonly SimTransaction[]
}

/** Sequence numbers start lower after each restart, so that none is used twice. */
const FIRST_SEQUENCE = 10_000_000
const SEQUENCES_A_LIFE = 50_000
const FIRST_TIME = Date.UTC(2029, 11, 30) / 1_000
const COINS_A_BLOCK = 1
/** P2WPKH without a known key. */
export const NOBODY = `0014${'11'.repeat(20)}`

/**
 * A chain and a mempool without a clock and without signatures, with a set of unspent outputs that
 * is updated step by step, so that a seed of thousands of changes stays cheap.
 */
export class SimChain {
  readonly blocks = new Map<string, SimBlock>()
  active: BlockHash[] = []
  readonly mempool = new Map<Txid, SimTransaction>()
  sequence = FIRST_SEQUENCE
  /** Bodies that the node no longer has. */
  readonly pruned = new Set<string>()
  trouble: NodeTrouble | null = null
  initialBlockDownload = false
  readonly moments: Moments
  /** What a restarted or rewound node has not reconnected yet, the next block first. */
  #ahead: string[] = []
  /** The position of a transaction of the best chain; null for those in the mempool. */
  readonly #places = new Map<string, string | null>()
  readonly #known = new Map<string, SimTransaction>()
  /** Who spends an output, in the chain and in the mempool. */
  readonly #spentBy = new Map<string, string>()
  readonly #claimedBy = new Map<string, Txid>()
  readonly #listeners = new Set<(change: NodeChange) => void>()
  #isDeaf = false
  #salt = 0
  /** When each stale block left. */
  readonly #left = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
    this.moments = new Moments((outpoint) => this.stateOf(outpoint))
    this.mine([])
  }

  // ---- state

  get tip(): SimBlock {
    return this.at(this.active.at(-1) ?? '')
  }

  at(hash: string): SimBlock {
    const block = this.blocks.get(hash)
    if (!block) throw new Error(`no block ${hash}`)
    return block
  }

  isActive({ height, hash }: BlockRef): boolean {
    return this.active[height] === hash
  }

  transaction(txid: string): SimTransaction | undefined {
    return this.#known.get(txid)
  }

  /** The block of a transaction, null in the mempool, undefined where it is in neither. */
  placeOf(txid: string): SimBlock | null | undefined {
    const place = this.#places.get(txid)
    return typeof place === 'string' ? this.at(place) : place
  }

  /** Its spender in a block. */
  spenderOf(outpoint: string): SimTransaction | undefined {
    const txid = this.#spentBy.get(outpoint)
    return txid === undefined ? undefined : this.#known.get(txid)
  }

  /** Its spender in the mempool. */
  claimerOf(outpoint: string): SimTransaction | undefined {
    const txid = this.#claimedBy.get(outpoint)
    return txid === undefined ? undefined : this.#known.get(txid)
  }

  stateOf(outpoint: string): OutputState {
    const [txid = ''] = outpoint.split(':')
    const place = this.#places.get(txid)
    if (place === undefined) return 'absent'
    if (this.#spentBy.has(outpoint)) return 'spent'
    if (this.#claimedBy.has(outpoint)) return 'claimed'
    return place === null ? 'unconfirmed' : 'unspent'
  }

  /** Its inputs exist and no other transaction spends them. */
  fits({ txid, inputs }: SimTransaction): boolean {
    return inputs.every((outpoint) => {
      const claimer = this.#claimedBy.get(outpoint)
      const [made = ''] = outpoint.split(':')
      const isFree = !this.#spentBy.has(outpoint) && (claimer === undefined || claimer === txid)
      return this.#places.has(made) && isFree
    })
  }

  /** Is it on the best chain now, or was it there after that moment? */
  wasActive(hash: string, since: number): boolean {
    const block = this.blocks.get(hash)
    return (block !== undefined && this.isActive(block)) || (this.#left.get(hash) ?? -1) >= since
  }

  // ---- subscribers

  listen(listener: (change: NodeChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Notifications are lost from here on, until `hear`. */
  deafen(): void {
    this.#isDeaf = true
  }

  hear(): void {
    if (!this.#isDeaf) return
    this.#isDeaf = false
    this.#push({ kind: 'gap', detail: 'a notification was lost' })
  }

  // ---- events

  /** A new transaction; it is nowhere yet. */
  make(inputs: readonly string[], outputs: SimTransaction['outputs']): SimTransaction {
    const made = transactionOf(inputs, outputs, ++this.#salt)
    this.#known.set(made.txid, made)
    return made
  }

  /** Into the mempool; conflicting ones there are replaced. False: it does not fit. */
  enter(transaction: SimTransaction): boolean {
    if (this.#ahead.length > 0 || this.#places.has(transaction.txid)) return false
    const rivals = transaction.inputs.flatMap((outpoint) => this.#claimedBy.get(outpoint) ?? [])
    for (const rival of new Set(rivals)) this.#evict(rival)
    if (this.fits(transaction)) this.#enter(transaction)
    this.#record()
    return this.#places.has(transaction.txid)
  }

  /** The transaction and its descendants leave the mempool. */
  evict(txid: Txid): void {
    this.#evict(txid)
    this.#record()
  }

  /** A block on the tip with these, in this order; what does not fit is omitted. */
  mine(transactions: readonly SimTransaction[]): SimBlock {
    const block = this.#build(this.active.at(-1) ?? null, transactions)
    this.#connect(block)
    this.#record()
    this.#push({ kind: 'connected', hash: block.hash })
    return block
  }

  /**
   * Replaces the last `depth` blocks with `length` others, whose contents are chosen from
   * everything then unconfirmed; of the rest, `dropped` does not return. Returns the stale tip.
   */
  reorg(
    depth: number,
    length: number,
    { isChosen, isDropped }: Record<'isChosen' | 'isDropped', (tx: SimTransaction) => boolean>,
  ): string {
    const stale = this.tip.hash
    const back = this.#disconnect(depth)
    for (const transaction of back)
      if (!isDropped(transaction) && this.fits(transaction)) this.#enter(transaction)
    const made: SimBlock[] = []
    for (let n = 0; n < length; n += 1) {
      const chosen = [...this.mempool.values()].filter(isChosen)
      const block = this.#build(this.active.at(-1) ?? null, chosen)
      this.#connect(block)
      made.push(block)
    }
    this.#record()
    for (const { hash } of made) this.#push({ kind: 'connected', hash })
    return stale
  }

  /** The best chain becomes the one that ends here. */
  switchTo(hash: string): void {
    const path: SimBlock[] = []
    for (let at = this.at(hash); !this.isActive(at); at = this.at(at.prevHash ?? ''))
      path.unshift(at)
    const fork = (path[0]?.height ?? this.tip.height + 1) - 1
    const back = this.#disconnect(this.tip.height - fork)
    for (const block of path) this.#connect(block)
    for (const transaction of back) if (this.fits(transaction)) this.#enter(transaction)
    this.#record()
    for (const block of path) this.#push({ kind: 'connected', hash: block.hash })
  }

  /** The node restarts with some of its mempool, and renumbers its changes. */
  restart(isKept: (tx: SimTransaction) => boolean): void {
    const kept = [...this.mempool.values()].filter(isKept)
    for (const txid of [...this.mempool.keys()]) this.#forget(txid)
    const life = Math.floor((FIRST_SEQUENCE - this.sequence) / SEQUENCES_A_LIFE) + 1
    this.sequence = FIRST_SEQUENCE - (life + 1) * SEQUENCES_A_LIFE
    for (const transaction of kept) if (this.fits(transaction)) this.#enter(transaction)
    this.#record()
    this.#push({ kind: 'gap', detail: 'the node restarted' })
  }

  /** The node lost its last blocks and reports that it is downloading, until `catchUp`. */
  rewind(depth: number): void {
    if (this.#ahead.length > 0) return
    this.#ahead = this.active.slice(this.active.length - depth)
    this.initialBlockDownload = true
    this.#disconnect(depth)
    this.restart(() => true)
  }

  catchUp(): void {
    for (const hash of this.#ahead.splice(0)) this.#connect(this.at(hash))
    this.initialBlockDownload = false
    this.#record()
  }

  get isRewound(): boolean {
    return this.#ahead.length > 0
  }

  // ---- helpers

  #build(prevHash: BlockHash | null, transactions: readonly SimTransaction[]): SimBlock {
    const height = prevHash === null ? 0 : this.at(prevHash).height + 1
    const time = FIRST_TIME + height * 600
    const text = `${prevHash} ${++this.#salt}`
    const hash = toBlockHash(createHash('sha256').update(text).digest('hex'))
    const coins = Array.from({ length: COINS_A_BLOCK }, () => ({
      valueSats: '5000',
      scriptHex: NOBODY,
    }))
    const coinbase = coinbaseOf(coins, this.#salt)
    this.#known.set(coinbase.txid, coinbase)
    const held = [coinbase, ...this.#minable(transactions)]
    const block = { height, hash, prevHash, time, medianTime: time - 3_600, transactions: held }
    this.blocks.set(hash, block)
    return block
  }

  /** Those that the next block may hold, parents first. */
  #minable(transactions: readonly SimTransaction[]): SimTransaction[] {
    const taken = new Map<string, SimTransaction>()
    const spent = new Set<string>()
    const rest = new Set(transactions)
    for (let before = -1; before !== taken.size; ) {
      before = taken.size
      for (const transaction of rest) {
        const isReady = transaction.inputs.every((outpoint) => {
          const [made = ''] = outpoint.split(':')
          const isThere = taken.has(made) || typeof this.#places.get(made) === 'string'
          return isThere && !spent.has(outpoint) && !this.#spentBy.has(outpoint)
        })
        if (!isReady) continue
        for (const outpoint of transaction.inputs) spent.add(outpoint)
        taken.set(transaction.txid, transaction)
        rest.delete(transaction)
      }
    }
    return [...taken.values()]
  }

  #connect(block: SimBlock): void {
    this.active.push(block.hash)
    for (const transaction of block.transactions) {
      const { txid, inputs } = transaction
      if (this.mempool.delete(txid)) {
        this.sequence += 1
        for (const outpoint of inputs) this.#claimedBy.delete(outpoint)
      }
      for (const outpoint of inputs) {
        const rival = this.#claimedBy.get(outpoint)
        if (rival !== undefined) this.#evict(rival)
        this.#spentBy.set(outpoint, txid)
      }
      this.#places.set(txid, block.hash)
      this.moments.touch(transaction)
    }
  }

  /** Returns the blocks' transactions except coinbases, oldest first; descendants are evicted. */
  #disconnect(depth: number): SimTransaction[] {
    const back: SimTransaction[] = []
    for (let n = 0; n < depth; n += 1) {
      const block = this.tip
      this.active.pop()
      this.#left.set(block.hash, this.#now())
      for (const transaction of block.transactions.toReversed()) {
        const { txid, inputs, outputs, isCoinbase } = transaction
        for (const outpoint of inputs) this.#spentBy.delete(outpoint)
        this.#places.delete(txid)
        this.moments.touch(transaction)
        if (!isCoinbase) back.unshift(transaction)
        for (const vout of outputs.keys()) {
          const orphan = this.#claimedBy.get(`${txid}:${vout}`)
          const child = orphan === undefined ? undefined : this.#known.get(orphan)
          if (child) back.push(child)
          if (orphan !== undefined) this.#evict(orphan)
        }
      }
      this.#push({ kind: 'disconnected', hash: block.hash })
    }
    return back
  }

  #enter(transaction: SimTransaction): void {
    const { txid, hex, inputs } = transaction
    if (this.#places.has(txid)) return
    this.mempool.set(txid, transaction)
    this.#places.set(txid, null)
    for (const outpoint of inputs) this.#claimedBy.set(outpoint, txid)
    this.moments.touch(transaction)
    this.#push({ kind: 'added', mempoolSequence: this.sequence++, txid, hex })
    this.#record()
  }

  #evict(txid: Txid): void {
    const transaction = this.mempool.get(txid)
    if (!transaction) return
    for (const vout of transaction.outputs.keys()) {
      const child = this.#claimedBy.get(`${txid}:${vout}`)
      if (child !== undefined) this.#evict(child)
    }
    this.#forget(txid)
    this.#push({ kind: 'removed', txid, mempoolSequence: this.sequence++ })
    this.#record()
  }

  #forget(txid: Txid): void {
    const transaction = this.mempool.get(txid)
    if (!transaction) return
    this.mempool.delete(txid)
    this.#places.delete(txid)
    for (const outpoint of transaction.inputs) this.#claimedBy.delete(outpoint)
    this.moments.touch(transaction)
  }

  #record(): void {
    this.moments.record(this.tip.hash, this.sequence)
  }

  #push(change: NodeChange): void {
    if (this.#isDeaf) return
    for (const listener of this.#listeners) listener(change)
  }
}

/** `claimed`: spent by a transaction of the mempool. */
export type OutputState = 'absent' | 'unconfirmed' | 'unspent' | 'claimed' | 'spent'
