import { MARK } from '../../../src/circles/read-circle.ts'
import { displayHash } from '../../../src/domain/chain/hash256.ts'
import type { BlockHash } from '../../../src/schemas/scalars.ts'
import { toBlockHash, toTxid } from '../../../test/support/ids.ts'
import { rootOf } from '../../rehearsal/chain.ts'
import { objectOf } from '../../rehearsal/repeated-block.ts'
import {
  coinbaseOf,
  shown,
  stored,
  transactionOf,
  twice,
  type WireTransaction,
} from '../../rehearsal/transactions.ts'

const HEADER_BYTES = 80
const TIME = 1_795_000_000
/** Of a circle's input, and of the output that replaces it. */
export const SHARD_SATS = { spent: 10_100, made: 10_000 }
const MEMBERS = 2

export interface RawBytes {
  height: number
  hash: BlockHash
  bytes: Buffer
}

export interface BlockContent {
  /** New objects of the pairing protocol. */
  objects: number
  /** Circles of two, all of new lineages. */
  circles: number
  /** Transactions that concern neither. */
  others: number
}

/**
 * A chain from height 0, whose blocks all have the same amount of each kind and no transaction
 * twice.
 */
export class BlockMaker {
  #height = 0
  #hash = toBlockHash('00'.repeat(32))
  #made = 0

  next({ objects, circles, others }: BlockContent): RawBytes {
    const height = this.#height
    const transactions = [
      coinbaseOf(height),
      ...this.#of(objects, objectOf),
      ...this.#of(circles, circleOf),
      ...this.#of(others, transactionOf),
    ]
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt32LE(0x20000000, 0)
    stored(this.#hash).copy(header, 4)
    rootOf(transactions).copy(header, 36)
    header.writeUInt32LE(TIME + height, 68)
    const count = Buffer.alloc(3)
    count.writeUInt8(0xfd, 0)
    count.writeUInt16LE(transactions.length, 1)
    this.#height += 1
    this.#hash = toBlockHash(displayHash(header))
    const bytes = Buffer.concat([header, count, ...transactions.map((each) => each.bytes)])
    return { height, hash: this.#hash, bytes }
  }

  #of(count: number, make: (number: number) => WireTransaction): WireTransaction[] {
    return Array.from({ length: count }, () => make(this.#made++))
  }
}

/** Two P2TR outputs replace two that are spent, and the mark; no witnesses. */
function circleOf(number: number): WireTransaction {
  const seed = twice(Buffer.from(`circle ${number}`))
  const inputs = Array.from({ length: MEMBERS }, (_, slot) =>
    Buffer.concat([seed, Buffer.of(slot, 0, 0, 0, 0), Buffer.from('fdffffff', 'hex')]),
  )
  const outputs = Array.from({ length: MEMBERS }, (_, slot) =>
    output(
      BigInt(SHARD_SATS.made),
      Buffer.concat([Buffer.from('5120', 'hex'), twice(seed, Buffer.of(slot))]),
    ),
  )
  const bytes = Buffer.concat([
    Buffer.from('02000000', 'hex'),
    Buffer.of(MEMBERS),
    ...inputs,
    Buffer.of(MEMBERS + 1),
    ...outputs,
    output(0n, Buffer.concat([MARK, seed])),
    Buffer.alloc(4),
  ])
  return { txid: toTxid(shown(twice(bytes))), bytes }
}

function output(sats: bigint, script: Buffer): Buffer {
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(sats)
  return Buffer.concat([value, Buffer.of(script.length), script])
}
