import { Block, Transaction } from 'bitcoinjs-lib'
import type { BlockHash, TxOut } from '../../../src/schemas/scalars.ts'
import { toBlockHash } from '../ids.ts'
import { type Dice, dice } from '../orders/order-book.ts'

export interface Coin {
  outpoint: string
  value: bigint
  script: Buffer
}

export interface MadeBlock {
  height: number
  hash: BlockHash
  bytes: Uint8Array
  block: Block
  /** Unspent after it. */
  coins: Map<string, Coin>
  /** Outputs of circles that nothing spent. */
  shards: Set<string>
}

interface Payment {
  inputs: readonly Coin[]
  outputs: { value: bigint; script: Buffer }[]
}

const CONTEXT_BYTES = 32
const VERSION = 2

/** Circles, near misses, and what ends lineages, drawn from a seed. Signatures are noise. */
export class CircleChain {
  readonly blocks: MadeBlock[] = []
  readonly startHeight: number
  readonly #dice: Dice
  /** Of every branch: what any transaction ever created. */
  readonly #made = new Map<string, TxOut>()
  readonly #branchesSeen = new Map<string, Block>()

  constructor(seed: number) {
    this.#dice = dice(seed)
    this.startHeight = this.#dice.below(4)
  }

  get tip(): MadeBlock | undefined {
    return this.blocks.at(-1)
  }

