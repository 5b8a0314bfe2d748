import { GENESIS_HASH } from '../../src/domain/chain/genesis.ts'
import type { BlockHash } from '../../src/schemas/scalars.ts'
import { toBlockHash } from '../../test/support/ids.ts'
import { RepeatedBlock } from './repeated-block.ts'
import {
  coinbaseOf,
  shown,
  stored,
  transactionOf,
  twice,
  type WireTransaction,
} from './transactions.ts'

export interface ChainSize {
  /** Of the first tip. */
  height: number
  /** Full blocks up to the tip; those below hold only their coinbase. */
  fullBlocks: number
  /** Of a full block, besides its coinbase. */
  transactions: number
  /** Full blocks hold the same transactions, except for the first two. */
  isRepeated?: boolean
}

export interface HeaderAt {
  height: number
  hash: BlockHash
  prevHash: string | null
  time: number
}

const HEADER_BYTES = 80
const HASH_BYTES = 32
/** Less than ten minutes: the first million blocks end before today. */
const SPACING_S = 590
const GENESIS_TIME = 1_231_006_505
const MEDIAN_OF = 11

/**
 * A chain of mainnet's length: real headers, each of which names the previous one and the Merkle
 * root of its block, without work. Bodies are made on request, always the same ones.
 */
export class GeneratedChain {
  readonly #size: ChainSize
  readonly #hashes: BlockHash[] = [toBlockHash(GENESIS_HASH.mainnet)]
  readonly #headers: Buffer[] = [Buffer.alloc(HEADER_BYTES)]
  readonly #heights = new Map<string, number>([[GENESIS_HASH.mainnet, 0]])
  readonly #mined = new Map<number, readonly WireTransaction[]>()

  readonly #repeated: RepeatedBlock | null

  constructor(size: ChainSize) {
    this.#size = size
    this.#repeated = size.isRepeated ? new RepeatedBlock(size.transactions - 1) : null
    for (let height = 1; height <= size.height; height += 1) this.#extend(height)
  }

  get tip(): HeaderAt {
    const tip = this.at(this.#hashes.length - 1)
    if (!tip) throw new Error('a chain has a first block')
    return tip
  }

  at(height: number): HeaderAt | null {
    const hash = this.#hashes[height]
    if (hash === undefined) return null
    return { height, hash, prevHash: this.#hashes[height - 1] ?? null, time: timeOf(height) }
  }

  of(hash: string): HeaderAt | null {
    const height = this.#heights.get(hash)
    return height === undefined ? null : this.at(height)
  }

  medianTimeAt = (height: number): number => timeOf(Math.max(0, height - Math.floor(MEDIAN_OF / 2)))

  /** Header, count and transactions. */
  block({ height }: HeaderAt): Buffer {
    if (this.#isFull(height) && this.#repeated) {
      return Buffer.concat([this.#headerAt(height), this.#repeated.bodyAt(height)])
    }
    const transactions = this.#transactionsOf(height)
    const count = Buffer.alloc(3)
    count.writeUInt8(0xfd, 0)
    count.writeUInt16LE(transactions.length, 1)
    const length = transactions.length < 0xfd ? Buffer.of(transactions.length) : count
    return Buffer.concat([
      this.#headerAt(height),
      length,
      ...transactions.map(({ bytes }) => bytes),
    ])
  }

  mine(transactions: readonly WireTransaction[]): HeaderAt {
    const height = this.#hashes.length
    this.#mined.set(height, [coinbaseOf(height), ...transactions])
    this.#extend(height)
    return this.tip
  }

  #extend(height: number): void {
    const before = this.#hashes[height - 1] ?? ''
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt32LE(0x20000000, 0)
    stored(before).copy(header, 4)
    this.#rootAt(height).copy(header, 4 + HASH_BYTES)
    header.writeUInt32LE(timeOf(height), 4 + 2 * HASH_BYTES)
    const hash = shown(twice(header))
    this.#headers.push(header)
    this.#hashes.push(hash)
    this.#heights.set(hash, height)
  }

  #headerAt(height: number): Buffer {
    return this.#headers[height] ?? Buffer.alloc(HEADER_BYTES)
  }

  #rootAt(height: number): Buffer {
    const repeated = this.#isFull(height) ? this.#repeated : null
    return repeated?.rootAt(height) ?? rootOf(this.#transactionsOf(height))
  }

  #isFull(height: number): boolean {
    const { height: tip, fullBlocks } = this.#size
    return !this.#mined.has(height) && height > tip - fullBlocks
  }

  #transactionsOf(height: number): readonly WireTransaction[] {
    const mined = this.#mined.get(height)
    if (mined) return mined
    const { transactions } = this.#size
    const coinbase = coinbaseOf(height)
    if (!this.#isFull(height)) return [coinbase]
    const first = height * transactions
    return [coinbase, ...Array.from({ length: transactions }, (_, at) => transactionOf(first + at))]
  }
}

const timeOf = (height: number): number => GENESIS_TIME + height * SPACING_S

export function rootOf(transactions: readonly WireTransaction[]): Buffer {
  let level = transactions.map(({ txid }) => stored(txid))
  while (level.length > 1) {
    const next: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] ?? Buffer.alloc(HASH_BYTES)
      next.push(twice(left, level[at + 1] ?? left))
    }
    level = next
  }
  return level[0] ?? Buffer.alloc(HASH_BYTES)
}
