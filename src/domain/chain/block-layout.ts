import type { BlockHash } from '../../schemas/scalars.ts'
import {
  ByteCursor,
  HEADER_BYTES,
  LEAST_TRANSACTION_BYTES,
  OUTPOINT_BYTES,
  SEQUENCE_BYTES,
  VALUE_BYTES,
} from './byte-cursor.ts'
import { hash256, hashHeader } from './hash256.ts'

/** Where the parts of a serialised block are; offsets from its first byte. */
export interface BlockLayout {
  /** Offset of each transaction. */
  starts: Uint32Array
  /** Offset of each input of the block, in order. */
  inputs: Uint32Array
  /** The index in `inputs` of each transaction's first one, followed by their total. */
  firstInputs: Uint32Array
}

/** The bytes are not the block that they were said to be. */
export class FalseBlockError extends Error {
  override name = 'FalseBlockError'
}

const HASH_BYTES = 32
const PREV_AT = 4
const ROOT_AT = PREV_AT + HASH_BYTES
const VERSION_BYTES = 4
const LOCKTIME_BYTES = 4

/** Finds the parts and checks nothing else. Throws RangeError unless the bytes are one block. */
export const layOut = (bytes: Uint8Array): BlockLayout => walk(bytes, () => {})

/**
 * The layout of a block of this hash; checks that its transactions are exactly the ones its header
 * commits to, in order. Witnesses are not covered. Throws `FalseBlockError` or RangeError.
 */
export function checkedLayout(blockHash: BlockHash, bytes: Uint8Array): BlockLayout {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = hashHeader(raw.subarray(0, HEADER_BYTES))
  if (found !== blockHash) throw new FalseBlockError(`it is block ${found}`)
  const txids: Buffer[] = []
  const parts = new Parts()
  const layout = walk(raw, (transaction) => txids.push(parts.txid(raw, transaction)))
  const root = raw.subarray(ROOT_AT, ROOT_AT + HASH_BYTES)
  if (!merkleRootOf(txids).equals(root)) {
    throw new FalseBlockError('its transactions are not those that its header names')
  }
  return layout
}

interface Walked {
  start: number
  /** Between version and witnesses. */
  bodyStart: number
  bodyEnd: number
  end: number
}

function walk(bytes: Uint8Array, onTransaction: (transaction: Walked) => void): BlockLayout {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cursor = new ByteCursor(raw, HEADER_BYTES)
  const count = cursor.count(LEAST_TRANSACTION_BYTES)
  const starts = new Uint32Array(count)
  const firstInputs = new Uint32Array(count + 1)
  const inputs: number[] = []
  for (let index = 0; index < count; index += 1) {
    starts[index] = cursor.at
    firstInputs[index] = inputs.length
    onTransaction(walkTransaction(cursor, inputs))
  }
  firstInputs[count] = inputs.length
  cursor.expectEnd()
  return { starts, inputs: Uint32Array.from(inputs), firstInputs }
}

function walkTransaction(cursor: ByteCursor, inputs: number[]): Walked {
  const start = cursor.at
  cursor.skip(VERSION_BYTES)
  // BIP144: a marker 00 where the input count would be, and a flag 01, announce witnesses.
  const isSegwit = cursor.raw[cursor.at] === 0 && cursor.raw[cursor.at + 1] === 1
  if (isSegwit) cursor.skip(2)
  const bodyStart = cursor.at
  const inputCount = cursor.count(OUTPOINT_BYTES)
  for (let left = inputCount; left > 0; left -= 1) {
    inputs.push(cursor.at)
    cursor.skip(OUTPOINT_BYTES)
    cursor.skip(cursor.compactSize() + SEQUENCE_BYTES)
  }
  for (let left = cursor.count(VALUE_BYTES); left > 0; left -= 1) {
    cursor.skip(VALUE_BYTES)
    cursor.skip(cursor.compactSize())
  }
  const bodyEnd = cursor.at
  for (let left = isSegwit ? inputCount : 0; left > 0; left -= 1) {
    for (let items = cursor.count(1); items > 0; items -= 1) cursor.skip(cursor.compactSize())
  }
  cursor.skip(LOCKTIME_BYTES)
  return { start, bodyStart, bodyEnd, end: cursor.at }
}

/** The parts of a transaction that its id covers, copied together. */
class Parts {
  #room = Buffer.alloc(2 ** 16)

  txid(raw: Buffer, { start, bodyStart, bodyEnd, end }: Walked): Buffer {
    if (bodyStart === start + VERSION_BYTES) return hash256(raw.subarray(start, end))
    const length = VERSION_BYTES + bodyEnd - bodyStart + LOCKTIME_BYTES
    if (length > this.#room.length) this.#room = Buffer.alloc(length * 2)
    raw.copy(this.#room, 0, start, start + VERSION_BYTES)
    raw.copy(this.#room, VERSION_BYTES, bodyStart, bodyEnd)
    raw.copy(this.#room, length - LOCKTIME_BYTES, end - LOCKTIME_BYTES, end)
    return hash256(this.#room.subarray(0, length))
  }
}

/**
 * The root that a header commits to. A pair of equal hashes is refused: a block whose last
 * transactions are repeated has the root of the one without them (CVE-2012-2459).
 */
function merkleRootOf(txids: readonly Buffer[]): Buffer {
  const pair = Buffer.alloc(2 * HASH_BYTES)
  let level = txids
  while (level.length > 1) {
    const next: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] ?? NO_HASH
      const right = level[at + 1]
      if (right?.equals(left)) throw new FalseBlockError('it repeats transactions')
      left.copy(pair)
      const last = right ?? left
      last.copy(pair, HASH_BYTES)
      next.push(hash256(pair))
    }
    level = next
  }
  return level[0] ?? NO_HASH
}

const NO_HASH = Buffer.alloc(HASH_BYTES)