  /** What this chain's node answers: see `FullNode.prevouts`. */
  readonly prevouts = async (
    blockHash: string,
    txids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly TxOut[]> | null> => {
    const block = this.#branchesSeen.get(blockHash)
    if (!block) return null
    const found = new Map<string, readonly TxOut[]>()
    for (const transaction of block.transactions ?? []) {
      const txid = transaction.getId()
      if (!txids.includes(txid)) continue
      found.set(
        txid,
        spentBy(transaction).map((outpoint) => this.#made.get(outpoint)!),
      )
    }
    return found.size === new Set(txids).size ? found : null
  }

  mine(transactions = this.#dice.below(6)): MadeBlock {
    const height = this.blocks.length
    const before = this.tip
    const coins = new Map(before?.coins)
    const shards = new Set(before?.shards)
    const block = new Block()
    block.version = 4
    block.prevHash = before ? before.block.getHash() : Buffer.alloc(32)
    block.merkleRoot = Buffer.from(this.#dice.hex(32), 'hex')
    block.timestamp = 1_700_000_000 + height * 600
    block.bits = 0x207fffff
    block.nonce = this.#dice.below(2 ** 31)
    const all = [this.#coinbase(height)]
    this.#enter(all[0]!, coins, shards)
    for (let i = 0; i < transactions; i++) {
      const payment = this.#payment(coins, shards)
      if (!payment) continue
      const transaction = this.#transaction(payment)
      this.#enter(transaction, coins, shards)
      all.push(transaction)
    }
    block.transactions = all
    const made = {
      height,
      hash: toBlockHash(block.getId()),
      bytes: block.toBuffer(),
      block,
      coins,
      shards,
    }
    this.blocks.push(made)
    this.#branchesSeen.set(made.hash, block)
    return made
  }

  /** Disconnects the last blocks; what is mined then is different. */
  drop(depth: number): void {
    this.blocks.splice(Math.max(0, this.blocks.length - depth))
  }

  #enter(transaction: Transaction, coins: Map<string, Coin>, shards: Set<string>): void {
    const txid = transaction.getId()
    for (const outpoint of spentBy(transaction)) {
      coins.delete(outpoint)
      shards.delete(outpoint)
    }
    const looksLikeOne = transaction.outs.at(-1)?.script.length === 39
    transaction.outs.forEach(({ value, script: bytes }, vout) => {
      const script = Buffer.from(bytes)
      const outpoint = `${txid}:${vout}`
      this.#made.set(outpoint, { valueSats: String(value), scriptHex: script.toString('hex') })
      if (script[0] === 0x6a) return
      coins.set(outpoint, { outpoint, value: BigInt(value), script })
      if (looksLikeOne && isTaproot(script)) shards.add(outpoint)
    })
  }

  /** Sometimes it is a circle but for its one input. */
  #coinbase(height: number): Transaction {
    const transaction = new Transaction()
    transaction.version = VERSION
    const push = Buffer.concat([
      Buffer.from([4]),
      Buffer.alloc(4),
      Buffer.from(this.#dice.hex(8), 'hex'),
    ])
    push.writeUInt32LE(height, 1)
    transaction.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, push)
    const count = 3 + this.#dice.below(height < 3 ? 14 : 4)
    for (let i = 0; i < count; i++) transaction.addOutput(this.#script(), this.#value())
    if (this.#dice.chance(0.2)) transaction.addOutput(this.#mark(), 0n)
    return transaction
  }

  #transaction({ inputs, outputs }: Payment): Transaction {
    const transaction = new Transaction()
    transaction.version = VERSION
    inputs.forEach(({ outpoint }, index) => {
      const hash = Buffer.from(outpoint.slice(0, 64), 'hex').reverse()
      transaction.addInput(hash, Number(outpoint.slice(65)), this.#dice.below(2 ** 32))
      if (this.#dice.chance(0.9)) {
        transaction.setWitness(index, [Buffer.from(this.#dice.hex(64), 'hex')])
      }
    })
    for (const { value, script } of outputs) transaction.addOutput(script, value)
    return transaction
  }

  #payment(coins: ReadonlyMap<string, Coin>, shards: ReadonlySet<string>): Payment | null {
    if (coins.size === 0) return null
    const roll = this.#dice.below(100)
    if (roll < 50) return this.#circle(coins, shards)
    if (roll < 80) return this.#nearMiss(coins, shards)
    return this.#spend(coins, shards)
  }

  #pick(
    coins: ReadonlyMap<string, Coin>,
    shards: ReadonlySet<string>,
    count: number,
    fits: (coin: Coin) => boolean = () => true,
  ): Coin[] {
    const usable = [...coins.values()].filter(fits)
    const picked: Coin[] = []
    while (picked.length < count && usable.length > 0) {
      const at = this.#dice.below(usable.length)
      const coin = usable[at]!
      // Shards are preferred, or lineages would hardly continue.
      if (!shards.has(coin.outpoint) && this.#dice.chance(0.5) && shards.size > 0) {
        const other = usable.findIndex(({ outpoint }) => shards.has(outpoint))
        if (other >= 0) {
          picked.push(...usable.splice(other, 1))
          continue
        }
      }
      picked.push(...usable.splice(at, 1))
    }
    return picked
  }

  #members(): number {
    if (this.#dice.chance(0.1)) return 16
    return 2 + this.#dice.below(this.#dice.chance(0.2) ? 15 : 4)
  }

  #circle(
    coins: ReadonlyMap<string, Coin>,
    shards: ReadonlySet<string>,
    count = this.#members(),
  ): Payment | null {
    const inputs = this.#pick(coins, shards, count, ({ script }) => isTaproot(script))
    if (inputs.length < count) return null
    return { inputs, outputs: [...inputs.map((coin) => this.#kept(coin)), this.#markOutput()] }
  }

  #kept({ value }: Coin): { value: bigint; script: Buffer } {
    const share = this.#dice.of([0n, 0n, 1n, value / 3n, value])
    return { value: value - (share > value ? value : share), script: this.#taproot() }
  }

  #nearMiss(coins: ReadonlyMap<string, Coin>, shards: ReadonlySet<string>): Payment | null {
    const kind = this.#dice.of(NEAR_MISSES)
    const wanted = kind === '17 inputs' ? 17 : kind === '1 input' ? 1 : this.#members()
    const payment = this.#circle(coins, shards, wanted)
    if (!payment) return null
    const { inputs, outputs } = payment
    const at = this.#dice.below(inputs.length)
    const mark = outputs.at(-1)!
    switch (kind) {
      case '17 inputs':
      case '1 input':
        return payment
      case 'an output too few':
        return { inputs, outputs: [...outputs.slice(1, -1), mark] }
      case 'an output too many':
        return { inputs, outputs: [...outputs.slice(0, -1), this.#kept(inputs[at]!), mark] }
      case 'no mark':
        return { inputs, outputs: outputs.slice(0, -1) }
      case 'another input': {
        const [other] = this.#pick(coins, new Set(), 1, ({ script }) => !isTaproot(script))
        if (!other) return null
        return { inputs: inputs.toSpliced(at, 1, other), outputs: atMost(outputs, at, other.value) }
      }
      case 'another output':
        return { inputs, outputs: outputs.with(at, { ...outputs[at]!, script: this.#other() }) }
      case 'output above input': {
        const above = { ...outputs[at]!, value: inputs[at]!.value + 1n }
        return { inputs, outputs: outputs.with(at, above) }
      }
      case 'mark of value':
        return { inputs, outputs: outputs.with(-1, { ...mark, value: 1n }) }
      case 'mark of other bytes':
        return { inputs, outputs: outputs.with(-1, { value: 0n, script: this.#wrongMark() }) }
      case 'mark not last':
        return { inputs, outputs: [...outputs.slice(0, at), mark, ...outputs.slice(at, -1)] }
      case 'two marks':
        return { inputs, outputs: outputs.with(at, this.#markOutput()) }
    }
  }

  /** Any other transaction: ends the lineages that it spends. */
  #spend(coins: ReadonlyMap<string, Coin>, shards: ReadonlySet<string>): Payment {
    const inputs = this.#pick(coins, shards, 1 + this.#dice.below(4))
    const outputs = Array.from({ length: 1 + this.#dice.below(3) }, () => ({
      value: this.#value(),
      script: this.#script(),
    }))
    return { inputs, outputs }
  }

  #value(): bigint {
    return this.#dice.of([0n, 330n, 546n, 10_000n, 123_456_789n, 5_000_000_000n, 2n ** 46n])
  }

  #taproot(): Buffer {
    return Buffer.from(`5120${this.#dice.hex(32)}`, 'hex')
  }

  /** Almost P2TR, or something else. */
  #other(): Buffer {
    const kinds = ['0014', '0020', '5220', '5121', '511f', '5120', '51']
    const size: Record<string, number> = { '0014': 20, '5121': 33, '511f': 31, '5120': 33, '51': 0 }
    const kind = this.#dice.of(kinds)
    return Buffer.from(`${kind}${this.#dice.hex(size[kind] ?? 32)}`, 'hex')
  }

  #script(): Buffer {
    return this.#dice.chance(0.8) ? this.#taproot() : this.#other()
  }

  #mark(): Buffer {
    return Buffer.from(`6a254349524301${this.#dice.hex(CONTEXT_BYTES)}`, 'hex')
  }

  #markOutput(): { value: bigint; script: Buffer } {
    return { value: 0n, script: this.#mark() }
  }

  #wrongMark(): Buffer {
    const context = this.#dice.hex(CONTEXT_BYTES)
    const text = this.#dice.of([
      `6a254349524302${context}`,
      `6a254349524300${context}`,
      `6a256349524301${context}`,
      `6a244349524301${context.slice(2)}`,
      `6a264349524301${context}00`,
      `6a4c254349524301${context}`,
      `6a254349524301${context}00`,
      `6a254349524301${context.slice(2)}`,
      `00254349524301${context}`,
      '6a',
    ])
    return Buffer.from(text, 'hex')
  }
}

const NEAR_MISSES = [
  '17 inputs',
  '1 input',
  'an output too few',
  'an output too many',
  'no mark',
  'another input',
  'another output',
  'output above input',
  'mark of value',
  'mark of other bytes',
  'mark not last',
  'two marks',
] as const

const atMost = (outputs: Payment['outputs'], at: number, most: bigint): Payment['outputs'] => {
  const output = outputs[at]!
  return outputs.with(at, { ...output, value: output.value > most ? most : output.value })
}

const isTaproot = (script: Buffer): boolean =>
  script.length === 34 && script[0] === 0x51 && script[1] === 0x20

const spentBy = (transaction: Transaction): string[] =>
  transaction.ins.map(
    ({ hash, index }) => `${Buffer.from(hash).reverse().toString('hex')}:${index}`,
  )
