import type { OutpointText, Txid, TxOut } from '../../schemas/scalars.ts'
import { displayTxid, hashTransaction } from './hash256.ts'
import { outpointText } from './outpoint.ts'

/**
 * A transaction without scriptSigs and witnesses: all that decides which outputs it makes and
 * spends, in the network's own serialisation. For segwit inputs its hash is the txid itself.
 */
export interface BareTransaction {
  txid: Txid
  bytes: Uint8Array
}

/** A bare transaction opened for reading; decoded lazily. */
export interface TransactionView {
  txid: Txid
  /** The txid without scriptSigs: what a bid committed to. */
  unsignedTxid: Txid
  coinbase: boolean
  inputs: number
  outputs: number
  /** `txid:vout` of the output that an input spends. */
  spent(input: number): OutpointText
  output(index: number): TxOut
  /** The script of an output. */
  script(index: number): Uint8Array
}

const OUTPOINT_BYTES = 36
const SEQUENCE_BYTES = 4
const INPUT_BYTES = OUTPOINT_BYTES + 1 + SEQUENCE_BYTES
const VALUE_BYTES = 8
const LOCKTIME_BYTES = 4
const NO_TXID = '00'.repeat(32)

/** Reduces a transaction from the node. Throws RangeError when the bytes are cut short. */
export function bareTransaction(transaction: { txid: Txid; hex: string }): BareTransaction {
  const raw = Buffer.from(transaction.hex, 'hex')
  const { inputs, outputs } = layout(raw)
  const counted = compactSize(inputs.starts.length)
  const head = 4 + counted.length
  const tail = head + inputs.starts.length * INPUT_BYTES
  const bytes = new Uint8Array(tail + (outputs.end - outputs.start) + LOCKTIME_BYTES)
  bytes.set(raw.subarray(0, 4))
  bytes.set(counted, 4)
  inputs.starts.forEach((start, index) => {
    const end = inputs.starts[index + 1] ?? inputs.end
    const at = head + index * INPUT_BYTES
    bytes.set(raw.subarray(start, start + OUTPOINT_BYTES), at)
    bytes.set(raw.subarray(end - SEQUENCE_BYTES, end), at + OUTPOINT_BYTES + 1)
  })
  bytes.set(raw.subarray(outputs.start, outputs.end), tail)
  bytes.set(raw.subarray(-LOCKTIME_BYTES), bytes.length - LOCKTIME_BYTES)
  return { txid: transaction.txid, bytes }
}

export function openTransaction({ txid, bytes }: BareTransaction): TransactionView {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { inputs, outputs } = layout(raw)
  const spent = (input: number): OutpointText => {
    const start = at(inputs.starts, input)
    const txid = displayTxid(raw.subarray(start, start + 32))
    return outpointText({ txid, vout: raw.readUInt32LE(start + 32) })
  }
  let unsignedTxid: Txid | null = null
  return {
    txid,
    get unsignedTxid() {
      unsignedTxid ??= hashTransaction(raw)
      return unsignedTxid
    },
    coinbase: inputs.starts.length === 1 && spent(0).startsWith(NO_TXID),
    inputs: inputs.starts.length,
    outputs: outputs.starts.length,
    spent,
    output: (index) => outputAt(raw, at(outputs.starts, index)),
    script: (index) => scriptAt(raw, at(outputs.starts, index)),
  }
}

/**
 * An output of a transaction in the network's own serialisation. Throws RangeError where there is
 * none, or the bytes are cut short.
 */
export function outputOfTransaction(hex: string, index: number): TxOut {
  const raw = Buffer.from(hex, 'hex')
  return outputAt(raw, at(layout(raw).outputs.starts, index))
}

const outputAt = (raw: Buffer, start: number): TxOut => ({
  valueSats: raw.readBigUInt64LE(start).toString(),
  scriptHex: scriptAt(raw, start).toString('hex'),
})

