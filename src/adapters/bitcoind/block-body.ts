import {
  ByteCursor,
  HEADER_BYTES,
  LEAST_TRANSACTION_BYTES,
} from '../../domain/chain/byte-cursor.ts'
import { RawTransaction } from '../../domain/chain/raw-block.ts'
import type { Transaction } from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'

/** Longest stretch of work before yielding to the event loop. */
const SLICE_MS = 8

/** The transactions of a serialised block, in order; yields to other work while it slices. */
export async function blockTransactions(bytes: Buffer, clock: Clock): Promise<Transaction[]> {
  const cursor = new ByteCursor(bytes, HEADER_BYTES)
  const transactions: Transaction[] = []
  let sliceEnd = clock.monotonic() + SLICE_MS
  const count = cursor.count(LEAST_TRANSACTION_BYTES)
  for (let index = 0; index < count; index++) {
    transactions.push(answerOf(new RawTransaction(cursor, index)))
    if (clock.monotonic() > sliceEnd) {
      await new Promise(setImmediate)
      sliceEnd = clock.monotonic() + SLICE_MS
    }
  }
  cursor.expectEnd()
  return transactions
}

/** One serialised transaction. Throws `RangeError` when the bytes are not exactly one. */
export function readTransaction(bytes: Buffer): Transaction {
  const cursor = new ByteCursor(bytes, 0)
  const transaction = new RawTransaction(cursor, 0)
  cursor.expectEnd()
  return answerOf(transaction)
}

const answerOf = ({ txid, bytes }: RawTransaction): Transaction => ({
  txid,
  hex: bytes.toString('hex'),
})
