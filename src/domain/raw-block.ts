import { hash } from 'node:crypto'

/**
 * A serialised block (BIP144) opened for reading: transactions are found by one pass over the bytes,
 * and nothing is decoded or hashed before it is asked for.
 */
export interface RawBlock {
  /** Display order, lowercase hex. */
  hash: string
  prevHash: string
  /** Unix seconds, as the miner wrote it. */
  time: number
  transactions: readonly RawTransaction[]
}

export const HEADER_BYTES = 80
const OUTPOINT_BYTES = 36
const SEQUENCE_BYTES = 4
const VALUE_BYTES = 8
/** Of a transaction with one input and one output of empty scripts. */
export const LEAST_TRANSACTION_BYTES = 60

/** Throws RangeError when the bytes are not exactly one block. */
export function readBlock(bytes: Uint8Array): RawBlock {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cursor = new ByteCursor(raw, HEADER_BYTES)
  const transactions = Array.from(
    { length: cursor.count(LEAST_TRANSACTION_BYTES) },
    (_, index) => new RawTransaction(cursor, index),
  )
  cursor.expectEnd()
  return {
    hash: displayHash(raw.subarray(0, HEADER_BYTES)),
    prevHash: reversedHex(raw.subarray(4, 36)),
    time: raw.readUInt32LE(68),
    transactions,
  }
}

/** One transaction, of a block or by itself; its parts are views of the block's own bytes. */
export class RawTransaction {
  /** Its place in the block; 0 is the coinbase. */
  readonly index: number
  readonly #raw: Buffer
  readonly #start: number
  readonly #end: number
  /** Where each input and each output stands. */
  readonly #inputs: number[] = []
  readonly #outputs: number[] = []
  /** The part between version and witnesses. */
  readonly #body: { start: number; end: number }
  #txid: string | null = null
  #wtxid: string | null = null

  /** Reads one transaction, and leaves the cursor behind it. */
  constructor(cursor: ByteCursor, index: number) {
    this.index = index
    this.#raw = cursor.raw
    this.#start = cursor.at
    cursor.skip(4)
    // BIP144: a marker 00 where the input count would be, and a flag 01, announce witnesses.
    const isSegwit = cursor.raw[cursor.at] === 0 && cursor.raw[cursor.at + 1] === 1
    if (isSegwit) cursor.skip(2)
    const start = cursor.at
    for (let left = cursor.count(OUTPOINT_BYTES); left > 0; left--) {
      this.#inputs.push(cursor.at)
      cursor.skip(OUTPOINT_BYTES)
      cursor.skip(cursor.compactSize() + SEQUENCE_BYTES)
    }
    for (let left = cursor.count(VALUE_BYTES); left > 0; left--) {
      this.#outputs.push(cursor.at)
      cursor.skip(VALUE_BYTES)
      cursor.skip(cursor.compactSize())
    }
    this.#body = { start, end: cursor.at }
    if (isSegwit)
      for (const _ of this.#inputs)
        for (let items = cursor.count(1); items > 0; items--) cursor.skip(cursor.compactSize())
    cursor.skip(4)
    this.#end = cursor.at
  }

  get inputs(): number {
    return this.#inputs.length
  }

  get outputs(): number {
    return this.#outputs.length
  }

  /** Hashed at the first look. */
  get txid(): string {
    const { start, end } = this.#body
    const raw = this.#raw
    this.#txid ??= displayHash(
      Buffer.concat([
        raw.subarray(this.#start, this.#start + 4),
        raw.subarray(start, end),
        raw.subarray(this.#end - 4, this.#end),
      ]),
    )
    return this.#txid
  }

  /** As it stands in the block, witnesses and all. */
  get bytes(): Buffer {
    return this.#raw.subarray(this.#start, this.#end)
  }

  /** As the bytes are; BIP141 gives a coinbase zeros instead. */
  get wtxid(): string {
    this.#wtxid ??= displayHash(this.bytes)
    return this.#wtxid
  }

  /** `txid:vout` of what an input spends. */
  spent(input: number): string {
    const at = placeOf(this.#inputs, input)
    return `${reversedHex(this.#raw.subarray(at, at + 32))}:${this.#raw.readUInt32LE(at + 32)}`
  }

  /** The same as its 36 serialised bytes, one character each: the cheapest key of a set. */
  spentKey(input: number): string {
    const at = placeOf(this.#inputs, input)
    return this.#raw.toString('latin1', at, at + OUTPOINT_BYTES)
  }

  valueSats(output: number): bigint {
    return this.#raw.readBigUInt64LE(placeOf(this.#outputs, output))
  }

  /** A view of the block's own bytes. */
  script(output: number): Uint8Array {
    const cursor = new ByteCursor(this.#raw, placeOf(this.#outputs, output) + VALUE_BYTES)
    const length = cursor.compactSize()
    return this.#raw.subarray(cursor.at, cursor.at + length)
  }
}

/** Where reading stands in serialised bytes. */
export class ByteCursor {
  readonly raw: Buffer
  at: number

  constructor(raw: Buffer, at: number) {
    this.raw = raw
    this.at = at
  }

  skip(bytes: number): void {
    this.at += bytes
    if (this.at > this.raw.length) throw new RangeError('the bytes are cut short')
  }

  /** A count of items of at least `bytes` bytes each: never more than there can be. */
  count(bytes: number): number {
    const count = this.compactSize()
    if (count * bytes > this.raw.length) throw new RangeError('the bytes are cut short')
    return count
  }

  expectEnd(): void {
    if (this.at !== this.raw.length) throw new RangeError('bytes after the last transaction')
  }

  /** Throws RangeError on one of 64 bits: nothing in a block is that long. */
  compactSize(): number {
    const first = this.raw.readUInt8(this.at)
    const width = first < 0xfd ? 0 : first === 0xfd ? 2 : 4
    if (first === 0xff) throw new RangeError('a size of 64 bits')
    const value = width === 0 ? first : this.raw.readUIntLE(this.at + 1, width)
    this.skip(1 + width)
    return value
  }
}

function placeOf(places: readonly number[], index: number): number {
  const place = places[index]
  if (place === undefined) throw new RangeError(`there is no ${index} of ${places.length}`)
  return place
}

const displayHash = (bytes: Uint8Array): string =>
  reversedHex(hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer'))

const reversedHex = (bytes: Uint8Array): string => Buffer.from(bytes).reverse().toString('hex')
