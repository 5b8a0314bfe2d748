import type { Txid } from '../../schemas/scalars.ts'
import { ByteCursor, HEADER_BYTES } from '../chain/byte-cursor.ts'
import { displayOrder, displayTxid, hash256 } from '../chain/hash256.ts'
import { type HeaderFields, readHeader } from './block-header.ts'

export interface MerkleProof {
  header: HeaderFields
  /** Txids that it proves to be in the block. */
  txids: Txid[]
}

const HASH_BYTES = 32
/** Core's bound: the weight of a block over that of the smallest transaction. */
const MAX_TRANSACTIONS = 16_666

/**
 * Reads the answer of `gettxoutproof`, a `merkleblock` of BIP 37: a header and part of its Merkle
 * tree. Throws RangeError unless the tree is whole and ends in the header's root.
 */
export function readMerkleProof(bytes: Uint8Array): MerkleProof {
  const raw = Buffer.from(bytes)
  const cursor = new ByteCursor(raw, 0)
  cursor.skip(HEADER_BYTES)
  const header = readHeader(raw.subarray(0, HEADER_BYTES))
  const count = raw.readUInt32LE(cursor.at)
  cursor.skip(4)
  const hashes = Array.from({ length: cursor.count(HASH_BYTES) }, () => {
    const at = cursor.at
    cursor.skip(HASH_BYTES)
    return raw.subarray(at, at + HASH_BYTES)
  })
  const flagBytes = cursor.count(1)
  const flags = raw.subarray(cursor.at, cursor.at + flagBytes)
  cursor.skip(flagBytes)
  cursor.expectEnd()
  if (count === 0 || count > MAX_TRANSACTIONS || hashes.length > count)
    throw new RangeError('the Merkle tree has more transactions than a block can hold')
  const tree = new PartialTree(count, hashes, flags)
  const root = tree.root()
  if (displayOrder(root) !== header.merkleRoot)
    throw new RangeError("the Merkle tree does not end in the header's root")
  return { header, txids: tree.matches.map(displayTxid) }
}

/** Bytes of a transaction of one input and one output beside its two scripts. */
const BARE_BYTES = 60
const MAX_SATS = 2_100_000_000_000_000n

/**
 * Are the 64 bytes of an inner node a transaction? Its maker could have chosen the second half as the id
 * of one that is in no block (CVE-2017-12842). An honest node looks like one by a chance of 2^-43.
 */
function isTransaction(pair: Buffer): boolean {
  const script = pair[41] ?? 0
  const output = 46 + script
  return (
    pair[4] === 1 &&
    script <= pair.length - BARE_BYTES &&
    pair[output] === 1 &&
    pair.readBigUInt64LE(output + 1) <= MAX_SATS &&
    pair[output + 9] === pair.length - BARE_BYTES - script
  )
}

/** The tree as Core's `CPartialMerkleTree` walks it: depth first, a flag for each node. */
class PartialTree {
  readonly matches: Buffer[] = []
  readonly #count: number
  readonly #hashes: readonly Buffer[]
  readonly #flags: Buffer
  #usedHashes = 0
  #usedFlags = 0

  constructor(count: number, hashes: readonly Buffer[], flags: Buffer) {
    this.#count = count
    this.#hashes = hashes
    this.#flags = flags
  }

  root(): Buffer {
    let height = 0
    while (this.#width(height) > 1) height += 1
    const root = this.#node(height, 0)
    if (this.#usedHashes !== this.#hashes.length || !this.#isPadded())
      throw new RangeError('the Merkle tree has parts that belong to none of its nodes')
    return root
  }

  /** Nodes of a level; the leaves are level 0. */
  #width(height: number): number {
    return Math.ceil(this.#count / 2 ** height)
  }

  #node(height: number, index: number): Buffer {
    const isParent = this.#flag()
    if (height === 0 || !isParent) {
      const hash = this.#hash()
      if (height === 0 && isParent) this.matches.push(hash)
      return hash
    }
    const left = this.#node(height - 1, index * 2)
    if (index * 2 + 1 >= this.#width(height - 1)) return hash256(Buffer.concat([left, left]))
    const right = this.#node(height - 1, index * 2 + 1)
    // A pair of equal nodes would let two trees have one root (CVE-2012-2459).
    if (left.equals(right)) throw new RangeError('the Merkle tree has two equal branches')
    const pair = Buffer.concat([left, right])
    if (isTransaction(pair)) throw new RangeError('a node of the Merkle tree is a transaction')
    return hash256(pair)
  }

  #flag(): boolean {
    const byte = this.#flags[this.#usedFlags >> 3]
    if (byte === undefined) throw new RangeError('the Merkle tree is cut short')
    const flag = (byte >> (this.#usedFlags & 7)) & 1
    this.#usedFlags += 1
    return flag === 1
  }

  #hash(): Buffer {
    const hash = this.#hashes[this.#usedHashes]
    if (!hash) throw new RangeError('the Merkle tree is cut short')
    this.#usedHashes += 1
    return hash
  }

  /** The flags end in the last byte, and its remaining bits are zero. */
  #isPadded(): boolean {
    if (Math.ceil(this.#usedFlags / 8) !== this.#flags.length) return false
    const last = this.#flags.at(-1) ?? 0
    const used = this.#usedFlags % 8
    return used === 0 || last >> used === 0
  }
}
