import type { BlockHash, OutpointText, Txid } from '../../schemas/scalars.ts'
import { type BlockLayout, layOut } from './block-layout.ts'
import {
  ByteCursor,
  HEADER_BYTES,
  OUTPOINT_BYTES,
  SEQUENCE_BYTES,
  VALUE_BYTES,
} from './byte-cursor.ts'
import {
  displayBlockHash,
  displayHash,
  displayTxid,
  hashHeader,
  hashTransaction,
} from './hash256.ts'
import { outpointText } from './outpoint.ts'

/**
 * A serialised block (BIP144) opened for reading: the offsets of its parts are known, and nothing
 * is decoded or hashed until it is needed.
 */
export class RawBlock {
  /** Display order, lowercase hex. */
  readonly hash: BlockHash
  readonly prevHash: BlockHash
  /** Unix seconds, as the miner wrote it. */
  readonly time: number
  readonly bytes: Buffer
  readonly #layout: BlockLayout
  readonly #transactions: RawTransaction[] = []

  constructor(bytes: Uint8Array, layout: BlockLayout) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#layout = layout
    this.hash = hashHeader(this.bytes.subarray(0, HEADER_BYTES))
    this.prevHash = displayBlockHash(this.bytes.subarray(4, 36))
    this.time = this.bytes.readUInt32LE(68)
  }

  get transactions(): readonly RawTransaction[] {
    return Array.from(this.#layout.starts, (_, index) => this.#transaction(index))
  }

  /**
   * In order, the transactions whose bytes contain the mark anywhere, and those that spend one of
   * the outpoints (keys as by `spentKey`). Outpoints are looked up lazily: the set may grow.
   */
  *transactionsWith(
    pattern: Uint8Array,
    outpoints: ReadonlySet<string>,
  ): Generator<RawTransaction, void> {
    const { starts } = this.#layout
    let matchAt = this.#find(pattern, starts[0])
    for (let index = 0; index < starts.length; index += 1) {
      if (outpoints.size === 0) {
        if (matchAt === null) return
        index = this.#indexAt(matchAt)
      }
      const end = starts[index + 1] ?? this.bytes.length
      const isMatch = matchAt !== null && matchAt < end
      if (isMatch || this.#spends(index, outpoints)) yield this.#transaction(index)
      if (isMatch) matchAt = this.#find(pattern, end)
    }
  }

  #find(pattern: Uint8Array, from = this.bytes.length): number | null {
    const found = this.bytes.indexOf(pattern, from)
    return found < 0 ? null : found
  }

  /** The index of the transaction that a byte belongs to. */
  #indexAt(offset: number): number {
    const { starts } = this.#layout
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  #spends(index: number, outpoints: ReadonlySet<string>): boolean {
    if (outpoints.size === 0) return false
    const { inputs, firstInputs } = this.#layout
    const end = firstInputs[index + 1] ?? 0
    for (let input = firstInputs[index] ?? end; input < end; input += 1) {
      const at = inputs[input] ?? 0
      if (outpoints.has(this.bytes.toString('latin1', at, at + OUTPOINT_BYTES))) return true
    }
    return false
  }

  #transaction(index: number): RawTransaction {
    const known = this.#transactions[index]
    if (known) return known
    const at = placeOf(this.#layout.starts, index)
    const read = new RawTransaction(new ByteCursor(this.bytes, at), index)
    this.#transactions[index] = read
    return read
  }
}

/** Throws RangeError if the bytes are not exactly one block. */
export const readBlock = (bytes: Uint8Array): RawBlock => new RawBlock(bytes, layOut(bytes))

/** One transaction, of a block or standalone; its parts are views of the block's own bytes. */
export class RawTransaction {
  /** Its place in the block; 0 is the coinbase. */
  readonly index: number
  readonly #raw: Buffer
  readonly #start: number
  readonly #end: number
  /** The offset of each input and each output. */
  readonly #inputs: number[] = []
  readonly #outputs: number[] = []
  /** The part between version and witnesses. */
  readonly #body: { start: number; end: number }
  #txid: Txid | null = null
  #wtxid: string | null = null

  /** Reads one transaction, and advances the cursor past it. */
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

  /** Computed on first use. */
  get txid(): Txid {
    const { start, end } = this.#body
    const raw = this.#raw
    this.#txid ??= hashTransaction(
      Buffer.concat([
        raw.subarray(this.#start, this.#start + 4),
        raw.subarray(start, end),
        raw.subarray(this.#end - 4, this.#end),
      ]),
    )
    return this.#txid
  }

  /** As serialised in the block, witnesses included. */
  get bytes(): Buffer {
    return this.#raw.subarray(this.#start, this.#end)
  }

  /** Hash of the bytes as they are; BIP141 gives a coinbase zeros instead. */
  get wtxid(): string {
    this.#wtxid ??= displayHash(this.bytes)
    return this.#wtxid
  }

  /** `txid:vout` of the output that an input spends. */
  spent(input: number): OutpointText {
    const at = placeOf(this.#inputs, input)
    const txid = displayTxid(this.#raw.subarray(at, at + 32))
    return outpointText({ txid, vout: this.#raw.readUInt32LE(at + 32) })
  }

  /**
   * The spent outpoint as its 36 serialised bytes, one character each: the cheapest key of a set.
   */
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

function placeOf(places: ArrayLike<number>, index: number): number {
  const place = places[index]
  if (place === undefined) throw new RangeError(`there is no ${index} of ${places.length}`)
  return place
}
