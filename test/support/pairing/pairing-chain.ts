import { Block, Transaction } from 'bitcoinjs-lib'
import type { BlockHash } from '../../../src/schemas/scalars.ts'
import { toBlockHash } from '../ids.ts'
import { Coins } from './pairing-coins.ts'
import type { ChainPlan, Step, TransactionPlan } from './pairing-plans.ts'
import { markerScript, p2wsh } from './pairing-scripts.ts'
import { applyTo, type Built, buildTransaction, strangers } from './pairing-transaction.ts'

/** A block of a generated chain: serialised, linked to the one below, without proof of work. */
export interface ChainBlock {
  height: number
  hash: BlockHash
  prevHash: string
  bytes: Uint8Array
  /** Of the transactions of the plan, in order; the first follows the coinbase. */
  plans: readonly TransactionPlan[]
}

/** One change of the best chain, and the chain after it. */
export interface ChainMove {
  /** Consecutive connected blocks; empty when the highest one was disconnected. */
  connected: readonly ChainBlock[]
  /** From the first height, also those below the start height. */
  chain: readonly ChainBlock[]
  /** How many blocks are disconnected by the reorg that this move begins. */
  reorgDepth: number | null
}

interface Layer {
  block: ChainBlock
  /** Of the whole chain up to this block. */
  txids: ReadonlySet<string>
  coins: Coins
  built: readonly Built[]
}

const NO_BLOCK = '00'.repeat(32)

/** Plays a plan from an empty chain. The same plan makes the same bytes. */
export function playPlan(plan: ChainPlan, magic: Uint8Array): ChainMove[] {
  const player = new Player(plan, magic)
  for (const step of plan.steps) player.step(step)
  return player.moves
}

class Player {
  readonly moves: ChainMove[] = []
  readonly #plan: ChainPlan
  readonly #magic: Uint8Array
  readonly #firstHeight: number
  readonly #stranger = strangers()
  #layers: Layer[] = []
  #lastCut: Layer[] = []
  /** Of disconnected blocks: they may be mined again. */
  #graveyard: Built[] = []
  #coinbases = 0

  constructor(plan: ChainPlan, magic: Uint8Array) {
    this.#plan = plan
    this.#magic = magic
    this.#firstHeight = Math.max(0, plan.startHeight - plan.below)
    for (let height = this.#firstHeight; height < plan.startHeight; height += 1)
      this.step({ kind: 'mine', transactions: [BELOW_START], coinbaseMarker: false })
  }

  step(step: Step): void {
    if (step.kind === 'mine') this.#mine(step.transactions, step.coinbaseMarker)
    else if (step.kind === 'cut') this.#cut(step.depth)
    else
      for (const layer of this.#lastCut)
        if (layer.block.prevHash === this.#tipHash()) this.#connect(layer)
  }

  #tipHash(): string {
    return this.#layers.at(-1)?.block.hash ?? NO_BLOCK
  }

  #connect(layer: Layer): void {
    this.#layers.push(layer)
    const last = this.moves.at(-1)
    const isBatched = this.#plan.inBatches && last !== undefined && last.connected.length > 0
    const before = isBatched ? last.connected : []
    if (isBatched) this.moves.pop()
    this.moves.push({
      connected: [...before, layer.block],
      chain: this.#layers.map(({ block }) => block),
      reorgDepth: null,
    })
  }

  #cut(depth: number): void {
    const most = Math.min(depth, this.#layers.length)
    const cut = this.#layers.slice(this.#layers.length - most)
    for (let taken = 0; taken < most; taken += 1) {
      this.#layers.pop()
      this.moves.push({
        connected: [],
        chain: this.#layers.map(({ block }) => block),
        reorgDepth: taken === 0 ? most : null,
      })
    }
    if (most === 0) return
    this.#lastCut = cut
    this.#graveyard = [...cut.flatMap(({ built }) => built), ...this.#graveyard]
  }

  #mine(plans: readonly TransactionPlan[], hasMarker: boolean): void {
    const below = this.#layers.at(-1)
    const coins = below ? Coins.copyOf(below.coins) : new Coins()
    const txids = new Set(below?.txids)
    const built: Built[] = []
    for (const plan of plans) {
      const again = plan.action === 'replay' ? this.#fromGraveyard(coins, txids) : undefined
      const one = again ?? buildTransaction(plan, coins, this.#magic, this.#stranger)
      applyTo(coins, one)
      txids.add(one.txid)
      built.push(one)
    }
    const coinbase = this.#coinbase(hasMarker)
    // Not before: no coinbase can be spent in its own block.
    coins.add({ outpoint: `${coinbase.getId()}:0`, isCarrier: false, pair: null })
    const block = serialised(this.#tipHash(), this.#coinbases, [
      coinbase,
      ...built.map(({ transaction }) => transaction),
    ])
    const height = this.#firstHeight + this.#layers.length
    this.#connect({ block: { ...block, height, plans }, txids, coins, built })
  }

  /**
   * The first that still fits: nothing it spends is gone, and it is not in the chain again already.
   */
  #fromGraveyard(coins: Coins, txids: ReadonlySet<string>): Built | undefined {
    return this.#graveyard.find(
      ({ txid, needs }) =>
        !txids.has(txid) && needs.every((outpoint) => coins.get(outpoint) !== undefined),
    )
  }

  /** Unlike any other; a marker in it has no effect. */
  #coinbase(hasMarker: boolean): Transaction {
    this.#coinbases += 1
    const number = Buffer.alloc(8)
    number.writeUInt32LE(this.#coinbases)
    const coinbase = new Transaction()
    coinbase.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, number)
    coinbase.addOutput(p2wsh(Buffer.alloc(32, 7)), 5_000_000_000n)
    if (this.#coinbases % 2 === 0) coinbase.ins[0]!.witness = [Buffer.alloc(32)]
    if (hasMarker) {
      const body = Buffer.from([0, ...Buffer.alloc(32, 1), 0])
      coinbase.addOutput(markerScript('direct', this.#magic, 1, body), 0n)
    }
    return coinbase
  }
}

/** An object that is not tracked, though its carrier can be spent later. */
const BELOW_START: TransactionPlan = {
  action: 'create',
  faults: [],
  near: [],
  instead: false,
  form: 'direct',
  mate: 'stays',
  count: 1,
  released: 0,
  hasWitness: true,
  picks: [0],
}

function serialised(
  prevHash: string,
  nonce: number,
  transactions: Transaction[],
): Omit<ChainBlock, 'height' | 'plans'> {
  const block = new Block()
  block.version = 0x20000000
  block.prevHash = Buffer.from(prevHash, 'hex').reverse()
  block.merkleRoot = Block.calculateMerkleRoot(transactions)
  block.timestamp = 1_700_000_000 + nonce
  block.bits = 0x207fffff
  block.nonce = nonce
  block.transactions = transactions
  return { hash: toBlockHash(block.getId()), prevHash, bytes: block.toBuffer() }
}
