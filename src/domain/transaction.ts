import { Transaction } from 'bitcoinjs-lib'
import type { Spend } from '../schemas/evidence.ts'
import type { TxOut } from '../schemas/scalars.ts'

/** A transaction as the order rules read it: hashes in display order, amounts in sats. */
export interface DecodedTransaction {
  txid: string
  /** The txid without scriptSigs: what a bid's signatures committed to. */
  unsignedTxid: string
  isCoinbase: boolean
  /** `txid:vout` of every input, in order. */
  inputs: readonly string[]
  outputs: readonly TxOut[]
}

/** Decodes a serialised transaction; throws on anything else. */
export function decodeTransaction(hex: string): DecodedTransaction {
  const transaction = Transaction.fromHex(hex)
  const txid = transaction.getId()
  const isCoinbase = transaction.isCoinbase()
  const inputs = transaction.ins.map(
    ({ hash, index }) => `${Buffer.from(hash).reverse().toString('hex')}:${index}`,
  )
  const outputs = transaction.outs.map(({ value, script }) => ({
    valueSats: value.toString(),
    scriptHex: Buffer.from(script).toString('hex'),
  }))
  return { txid, unsignedTxid: unsignedTxid(transaction, txid), isCoinbase, inputs, outputs }
}

function unsignedTxid(transaction: Transaction, txid: string): string {
  if (transaction.ins.every(({ script }) => script.length === 0)) return txid
  const unsigned = transaction.clone()
  for (const input of unsigned.ins) input.script = new Uint8Array()
  return unsigned.getId()
}

/** How this transaction spends one of its inputs. */
export const spendOf = (
  { txid, unsignedTxid, outputs }: DecodedTransaction,
  inputIndex: number,
  block: Spend['block'],
): Spend => ({
  txid,
  inputIndex,
  unsignedTxid,
  pairedOutput: outputs[inputIndex] ?? null,
  block,
})
