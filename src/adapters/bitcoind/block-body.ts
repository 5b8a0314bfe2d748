import { hash } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Transaction } from '../../ports/full-node.ts'

const HEADER_BYTES = 80
const OUTPOINT_BYTES = 36
const SEQUENCE_BYTES = 4
const VALUE_BYTES = 8
/** Longest stretch of work between two turns of the event loop. */
const SLICE_MS = 8

/** The transactions of a serialised block, in order; gives way to other work while it slices. */
export async function blockTransactions(bytes: Buffer, clock: Clock): Promise<Transaction[]> {
  const cursor = new Cursor(bytes, HEADER_BYTES)
  const transactions: Transaction[] = []
  let sliceEnd = clock.monotonic() + SLICE_MS
  for (let left = cursor.count(); left > 0; left--) {
    transactions.push(transactionAt(cursor))
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
  const cursor = new Cursor(bytes, 0)
  const transaction = transactionAt(cursor)
  cursor.expectEnd()
  return transaction
}

/** Slices, does not decode: BIP144 serialisation, txid over the part without marker and witnesses. */
function transactionAt(cursor: Cursor): Transaction {
  const start = cursor.at
  cursor.skip(4)
  const segwit = cursor.peek(0) === 0 && cursor.peek(1) === 1
  if (segwit) cursor.skip(2)
  const bodyStart = cursor.at
  const inputs = cursor.count()
  for (let i = 0; i < inputs; i++) {
    cursor.skip(OUTPOINT_BYTES)
    cursor.skip(cursor.count())
    cursor.skip(SEQUENCE_BYTES)
  }
  for (let outputs = cursor.count(); outputs > 0; outputs--) {
    cursor.skip(VALUE_BYTES)
    cursor.skip(cursor.count())
  }
  const bodyEnd = cursor.at
  if (segwit)
    for (let i = 0; i < inputs; i++)
      for (let items = cursor.count(); items > 0; items--) cursor.skip(cursor.count())
  cursor.skip(4)

  const whole = cursor.bytes.subarray(start, cursor.at)
  const stripped = segwit
    ? Buffer.concat([
        whole.subarray(0, 4),
        cursor.bytes.subarray(bodyStart, bodyEnd),
        whole.subarray(-4),
      ])
    : whole
  return { txid: txidOf(stripped), hex: whole.toString('hex') }
}

const txidOf = (stripped: Buffer): string =>
  hash('sha256', hash('sha256', stripped, 'buffer'), 'buffer')
    .reverse()
    .toString('hex')

class Cursor {
  readonly bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  skip(length: number): void {
    this.at += length
    if (this.at > this.bytes.length) throw new RangeError('transaction cut short')
  }

  peek(ahead: number): number | undefined {
    return this.bytes[this.at + ahead]
  }

  /** A CompactSize. Counts here never reach 2^32: a block has at most 4,000,000 bytes. */
  count(): number {
    const first = this.bytes.readUInt8(this.at)
    const width = first < 0xfd ? 0 : first === 0xfd ? 2 : 4
    if (first === 0xff) throw new RangeError('count of 64 bits')
    const value = width === 0 ? first : this.bytes.readUIntLE(this.at + 1, width)
    this.skip(1 + width)
    return value
  }

  expectEnd(): void {
    if (this.at !== this.bytes.length) throw new RangeError('bytes after the last transaction')
  }
}
