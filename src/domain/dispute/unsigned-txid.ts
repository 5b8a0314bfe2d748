import { Transaction } from 'bitcoinjs-lib'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { Txid } from '../../schemas/scalars.ts'
import { transactionId } from '../chain/hash256.ts'
import { bytesOf } from '../script/script-template.ts'

/**
 * The txid of the unsigned transaction that an inspection describes.
 *
 * @throws TypeError, RangeError, Error no transaction has such parts
 */
export function unsignedTxidOf(
  { inputOutpoints, outputValuesSats, outputScriptsHex }: PsbtInspection,
  { version, locktime, sequences }: Offer,
): Txid {
  const transaction = new Transaction()
  transaction.version = version
  transaction.locktime = locktime
  for (const [at, { txid, vout }] of inputOutpoints.entries())
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout, sequences[at])
  for (const [at, value] of outputValuesSats.entries())
    transaction.addOutput(bytesOf(outputScriptsHex[at] ?? ''), BigInt(value))
  return transactionId(transaction)
}
