import { createHash } from 'node:crypto'
import { Transaction as WireTransaction } from 'bitcoinjs-lib'
import { outpointText, parseOutpoint } from '../../../src/domain/chain/outpoint.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../../src/ports/authorities/authority-errors.ts'
import type {
  Block,
  ChainStatus,
  Header,
  NodeChange,
  Transaction,
  TxidList,
} from '../../../src/ports/authorities/full-node.ts'
import type { NodeTrouble } from '../../../src/schemas/evidence.ts'
import type { BlockHash, Txid } from '../../../src/schemas/scalars.ts'
import type { FollowedNode } from '../../../src/streams/ask-authority.ts'
import { toBlockHash, toOutpointText, toTxid } from '../ids.ts'
import { txidText } from '../txid-text.ts'

/** The state of one output at one moment of the node. */
export interface Truth {
  /** The height that created it, `mempool`, or null when nothing creates it. */
  made: number | 'mempool' | null
  spender: { txid: string; height: number | null } | null
}

interface State {
  chain: readonly string[]
  mempool: readonly Txid[]
}

/** Sequence numbers start lower after each restart, so that none is used twice. */
const FIRST_SEQUENCE = 1_000_000
const SEQUENCES_A_LIFE = 10_000

/**
 * A node whose every move is scripted: blocks are real, signatures and rules are not checked. It
 * can do what a healthy node never does: lose notifications, forget blocks, go back, deliver out of
 * order.
 */
export class ScriptedChain implements FollowedNode {
  readonly blocks = new Map<string, Block>()
  readonly waiting = new Map<Txid, Transaction>()
  /** Bodies that the node no longer has. */
  readonly pruned = new Set<string>()
  /** Headers that the node never saw. */
  readonly unknown = new Set<string>()
  active: BlockHash[] = []
  sequence = FIRST_SEQUENCE
  trouble: NodeTrouble | null = null
  initialBlockDownload = false
  mempoolLoaded = true
  /** Off for bursts: remembering each of n states costs n squared. */
  remembers = true
  /** Calls by name, to see what a step costs. */
  readonly calls = new Map<string, number>()
  /** Runs before every answer: where a test moves the chain during a read. */
  onCall: (name: string) => void = () => {}
  readonly #states = new Map<string, State>()
  readonly #transactions = new Map<string, WireTransaction>()
  readonly #listeners = new Set<(change: NodeChange) => void>()
  #pushing: boolean
  readonly #pollsAlone: boolean
  #deaf = false
  #salt = 0

  /** `pollsAlone`: it says of its polls that nothing else tells of the mempool. */
  constructor({ pushing = true, pollsAlone = false } = {}) {
    this.#pushing = pushing
    this.#pollsAlone = pollsAlone
    this.mine([])
  }

  // ---- what the node answers

  async chain(): Promise<ChainStatus> {
    this.#answering('chain')
    const { height, hash, time } = this.tip
    return {
      network: 'regtest',
      tip: { height, hash, time, medianTime: time },
      initialBlockDownload: this.initialBlockDownload,
      mempoolLoaded: this.mempoolLoaded,
      prunedBelow: 0,
      version: 'scripted',
    }
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    this.#answering('blockHash')
    return this.active[height] ?? null
  }

  async header(hash: BlockHash): Promise<Header | null> {
    this.#answering('header')
    const block = this.blocks.get(hash)
    if (!block || this.unknown.has(hash)) return null
    const { height, prevHash, time } = block
    const onBestChain = this.active[height] === hash
    return { height, hash, prevHash, time, medianTime: time, onBestChain }
  }

  async block(hash: BlockHash): Promise<Block | null> {
    this.#answering('block')
    if (this.unknown.has(hash)) return null
    if (this.pruned.has(hash)) throw new BlockUnavailableError(hash)
    return this.blocks.get(hash) ?? null
  }

  async mempool(): Promise<{ txids: TxidList; sequence: number }> {
    this.#answering('mempool')
    return { txids: txidText(this.waiting.keys()), sequence: this.sequence }
  }

  async mempoolTransactions(txids: readonly Txid[]): Promise<ReadonlyMap<string, Transaction>> {
    this.#answering('mempoolTransactions')
    return new Map(
      txids.flatMap((txid) => {
        const transaction = this.waiting.get(txid)
        return transaction ? [[txid, transaction] as const] : []
      }),
    )
  }

  async *changes(signal: AbortSignal): AsyncGenerator<NodeChange> {
    const queue: NodeChange[] = []
    let wake = () => {}
    const listener = (change: NodeChange) => {
      queue.push(change)
      wake()
    }
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => wake())
    try {
      while (!signal.aborted) {
        yield* queue.splice(0)
        if (signal.aborted || queue.length > 0) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      this.#listeners.delete(listener)
    }
  }

  // ---- what the test does

  get tip(): Block {
    return this.#at(this.active.at(-1) ?? '')
  }

