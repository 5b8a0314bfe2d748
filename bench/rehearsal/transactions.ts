import { createHash } from 'node:crypto'
import type { BlockHash, Txid } from '../../src/schemas/scalars.ts'
import { toBlockHash, toTxid } from '../../test/support/ids.ts'

/** A serialised transaction: two inputs with witnesses, six outputs, 494 bytes. */
export interface WireTransaction {
  /** As displayed: the reverse of the hash. */
  txid: Txid
  bytes: Buffer
}

const INPUTS = 2
const OUTPUTS = 6
const SIGNATURE_BYTES = 72
const KEY_BYTES = 33
const HASH_BYTES = 32
const SCRIPT_BYTES = 22
const HEAD_BYTES = 6
const INPUT_BYTES = HASH_BYTES + 4 + 1 + 4
const OUTPUT_BYTES = 8 + 1 + SCRIPT_BYTES
const BODY_BYTES = 1 + INPUTS * INPUT_BYTES + 1 + OUTPUTS * OUTPUT_BYTES
const WITNESS_BYTES = INPUTS * (1 + 1 + SIGNATURE_BYTES + 1 + KEY_BYTES)
const VALUE_SATS = 10_000n

/** The same number makes the same transaction; its inputs are unknown and spent by no other. */
export function transactionOf(number: number): WireTransaction {
  const bytes = Buffer.alloc(HEAD_BYTES + BODY_BYTES + WITNESS_BYTES + 4)
  bytes.writeUInt32LE(2, 0)
  bytes.writeUInt16BE(0x0001, 4)
  let at = bytes.writeUInt8(INPUTS, HEAD_BYTES)
  for (let input = 0; input < INPUTS; input += 1) {
    at += seedOf(number, input).copy(bytes, at)
    at = bytes.writeUInt32LE(input, at)
    at = bytes.writeUInt8(0, at)
    at = bytes.writeUInt32LE(0xfffffffd, at)
  }
  at = bytes.writeUInt8(OUTPUTS, at)
  const owner = seedOf(number, INPUTS)
  for (let output = 0; output < OUTPUTS; output += 1) {
    at = bytes.writeBigUInt64LE(VALUE_SATS, at)
    at = bytes.writeUInt8(SCRIPT_BYTES, at)
    at = bytes.writeUInt16BE(0x0014, at)
    at += owner.copy(bytes, at, output, output + SCRIPT_BYTES - 2)
  }
  for (let input = 0; input < INPUTS; input += 1) {
    at = bytes.writeUInt8(2, at)
    at = bytes.writeUInt8(SIGNATURE_BYTES, at)
    bytes.fill(owner, at, at + SIGNATURE_BYTES)
    at = bytes.writeUInt8(KEY_BYTES, at + SIGNATURE_BYTES)
    bytes.fill(owner, at, at + KEY_BYTES)
    at += KEY_BYTES
  }
  return { txid: toTxid(shown(txidOf(bytes))), bytes }
}

/** The first of a block, which names its height (BIP 34): no two in a chain are the same. */
export function coinbaseOf(height: number): WireTransaction {
  const bytes = Buffer.alloc(4 + 1 + INPUT_BYTES + 4 + 1 + OUTPUT_BYTES + 4)
  bytes.writeUInt32LE(2, 0)
  let at = bytes.writeUInt8(1, 4) + HASH_BYTES
  at = bytes.writeUInt32LE(0xffffffff, at)
  at = bytes.writeUInt8(4, at)
  at = bytes.writeUInt8(3, at)
  at = bytes.writeUIntLE(height, at, 3)
  at = bytes.writeUInt32LE(0xffffffff, at)
  at = bytes.writeUInt8(1, at)
  at = bytes.writeBigUInt64LE(312_500_000n, at)
  at = bytes.writeUInt8(SCRIPT_BYTES, at)
  bytes.writeUInt16BE(0x0014, at)
  return { txid: toTxid(shown(twice(bytes))), bytes }
}

/** The hash of what is left without marker, flag and witnesses (BIP 144). */
function txidOf(bytes: Buffer): Buffer {
  return twice(
    bytes.subarray(0, 4),
    bytes.subarray(HEAD_BYTES, HEAD_BYTES + BODY_BYTES),
    bytes.subarray(-4),
  )
}

const seedOf = (number: number, part: number): Buffer => {
  const seed = Buffer.alloc(9)
  seed.writeDoubleLE(number, 0)
  seed.writeUInt8(part, 8)
  return createHash('sha256').update(seed).digest()
}

export function twice(...parts: readonly Buffer[]): Buffer {
  const once = createHash('sha256')
  for (const part of parts) once.update(part)
  return createHash('sha256').update(once.digest()).digest()
}

/** A hash as it is displayed and requested. */
export const shown = (hash: Buffer): BlockHash =>
  toBlockHash(Buffer.from(hash).reverse().toString('hex'))

/** A hash as in a header, an input or a Merkle tree. */
export const stored = (hash: string): Buffer => Buffer.from(hash, 'hex').reverse()
