import { Transaction } from 'bitcoinjs-lib'
import type { Pair } from '../psbt/key-value-maps.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { GLOBAL, writePsbtMaps } from '../psbt/psbt-maps.ts'
import { accepted, invalidPsbt, psbtTooLarge } from '../psbt/psbt-refused.ts'
import { encodeBase64 } from '../psbt/psbt-text.ts'
import { partsOfTransaction } from '../psbt/transaction-parts.ts'
import { witnessBytes } from '../verdict/node-question.ts'

const FINAL_SCRIPT_SIG = 0x07
const FINAL_SCRIPT_WITNESS = 0x08
const HEX = /^(?:[0-9a-f]{2})+$/i

/**
 * A transaction as the PSBT that it was finalised from, base64: every script and witness is final,
 * and no utxo is stated. Within `ORDER_LIMITS`.
 *
 * @throws PsbtRefusedError
 */
export function psbtOfTransaction(hex: string): string {
  if (hex.length > 2 * ORDER_LIMITS.bytes) {
    throw psbtTooLarge(`the transaction is larger than ${ORDER_LIMITS.bytes} bytes`)
  }
  if (!HEX.test(hex)) throw invalidPsbt('the transaction is not hex')
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'))
  const parts = accepted(() => partsOfTransaction(bytes, ORDER_LIMITS.items), 'transaction')
  if (parts > ORDER_LIMITS.items) throw psbtTooLarge('the transaction has too many parts')
  const transaction = accepted(() => Transaction.fromBuffer(bytes), 'transaction')
  const inputs = transaction.ins.map(({ script, witness }) => [
    ...(script.length > 0 ? [pair(FINAL_SCRIPT_SIG, script)] : []),
    ...(witness.length > 0 ? [pair(FINAL_SCRIPT_WITNESS, witnessBytes(witness))] : []),
  ])
  for (const at of transaction.ins.keys()) {
    transaction.setInputScript(at, new Uint8Array())
    transaction.setWitness(at, [])
  }
  const global = [pair(GLOBAL.unsignedTx, transaction.toBuffer())]
  const outputs = transaction.outs.map(() => [])
  return encodeBase64(writePsbtMaps({ global, inputs, outputs }))
}

const pair = (type: number, value: Uint8Array): Pair => ({ type, key: Uint8Array.of(type), value })
