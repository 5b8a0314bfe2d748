import { Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { compactSize } from '../psbt/byte-reader.ts'
import type { Pair } from '../psbt/key-value-maps.ts'
import { GLOBAL, writePsbtMaps } from '../psbt/psbt-maps.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { isWitnessProgram } from '../script/relay.ts'
import { bytesOf, P2SH } from '../script/script-template.ts'
import { witnessBytes } from '../verdict/node-question.ts'
import type { PurchaseInput } from './purchase-layout.ts'

export interface PurchaseParts {
  /** nVersion, nLockTime and the seller's nSequence: 0x83 commits to them. */
  version: number
  locktime: number
  sellerSequence: number
  sellerIndex: number
  sellerScripts: FinalScripts
  inputs: readonly PurchaseInput[]
  outputs: readonly TxOut[]
  /** Previous transactions, by txid, of the outputs that a wallet signs only with them. */
  previous: ReadonlyMap<string, Uint8Array>
}

/** BIP174, per input. */
const INPUT = {
  nonWitnessUtxo: 0x00,
  witnessUtxo: 0x01,
  finalScriptSig: 0x07,
  finalScriptWitness: 0x08,
} as const

/** Replaceable, no relative lock (BIP125, BIP68). */
export const REPLACEABLE_SEQUENCE = 0xfffffffd
const FINAL_SEQUENCE = 0xffffffff

/**
 * A locktime counts only while some sequence is not final: if the seller's is final, the buyer's
 * must not activate it.
 */
const buyerSequence = ({ locktime, sellerSequence }: PurchaseParts): number =>
  locktime !== 0 && sellerSequence === FINAL_SEQUENCE ? FINAL_SEQUENCE : REPLACEABLE_SEQUENCE

/**
 * The purchase, signed only by the seller; base64 of a version 0 PSBT. Its maps are written
 * directly: bitcoinjs rescans all inputs for each one added.
 */
export function purchasePsbt(parts: PurchaseParts): string {
  const inputs = parts.inputs.map((input, index) =>
    index === parts.sellerIndex
      ? { ...input, sequence: parts.sellerSequence, scripts: parts.sellerScripts }
      : { ...input, sequence: buyerSequence(parts) },
  )
  return spendPsbt({ ...parts, inputs })
}

export interface SpendParts extends Pick<PurchaseParts, 'version' | 'locktime' | 'previous'> {
  inputs: readonly (Pick<PurchaseInput, 'outpoint' | 'output'> & {
    sequence: number
    /** The final scripts of an input that is signed already. */
    scripts?: FinalScripts
  })[]
  outputs: readonly TxOut[]
}

/** A spend of known outputs, base64 of a version 0 PSBT. */
export function spendPsbt(parts: SpendParts): string {
  const global = [pair(GLOBAL.unsignedTx, unsignedTransaction(parts))]
  const inputs = parts.inputs.map((input) => [
    utxoPair(input, parts.previous),
    ...(input.scripts ? finalPairs(input.scripts) : []),
  ])
  const outputs = parts.outputs.map(() => [])
  return Buffer.from(writePsbtMaps({ global, inputs, outputs })).toString('base64')
}

/** Its bytes, which the PSBT of the spend holds. */
export function unsignedTransaction(parts: Omit<SpendParts, 'previous'>): Uint8Array {
  const transaction = new Transaction()
  transaction.version = parts.version
  transaction.locktime = parts.locktime
  for (const { outpoint, sequence } of parts.inputs) {
    const hash = bytesOf(outpoint.txid).reverse()
    transaction.addInput(hash, outpoint.vout, sequence)
  }
  for (const { scriptHex, valueSats } of parts.outputs) {
    transaction.addOutput(bytesOf(scriptHex), BigInt(valueSats))
  }
  return transaction.toBuffer()
}

function utxoPair(
  { outpoint, output }: SpendParts['inputs'][number],
  previous: PurchaseParts['previous'],
): Pair {
  if (!needsPrevious(output.scriptHex)) return pair(INPUT.witnessUtxo, outputBytes(output))
  const transaction = previous.get(outpoint.txid)
  if (!transaction) throw new Error(`the transaction ${outpoint.txid} is missing`)
  return pair(INPUT.nonWitnessUtxo, transaction)
}

const finalPairs = ({ witness, scriptSig }: FinalScripts): Pair[] => [
  ...(scriptSig.length > 0 ? [pair(INPUT.finalScriptSig, scriptSig)] : []),
  ...(witness.length > 0 ? [pair(INPUT.finalScriptWitness, witnessBytes(witness))] : []),
]

/** An output in a transaction's serialisation. */
export function outputBytes({ scriptHex, valueSats }: TxOut): Uint8Array {
  const script = bytesOf(scriptHex)
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(BigInt(valueSats))
  return Buffer.concat([value, compactSize(script.length), script])
}

const pair = (type: number, value: Uint8Array): Pair => ({ type, key: Uint8Array.of(type), value })

/** Before BIP143 a signature did not cover the amount: BIP174 requires the whole transaction. */
export const needsPrevious = (scriptHex: string): boolean =>
  !isWitnessProgram(scriptHex) && !P2SH.test(scriptHex)
