import { createHash } from 'node:crypto'
import { Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import type { OutpointText } from '../../schemas/scalars.ts'
import { COINBASE_MATURITY } from './regtest.ts'
import type { RegtestNode } from './regtest-node.ts'
import { type Tx, txOf, wireHash } from './tx.ts'

export interface Payment {
  script: Uint8Array
  valueSats: bigint
}

/** What the miner pays for its own transactions, sat/vB. */
const FEE_RATE = 2n
/** Less change than this goes to the fee. */
const LEAST_CHANGE_SATS = 1_000n
/** 64 bytes of signature, and the counts, in a quarter of a vbyte each. */
const INPUT_WITNESS_VBYTES = 17n
const SEQUENCE = 0xfffffffd

/**
 * Mines the devnet's blocks and pays from them. One fixed key, the same on every devnet: its coins
 * are play money, and the key is public with this file.
 */
export class Miner {
  readonly #node: RegtestNode
  readonly #isInscribed: (outpoint: OutpointText) => boolean
  readonly #key = createHash('sha256').update('devnet miner').digest()
  readonly publicKey = ecc.xOnlyPointFromScalar(this.#key)
  /** Taproot, the output key used as it is: the miner needs no script path. */
  readonly script = Buffer.from([0x51, 0x20, ...this.publicKey])

  constructor(node: RegtestNode, isInscribed: (outpoint: OutpointText) => boolean) {
    this.#node = node
    this.#isInscribed = isInscribed
  }

  schnorr(digest: Uint8Array): Uint8Array {
    return ecc.signSchnorr(digest, this.#key)
  }

  /**
   * A signed transaction with these outputs first and the change last. Throws if coins are too few.
   */
  pay(payments: readonly Payment[]): Tx {
    const wanted = payments.reduce((sum, { valueSats }) => sum + valueSats, 0n)
    const transaction = new Transaction()
    transaction.version = 2
    for (const { script, valueSats } of payments) transaction.addOutput(script, valueSats)
    const coins: Payment[] = []
    let collected = 0n
    for (const [outpoint, coin] of this.#coins()) {
      transaction.addInput(wireHash(outpoint.slice(0, 64)), Number(outpoint.slice(65)), SEQUENCE)
      coins.push(coin)
      collected += coin.valueSats
      const change = collected - wanted - this.#feeOf(transaction)
      if (change >= 0n) return this.#sign(transaction, coins, change)
    }
    throw new Error(`the miner has ${collected} sats to spend, not ${wanted}: mine some blocks`)
  }

  /** Mature, free, and without an inscription that came to the miner as a fee. */
  *#coins(): Iterable<[string, Payment]> {
    const { chain, mempool } = this.#node
    for (const outpoint of chain.coinsOf(this.script)) {
      const coin = chain.coin(outpoint)
      if (!coin || mempool.spender(outpoint) || this.#isInscribed(outpoint)) continue
      const age = chain.tip.height + 1 - coin.height
      if (!coin.coinbase || age >= COINBASE_MATURITY) yield [outpoint, coin]
    }
  }

  /** Includes the change and the signatures still to be added. */
  #feeOf(transaction: Transaction): bigint {
    const changeBytes = BigInt(9 + this.script.length)
    const inputs = BigInt(transaction.ins.length)
    const vbytes = BigInt(transaction.virtualSize()) + changeBytes + inputs * INPUT_WITNESS_VBYTES
    return FEE_RATE * (vbytes + 1n)
  }

  #sign(transaction: Transaction, coins: readonly Payment[], change: bigint): Tx {
    if (change >= LEAST_CHANGE_SATS) transaction.addOutput(this.script, change)
    const scripts = coins.map(({ script }) => script)
    const values = coins.map(({ valueSats }) => valueSats)
    coins.forEach((_, index) => {
      const digest = transaction.hashForWitnessV1(index, scripts, values, 0)
      transaction.setWitness(index, [this.schnorr(digest)])
    })
    return txOf(transaction)
  }
}
