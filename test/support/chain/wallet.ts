import { initEccLib, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import type { Outpoint, TxOut } from '../../../src/schemas/scalars.ts'
import { toTxid } from '../ids.ts'
import type { ChainDriver } from './chain-driver.ts'

initEccLib(ecc)

export interface Coin {
  outpoint: Outpoint
  output: TxOut
}

export interface Draft {
  /** Spent with their sequence; default fffffffd. */
  inputs: readonly (Coin & { sequence?: number })[]
  outputs: readonly TxOut[]
  version?: number
  locktime?: number
}

/** Keys, coins and signatures for the tests of one chain: no wallet of a node is needed. */
export interface Wallet {
  /** A taproot output key without a tweak: it signs as it is. */
  readonly xonly: Uint8Array
  /** The wallet's own script, paying that key. */
  readonly scriptHex: string
  schnorr(digest: Uint8Array): Uint8Array
  /** A mature coinbase output that was not handed out before. */
  coin(): Coin
  /** A signed transaction; every input must pay the wallet's own script. */
  sign(draft: Draft): Transaction
  /** Spends one coin into these outputs; the change comes last. */
  pay(outputs: readonly TxOut[], feeSats?: bigint): Transaction
  /** An output with this script and value, in the mempool. */
  fund(scriptHex: string, sats: bigint): Promise<Coin>
}

const PRIVATE_KEY = Uint8Array.from({ length: 32 }, (_, i) => i + 1)
const DEFAULT_FEE = 10_000n

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
export const txOut = (scriptHex: string, sats: bigint): TxOut => ({
  valueSats: sats.toString(),
  scriptHex,
})

/** An output of a transaction as a coin. */
export function coinOf(transaction: Transaction, vout: number): Coin {
  const output = transaction.outs[vout]
  if (output === undefined) throw new Error(`no output ${vout} in ${transaction.getId()}`)
  return {
    outpoint: { txid: toTxid(transaction.getId()), vout },
    output: txOut(hexOf(output.script), output.value),
  }
}

/** The transaction without its signatures. */
export function unsigned(draft: Draft): Transaction {
  const transaction = new Transaction()
  transaction.version = draft.version ?? 2
  transaction.locktime = draft.locktime ?? 0
  for (const { outpoint, sequence } of draft.inputs)
    transaction.addInput(bytesOf(outpoint.txid).reverse(), outpoint.vout, sequence ?? 0xfffffffd)
  for (const { scriptHex, valueSats } of draft.outputs)
    transaction.addOutput(bytesOf(scriptHex), BigInt(valueSats))
  return transaction
}

/** Mines `coins` coinbases to the wallet and 100 blocks on top, so that all of them are mature. */
export async function openWallet(driver: ChainDriver, coins = 40): Promise<Wallet> {
  const xonly = ecc.xOnlyPointFromScalar(PRIVATE_KEY)
  const scriptHex = `5120${hexOf(xonly)}`
  const schnorr = (digest: Uint8Array) => ecc.signSchnorr(digest, PRIVATE_KEY)

  const mature: Coin[] = []
  for (const hash of await driver.mine(coins, scriptHex)) {
    const coinbase = (await driver.node.block(hash))?.transactions[0]
    if (coinbase === undefined) throw new Error(`block ${hash} has no coinbase`)
    mature.push(coinOf(Transaction.fromHex(coinbase.hex), 0))
  }
  await driver.mine(100)

  const coin = (): Coin => {
    const next = mature.shift()
    if (next === undefined) throw new Error('the wallet is out of coins: open it with more')
    return next
  }
  const sign = (draft: Draft): Transaction => {
    const transaction = unsigned(draft)
    const scripts = draft.inputs.map(({ output }) => bytesOf(output.scriptHex))
    const values = draft.inputs.map(({ output }) => BigInt(output.valueSats))
    draft.inputs.forEach((_, index) => {
      transaction.setWitness(index, [
        schnorr(transaction.hashForWitnessV1(index, scripts, values, Transaction.SIGHASH_DEFAULT)),
      ])
    })
    return transaction
  }
  const pay = (outputs: readonly TxOut[], feeSats = DEFAULT_FEE): Transaction => {
    const input = coin()
    const spent = outputs.reduce((sum, { valueSats }) => sum + BigInt(valueSats), feeSats)
    const change = txOut(scriptHex, BigInt(input.output.valueSats) - spent)
    return sign({ inputs: [input], outputs: [...outputs, change] })
  }
  const fund = async (script: string, sats: bigint): Promise<Coin> => {
    const transaction = pay([txOut(script, sats)])
    await driver.submit(transaction.toHex())
    return coinOf(transaction, 0)
  }
  return { xonly, scriptHex, schnorr, coin, sign, pay, fund }
}
