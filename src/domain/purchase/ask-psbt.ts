import { Psbt } from 'bitcoinjs-lib'
import type { Outpoint, TxOut } from '../../schemas/scalars.ts'
import { withoutWitnesses } from '../chain/bare-transaction.ts'
import { bytesOf, P2TR } from '../script/script-template.ts'
import { SIGHASH } from '../script/sighash.ts'

export interface AskParts {
  outpoint: Outpoint
  /** As the node reports it; null if the node was not asked. */
  output: TxOut | null
  /** nSequence of the seller's input: 0x83 commits to it. */
  sequence: number
  payout: TxOut
  /** Hex of the transaction that made the output, for wallets that sign only with it. */
  previous: string | null
}

/**
 * Version, locktime and first sequence of every ask built here (docs/design/purchases.md#build).
 */
export const ASK_SEQUENCE = 0xfffffffd
const VERSION = 2
const LOCKTIME = 0
/**
 * A longer previous transaction is left out: an order's size is bounded, and a witness utxo
 * suffices to sign.
 */
const MAX_PREVIOUS_BYTES = 16_384

/** The unsigned ask of one input and one output, base64 of a version 0 PSBT. */
export function askPsbt({ outpoint, output, sequence, payout, previous }: AskParts): string {
  const psbt = new Psbt().setVersion(VERSION).setLocktime(LOCKTIME)
  psbt.addInput({
    hash: outpoint.txid,
    index: outpoint.vout,
    sequence,
    sighashType: SIGHASH.SINGLE_ANYONECANPAY,
    ...(output && { witnessUtxo: utxoOf(output) }),
  })
  psbt.addOutput(utxoOf(payout))
  const bytes = previous === null ? null : withoutWitnesses(previous)
  if (bytes && bytes.length <= MAX_PREVIOUS_BYTES) psbt.updateInput(0, { nonWitnessUtxo: bytes })
  return psbt.toBase64()
}

/**
 * Does a wallet ask for the whole previous transaction? Before BIP341 a signature did not commit to
 * the amounts of all inputs, so careful signers look them up.
 */
export const wantsPrevious = (scriptHex: string): boolean => !P2TR.test(scriptHex)

const utxoOf = ({ scriptHex, valueSats }: TxOut) => ({
  script: bytesOf(scriptHex),
  value: BigInt(valueSats),
})