  /** A transaction that spends these outputs and creates `outputs` more; a new one each time. */
  spend(outpoints: readonly string[], outputs = 2): Transaction {
    const wire = new WireTransaction()
    wire.version = 2
    wire.locktime = ++this.#salt
    for (const text of outpoints) {
      const { txid, vout } = parseOutpoint(toOutpointText(text))
      wire.addInput(Buffer.from(txid, 'hex').reverse(), vout)
    }
    for (let vout = 0; vout < outputs; vout++) wire.addOutput(SCRIPT, BigInt(1_000 + vout))
    return this.#keep(wire)
  }

  /** A block on the tip with these transactions; conflicting ones leave the mempool. */
  mine(transactions: readonly Transaction[]): Block {
    const block = this.build(this.active.at(-1) ?? null, transactions)
    this.#connect(block)
    this.#record()
    this.push({ kind: 'connected', hash: block.hash })
    return block
  }

  /** A block that is not connected yet. */
  build(prevHash: BlockHash | null, transactions: readonly Transaction[]): Block {
    const height = prevHash === null ? 0 : this.#at(prevHash).height + 1
    const time = 1_700_000_000 + height * 600
    const hash = toBlockHash(
      createHash('sha256')
        .update(`${prevHash} ${++this.#salt}`)
        .digest('hex'),
    )
    const all = [this.#coinbase(), ...transactions]
    const block = { height, hash, prevHash, time, transactions: all }
    this.blocks.set(hash, block)
    return block
  }

  /**
   * The best chain becomes the one that ends here; transactions of the old one return, except
   * `dropped`.
   */
  switchTo(hash: string, dropped: ReadonlySet<string> = new Set()): void {
    const path: Block[] = []
    let at = this.#at(hash)
    while (this.active[at.height] !== at.hash) {
      path.unshift(at)
      at = this.#at(at.prevHash ?? '')
    }
    const stale = this.active.slice(at.height + 1).toReversed()
    for (const gone of stale) this.push({ kind: 'disconnected', hash: gone })
    this.active.length = at.height + 1
    for (const block of path) this.#connect(block)
    const back = stale.toReversed().flatMap((gone) => this.#at(gone).transactions.slice(1))
    const mined = new Set(path.flatMap(({ transactions }) => transactions.map(({ txid }) => txid)))
    for (const transaction of back)
      if (!dropped.has(transaction.txid) && !mined.has(transaction.txid) && this.fits(transaction))
        this.#enter(transaction)
    for (const txid of [...this.waiting.keys()])
      if (this.waiting.has(txid) && !this.fits({ txid, hex: '' })) this.evict(txid)
    this.#record()
    for (const { hash: connected } of path) this.push({ kind: 'connected', hash: connected })
  }

  /**
   * Replaces the last `depth` blocks with `length` others; `choose` picks their contents from all
   * transactions unconfirmed then.
   */
  reorg(
    depth: number,
    length = depth + 1,
    choose: (transaction: Transaction) => boolean = () => false,
    dropped: ReadonlySet<string> = new Set(),
  ): Block[] {
    const stale = this.active.slice(this.active.length - depth)
    const left = stale.flatMap((hash) => this.#at(hash).transactions.slice(1))
    const kept = this.active.slice(0, this.active.length - depth)
    const chosen = this.minable([...left, ...this.waiting.values()].filter(choose), kept)
    const made: Block[] = []
    for (let i = 0; i < length; i++) {
      const on = made.at(-1)?.hash ?? kept.at(-1) ?? null
      made.push(this.build(on, chosen.splice(0, Math.ceil(chosen.length / (length - i)))))
    }
    this.switchTo(made.at(-1)?.hash ?? '', dropped)
    return made
  }

  /** Those of the transactions that blocks on this chain may hold, parents first. */
  minable(transactions: readonly Transaction[], chain: readonly string[] = this.active) {
    const coins = new Set<string>()
    const take = (transaction: Transaction) => {
      for (const outpoint of this.inputs(transaction)) coins.delete(outpoint)
      for (const outpoint of this.outputs(transaction)) coins.add(outpoint)
    }
    for (const hash of chain) this.#at(hash).transactions.forEach(take)
    const taken: Transaction[] = []
    const rest = new Set(transactions)
    for (let before = -1; before !== taken.length; ) {
      before = taken.length
      for (const transaction of rest) {
        if (!this.inputs(transaction).every((outpoint) => coins.has(outpoint))) continue
        take(transaction)
        taken.push(transaction)
        rest.delete(transaction)
      }
    }
    return taken
  }

  enter(transaction: Transaction): void {
    this.#enter(transaction)
    this.#record()
  }

  /** The transaction and its descendants leave the mempool. */
  evict(txid: Txid): void {
    for (const [child, transaction] of [...this.waiting])
      if (this.inputs(transaction).some((outpoint) => outpoint.startsWith(txid))) this.evict(child)
    this.#leave(txid)
    this.#record()
  }

  /** The node restarts with some of its mempool, and numbers its changes anew. */
  restart(kept: readonly Transaction[] = [...this.waiting.values()]): void {
    const life = Math.floor((FIRST_SEQUENCE - this.sequence) / SEQUENCES_A_LIFE) + 1
    this.sequence = FIRST_SEQUENCE - (life + 1) * SEQUENCES_A_LIFE
    this.waiting.clear()
    for (const transaction of kept) if (this.fits(transaction)) this.#enter(transaction)
    this.#record()
    this.push({ kind: 'gap', detail: 'the node restarted' })
  }

  /** Notifications are lost from here on, until `hear`. */
  deafen(): void {
    this.#deaf = true
  }

  hear(): void {
    this.#deaf = false
    this.push({ kind: 'gap', detail: 'a notification was lost' })
  }

  push(change: NodeChange): void {
    if (this.#deaf) return
    const told: NodeChange = this.#pushing ? change : { kind: 'poll', isAlone: this.#pollsAlone }
    for (const listener of this.#listeners) listener(told)
  }

  // ---- ground truth

  inputs(transaction: Transaction): string[] {
    const wire = this.#transactions.get(transaction.txid)
    return (wire?.ins ?? []).map(({ hash, index }) =>
      outpointText({ txid: toTxid(Buffer.from(hash).reverse().toString('hex')), vout: index }),
    )
  }

  outputs(transaction: Transaction): string[] {
    const count = this.#transactions.get(transaction.txid)?.outs.length ?? 0
    return Array.from({ length: count }, (_, vout) =>
      outpointText({ txid: transaction.txid, vout }),
    )
  }

  /** Outputs that a new transaction may spend now. */
  unspent(): string[] {
    return [...this.truth()].flatMap(([outpoint, { made, spender }]) =>
      made !== null && spender === null ? [outpoint] : [],
    )
  }

  /** Its inputs exist and no other transaction spends them. */
  fits(transaction: Transaction): boolean {
    const truth = this.truth()
    return this.inputs(transaction).every((outpoint) => {
      const { made = null, spender = null } = truth.get(outpoint) ?? {}
      return made !== null && (spender === null || spender.txid === transaction.txid)
    })
  }

  /** Every output as it is now, or was when the node had this tip and sequence number. */
  truth(tip?: string, sequence?: number): Map<string, Truth> {
    const state = tip === undefined ? this.#now() : this.#states.get(`${tip} ${sequence}`)
    if (!state) throw new Error(`the node never was at ${tip} with sequence ${sequence}`)
    const truth = new Map<string, Truth>()
    const of = (outpoint: string) => {
      const known = truth.get(outpoint) ?? { made: null, spender: null }
      truth.set(outpoint, known)
      return known
    }
    const apply = (transaction: Transaction, height: number | null) => {
      for (const outpoint of this.outputs(transaction)) of(outpoint).made = height ?? 'mempool'
      for (const outpoint of this.inputs(transaction))
        if (!outpoint.startsWith('00000000'))
          of(outpoint).spender ??= { txid: transaction.txid, height }
    }
    for (const hash of state.chain)
      for (const transaction of this.#at(hash).transactions)
        apply(transaction, this.#at(hash).height)
    for (const txid of state.mempool) apply({ txid, hex: '' }, null)
    return truth
  }

  #now(): State {
    return { chain: [...this.active], mempool: [...this.waiting.keys()] }
  }

  #record(): void {
    if (!this.remembers) return
    this.#states.set(`${this.tip.hash} ${this.sequence}`, this.#now())
  }

  #connect(block: Block): void {
    this.active.push(block.hash)
    for (const { txid } of block.transactions) if (this.waiting.delete(txid)) this.sequence += 1
    for (const transaction of [...this.waiting.values()])
      if (this.waiting.has(transaction.txid) && !this.fits(transaction))
        this.evict(transaction.txid)
  }

  #enter(transaction: Transaction): void {
    if (this.waiting.has(transaction.txid)) return
    this.waiting.set(transaction.txid, transaction)
    const mempoolSequence = this.sequence++
    this.push({ kind: 'added', mempoolSequence, ...transaction })
  }

  #leave(txid: Txid): void {
    if (!this.waiting.delete(txid)) return
    const mempoolSequence = this.sequence++
    this.push({ kind: 'removed', txid, mempoolSequence })
  }

  #coinbase(): Transaction {
    const wire = new WireTransaction()
    wire.version = 2
    wire.addInput(new Uint8Array(32), 0xffffffff, undefined, Buffer.from(String(++this.#salt)))
    for (let vout = 0; vout < 3; vout++) wire.addOutput(SCRIPT, 5_000n)
    return this.#keep(wire)
  }

  #keep(wire: WireTransaction): Transaction {
    const txid = toTxid(wire.getId())
    this.#transactions.set(txid, wire)
    return { txid, hex: wire.toHex() }
  }

  #at(hash: string): Block {
    const block = this.blocks.get(hash)
    if (!block) throw new Error(`no block ${hash}`)
    return block
  }

  #answering(name: string): void {
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1)
    this.onCall(name)
    if (this.trouble !== null) throw new NodeUnavailableError(this.trouble, 'scripted')
  }
}

/** P2WPKH without a known key. */
const SCRIPT = Buffer.from(`0014${'11'.repeat(20)}`, 'hex')
