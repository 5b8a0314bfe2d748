import { Block, Transaction } from 'bitcoinjs-lib'
import { readBlock } from '../../../src/domain/chain/raw-block.ts'
import type { PlacedBlock } from '../../../src/ports/folds/block-fold.ts'

/** Blocks of the pairing protocol, written byte by byte for tests of single rules. */

export const MAGIC = Buffer.from('PAIR')
export const OP_TRUE = Buffer.from([0x51])

/** A P2WSH script derived from a seed. */
export const p2wsh = (seed: number): Buffer =>
  Buffer.concat([Buffer.from([0x00, 0x20]), hashBytes(seed)])

/** 32 bytes derived from a seed. */
export const hashBytes = (seed: number): Buffer => {
  const bytes = Buffer.alloc(32, 0xc0)
  bytes.writeUInt32BE(seed)
  return bytes
}

/** OP_RETURN and a minimal push of the data. */
export function opReturn(data: Uint8Array): Buffer {
  const push =
    data.length < 0x4c
      ? [data.length]
      : data.length < 256
        ? [0x4c, data.length]
        : [0x4d, data.length & 0xff, data.length >> 8]
  return Buffer.concat([Buffer.from([0x6a, ...push]), data])
}

export const marker = (opcode: number, body: Iterable<number>): Buffer =>
  opReturn(Buffer.from([...MAGIC, 0x01, opcode, ...body]))

export const create = (vout: number, content: Uint8Array, label = ''): Buffer =>
  marker(1, [vout, ...content, label.length, ...Buffer.from(label, 'latin1')])
export const move = (...moves: [input: number, vout: number][]): Buffer =>
  marker(2, [moves.length, ...moves.flat()])
export const pair = (inputA: number, inputB: number, voutA: number, voutB: number): Buffer =>
  marker(3, [inputA, inputB, voutA, voutB])
export const unpair = (input: number, vout: number): Buffer => marker(4, [input, vout])

/** A transaction; `spends` are `txid:vout`, each output is a script or a script with its sats. */
export function transactionOf(
  spends: readonly string[],
  outputs: readonly (Uint8Array | [script: Uint8Array, sats: bigint])[],
): Transaction {
  const tx = new Transaction()
  tx.version = 2
  for (const spend of spends) {
    const [txid = '', vout] = spend.split(':')
    tx.addInput(Buffer.from(txid, 'hex').reverse(), Number(vout))
  }
  for (const output of outputs) {
    const [script, sats] = Array.isArray(output) ? output : ([output, 600n] as const)
    tx.addOutput(script, sats)
  }
  return tx
}

/** `txid:vout` of an output. */
export const at = (tx: Transaction, vout = 0): string => `${tx.getId()}:${vout}`

/** An output of no block here: what spends it carries nothing. */
export const elsewhere = (seed: number): string => `${hashBytes(seed).toString('hex')}:0`

/** A chain under construction: each block on top of the previous one. */
export class LittleChain {
  readonly blocks: PlacedBlock[] = []
  readonly #start: number
  readonly #salt: number

  constructor(start = 0, salt = 0) {
    this.#start = start
    this.#salt = salt
  }

  /** A block of these transactions after a coinbase. */
  mine(...transactions: readonly Transaction[]): PlacedBlock {
    const height = this.#start + this.blocks.length
    const coinbase = transactionOf([], [OP_TRUE])
    coinbase.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, Buffer.from([4, height, 0, 0, 0]))
    return this.mineWith(coinbase, ...transactions)
  }

  /** A block of these transactions, the first its coinbase. */
  mineWith(...transactions: Transaction[]): PlacedBlock {
    const height = this.#start + this.blocks.length
    const below = this.blocks.at(-1)?.hash ?? '00'.repeat(32)
    const block = new Block()
    block.version = 4
    block.prevHash = Buffer.from(below, 'hex').reverse()
    block.merkleRoot = Block.calculateMerkleRoot(transactions)
    block.timestamp = 1_700_000_000 + height * 600
    block.bits = 0x207fffff
    block.nonce = this.#salt
    block.transactions = transactions
    const read = readBlock(block.toBuffer())
    const placed = { height, hash: read.hash, block: read }
    this.blocks.push(placed)
    return placed
  }
}
