import { Transaction } from 'bitcoinjs-lib'
import type { Outpoint, Txid, TxOut } from '../../schemas/scalars.ts'
import { displayTxid, transactionId } from '../chain/hash256.ts'
import { finalSighashes } from '../psbt/input-signatures.ts'
import type { PsbtLimits } from '../psbt/psbt-limits.ts'
import { decodePsbtText } from '../psbt/psbt-text.ts'
import { readPsbt } from '../psbt/read-psbt.ts'
import { partsOfTransaction } from '../psbt/transaction-parts.ts'
import type { Completion } from '../satisfy/complete-input.ts'
import type { Ecc } from '../script/ecc.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { hexOf } from '../script/script-template.ts'
import { SIGHASH } from '../script/sighash.ts'
import { factsOf } from '../verdict/psbt-facts.ts'
import { completionOf } from '../verdict/signatures.ts'

export interface FinalInput {
  outpoint: Outpoint
  sequence: number
  /** What its signatures commit to (BIP143, BIP341). */
  sighashes: number[]
}

/** A transaction that a buyer would broadcast. */
export interface FinalTransaction {
  hex: string
  txid: Txid
  vsize: number
  version: number
  locktime: number
  inputs: FinalInput[]
  outputs: TxOut[]
}

const WHOLE: readonly number[] = [SIGHASH.DEFAULT, SIGHASH.ALL]

/** Does each of its signatures commit to all inputs and outputs? Any other holds in other transactions too. */
export const isWholeSigned = ({ sighashes }: FinalInput): boolean =>
  sighashes.every((sighash) => WHOLE.includes(sighash))

/** The bytes are not a transaction that could be broadcast; the message is the exact reason. */
export class MalformedTransactionError extends Error {
  override name = 'MalformedTransactionError'
}

/**
 * The largest standard transaction (Core MAX_STANDARD_TX_WEIGHT, in bytes without a witness
 * discount).
 */
export const MAX_TRANSACTION_BYTES = 400_000

/**
 * The limits of a signed purchase, as a PSBT or as a transaction; a PSBT includes previous
 * transactions.
 */
export const PURCHASE_LIMITS: PsbtLimits = {
  bytes: MAX_TRANSACTION_BYTES,
  inputs: 128,
  outputs: 128,
  pairs: 2_048,
  // Sixty-four inputs of a 2-of-3 multisig: 2 signatures and 3 derivations each, and 3 of the change.
  publicKeys: 512,
  items: 16_384,
}

const HEX = /^(?:[0-9a-f]{2})+$/

/**
 * Reads a transaction of which every input is signed.
 *
 * @throws MalformedTransactionError
 */
export function readFinalTransaction(hex: string): FinalTransaction {
  if (hex.length > 2 * MAX_TRANSACTION_BYTES) {
    throw malformed(`the transaction is larger than ${MAX_TRANSACTION_BYTES} bytes`)
  }
  if (!HEX.test(hex)) throw malformed('the transaction is not lowercase hex')
  const transaction = parse(hex)
  requireFew(transaction)
  // A form that the node would not write itself differs from what was checked.
  if (transaction.toHex() !== hex) throw malformed('the transaction is not in canonical form')
  return finalTransaction(transaction)
}

/**
 * Finalises the signed inputs of a PSBT, and changes nothing else in it (gateway spec 4.2). Each
 * gets the cheapest scripts that its signatures make valid for the output that the PSBT states;
 * without `ecc` every signature is taken for a valid one.
 *
 * @throws MalformedTransactionError for an input that is not signed, or not by enough keys
 * @throws PsbtRefusedError for bytes that are not a PSBT
 */
export function finaliseSigned(text: string, ecc: Ecc | null = null): FinalTransaction {
  const read = readPsbt(decodePsbtText(text, PURCHASE_LIMITS.bytes), PURCHASE_LIMITS)
  const facts = factsOf(read)
  const prevouts = facts.inputs.map(({ prevout }) => prevout)
  const transaction = read.unsigned.clone()
  for (const [index, { signatures }] of facts.inputs.entries()) {
    if (!signatures.isSigned) throw malformed(`input ${index} is not signed`)
    const scripts = requireScripts(completionOf(read, facts, index, prevouts, ecc), index)
    transaction.setInputScript(index, scripts.scriptSig)
    transaction.setWitness(index, scripts.witness)
  }
  return finalTransaction(transaction)
}

/** @throws MalformedTransactionError */
function requireScripts(completion: Completion, index: number): FinalScripts {
  switch (completion.status) {
    case 'complete':
      return completion.scripts
    case 'beyond-bound':
      throw malformed(`input ${index} can be completed in more ways than are tried: finalise it`)
    default:
      throw malformed(`input ${index} cannot be finalised: its fields do not suffice`)
  }
}

function parse(hex: string): Transaction {
  try {
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'))
    const { items } = PURCHASE_LIMITS
    if (partsOfTransaction(bytes, items) > items) throw tooMany('parts', items)
    return Transaction.fromBuffer(bytes)
  } catch (cause) {
    if (cause instanceof MalformedTransactionError) throw cause
    throw malformed('the bytes are not a transaction', cause)
  }
}

/** Node and index are asked about each input: the number is limited as for a PSBT. */
function requireFew({ ins, outs }: Transaction): void {
  const { inputs, outputs } = PURCHASE_LIMITS
  if (ins.length > inputs) throw tooMany('inputs', inputs)
  if (outs.length > outputs) throw tooMany('outputs', outputs)
}

const tooMany = (name: string, most: number): MalformedTransactionError =>
  malformed(`the transaction has more than ${most} ${name}`)

function finalTransaction(transaction: Transaction): FinalTransaction {
  const { version, locktime, ins, outs } = transaction
  if (ins.length === 0 || outs.length === 0) {
    throw malformed('the transaction has no input or no output')
  }
  const unsigned = ins.findIndex(({ script, witness }) => script.length + witness.length === 0)
  if (unsigned !== -1) throw malformed(`input ${unsigned} is not signed`)
  const hex = transaction.toHex()
  if (hex.length > 2 * MAX_TRANSACTION_BYTES) {
    throw malformed(`the transaction is larger than ${MAX_TRANSACTION_BYTES} bytes`)
  }
  return {
    hex,
    txid: transactionId(transaction),
    vsize: transaction.virtualSize(),
    version,
    locktime,
    inputs: ins.map(({ hash, index, sequence, script, witness }) => ({
      outpoint: { txid: displayTxid(hash), vout: index },
      sequence,
      sighashes: finalSighashes({ scriptSig: script, witness }),
    })),
    outputs: outs.map(({ script, value }) => ({
      valueSats: value.toString(),
      scriptHex: hexOf(script),
    })),
  }
}

const malformed = (message: string, cause?: unknown): MalformedTransactionError =>
  new MalformedTransactionError(message, cause === undefined ? undefined : { cause })