function scriptAt(raw: Buffer, start: number): Buffer {
  const cursor = new Cursor(raw, start + VALUE_BYTES)
  const length = cursor.compactSize()
  return raw.subarray(cursor.position, cursor.position + length)
}

/**
 * The serialisation that its txid is made from (BIP141), scriptSigs included: the witness of a reveal
 * may be as large as a block. Throws RangeError when the bytes are cut short.
 */
export function withoutWitnesses(hex: string): Uint8Array {
  const raw = Buffer.from(hex, 'hex')
  const { inputs, outputs } = layout(raw)
  const parts = [raw.subarray(0, 4), raw.subarray(inputs.start, outputs.end)]
  return Uint8Array.from(Buffer.concat([...parts, raw.subarray(-LOCKTIME_BYTES)]))
}

/** Offsets of the inputs and outputs; `start` is that of their count. */
interface Layout {
  inputs: { start: number; starts: number[]; end: number }
  outputs: { start: number; starts: number[]; end: number }
}

function layout(raw: Buffer): Layout {
  const cursor = new Cursor(raw, 4)
  // BIP144: a marker 00 where the input count would be, and a flag 01, announce witnesses.
  const witnesses = raw[4] === 0 && raw[5] === 1
  if (witnesses) cursor.skip(2)
  const first = cursor.position
  const inputs: number[] = []
  for (let left = cursor.count(INPUT_BYTES); left > 0; left--) {
    inputs.push(cursor.position)
    cursor.skip(OUTPOINT_BYTES)
    cursor.skip(cursor.compactSize() + SEQUENCE_BYTES)
  }
  const start = cursor.position
  const outputs: number[] = []
  for (let left = cursor.count(VALUE_BYTES + 1); left > 0; left--) {
    outputs.push(cursor.position)
    cursor.skip(VALUE_BYTES)
    cursor.skip(cursor.compactSize())
  }
  const end = cursor.position
  if (witnesses)
    for (const _input of inputs)
      for (let items = cursor.count(1); items > 0; items--) cursor.skip(cursor.compactSize())
  if (cursor.position !== raw.length - LOCKTIME_BYTES)
    throw new RangeError(
      `the transaction has ${raw.length - cursor.position} bytes after its parts`,
    )
  return {
    inputs: { start: first, starts: inputs, end: start },
    outputs: { start, starts: outputs, end },
  }
}

class Cursor {
  readonly raw: Buffer
  position: number

  constructor(raw: Buffer, position: number) {
    this.raw = raw
    this.position = position
  }

  skip(bytes: number): void {
    this.position += bytes
    if (this.position > this.raw.length) throw new RangeError('the transaction is cut short')
  }

  /** A count of items of at least `bytes` bytes each: never more than the input can hold. */
  count(bytes: number): number {
    const count = this.compactSize()
    if (count * bytes > this.raw.length) throw new RangeError('the transaction is cut short')
    return count
  }

  compactSize(): number {
    const first = this.raw.readUInt8(this.position)
    this.skip(1)
    if (first < 0xfd) return first
    const [value, bytes] =
      first === 0xfd
        ? [this.raw.readUInt16LE(this.position), 2]
        : first === 0xfe
          ? [this.raw.readUInt32LE(this.position), 4]
          : [Number(this.raw.readBigUInt64LE(this.position)), 8]
    this.skip(bytes)
    return value
  }
}

function compactSize(value: number): Buffer {
  if (value < 0xfd) return Buffer.from([value])
  const wide = Buffer.alloc(value <= 0xffff ? 3 : 5)
  wide[0] = value <= 0xffff ? 0xfd : 0xfe
  wide.writeUIntLE(value, 1, wide.length - 1)
  return wide
}

function at(starts: readonly number[], index: number): number {
  const start = starts[index]
  if (start === undefined) throw new RangeError(`the transaction has no item ${index}`)
  return start
}
