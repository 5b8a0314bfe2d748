import { Transaction } from 'bitcoinjs-lib'
import { bytesOf, hexOf } from '../script/script-template.ts'
import { taggedHash } from '../script/tagged-hash.ts'

// BIP-322, "Full": two transactions that no chain can hold. The first pays the script whose owner
// must sign, from an output that does not exist; the second spends it: its witness is the proof.

const TAG = 'BIP0322-signed-message'
const NO_TXID = new Uint8Array(32)
const NO_VOUT = 0xffffffff
const SEQUENCE = 0
/** OP_0 and a push of the message's hash. */
const COMMITMENT = Uint8Array.of(0x00, 0x20)

/** OP_RETURN alone: the script of the one output of `to_sign`. */
const NOTHING_HEX = '6a'

/** What is signed: the UTF-8 bytes of the message under BIP-322's tag. */
export const messageHash = (message: string): Uint8Array => taggedHash(TAG, Buffer.from(message))

/** `to_spend`: commits to the message, and requires the owner of the script. */
export function toSpend(message: string, scriptHex: string): Transaction {
  const transaction = new Transaction()
  transaction.version = 0
  const scriptSig = Uint8Array.from([...COMMITMENT, ...messageHash(message)])
  transaction.addInput(NO_TXID, NO_VOUT, SEQUENCE, scriptSig)
  transaction.addOutput(bytesOf(scriptHex), 0n)
  return transaction
}

/** `to_sign` with the default values of a simple proof, unsigned. */
export function toSign(spent: Transaction): Transaction {
  const transaction = new Transaction()
  transaction.version = 0
  transaction.addInput(spent.getHash(), 0, SEQUENCE)
  transaction.addOutput(bytesOf(NOTHING_HEX), 0n)
  return transaction
}

/** Why a submitted transaction is not `to_sign` for this `to_spend`; null if it is. */
export function differenceFromToSign(transaction: Transaction, spent: Transaction): string | null {
  const [input] = transaction.ins
  const [output, ...others] = transaction.outs
  if (input?.index !== 0 || hexOf(input.hash) !== hexOf(spent.getHash())) {
    return 'the proof is for another message or another address'
  }
  const isNothing = output?.value === 0n && hexOf(output.script) === NOTHING_HEX
  return isNothing && others.length === 0
    ? null
    : 'the transaction must have one output, of 0 sats to OP_RETURN'
}
