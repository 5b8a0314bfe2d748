import { parseOutpoint } from '../domain/chain/outpoint.ts'
import type { OutpointText } from '../schemas/scalars.ts'
import type { Columns } from './columns.ts'
import { HASH_WORDS, putHash } from './hashes.ts'

const NONE = 0
const FEWEST_BUCKETS = 1_024
/** 2^32 divided by the golden ratio: multiples of it are far apart (Knuth, 6.4). */
const GOLDEN = 0x9e3779b1

/** An output per slot. */
export type OutputColumns = Pick<Columns, 'txid' | 'vout'>

export interface OutputChains {
  /** The first slot of each bucket, and the one after each slot. */
  first: Uint32Array<ArrayBuffer>
  next: Uint32Array<ArrayBuffer>
  size: number
}

/**
 * Finds the slots of the orders that offer an output, without a pass over all orders: chains of
 * slots, four bytes a slot and four a bucket. An order's output never changes: the order id commits
 * to the output.
 */
export class SlotsByOutput {
  readonly #columns: OutputColumns
  #first = new Uint32Array(FEWEST_BUCKETS)
  #next = new Uint32Array(FEWEST_BUCKETS)
  /** All slots below this one are in the chains. */
  #size = 0

  constructor(columns: OutputColumns) {
    this.#columns = columns
  }

  /** Adds a slot whose columns are set. */
  add(slot: number): void {
    if (slot >= this.#next.length) this.#grow(slot)
    this.#size = Math.max(this.#size, slot + 1)
    this.#link(slot)
  }

  /** The slots, in no order. */
  at(outpoint: OutpointText): number[] {
    const { txid, vout } = parseOutpoint(outpoint)
    const wanted = new Uint32Array(HASH_WORDS)
    putHash(wanted, 0, txid)
    const found: number[] = []
    let slot = this.#first[this.#bucket(wanted[0] ?? 0, vout)] ?? NONE
    while (slot !== NONE) {
      if (this.#columns.vout[slot] === vout && this.#isHash(slot, wanted)) found.push(slot)
      slot = this.#next[slot] ?? NONE
    }
    return found
  }

  /** The chains: all that the columns do not hold. */
  get chains(): OutputChains {
    return { first: this.#first, next: this.#next, size: this.#size }
  }

  take({ first, next, size }: OutputChains): void {
    this.#first = first
    this.#next = next
    this.#size = size
  }

  #link(slot: number): void {
    const { txid, vout } = this.#columns
    const bucket = this.#bucket(txid[slot * HASH_WORDS] ?? 0, vout[slot] ?? 0)
    this.#next[slot] = this.#first[bucket] ?? NONE
    this.#first[bucket] = slot
  }

  /**
   * Outputs of one transaction are spread over the buckets as well as outputs of many transactions.
   */
  #bucket(word: number, vout: number): number {
    return (word ^ Math.imul(vout, GOLDEN)) & (this.#first.length - 1)
  }

  #isHash(slot: number, wanted: Uint32Array): boolean {
    const start = slot * HASH_WORDS
    return wanted.every((word, at) => this.#columns.txid[start + at] === word)
  }

  #grow(slot: number): void {
    let buckets = this.#next.length
    while (buckets <= slot) buckets *= 2
    this.#first = new Uint32Array(buckets)
    this.#next = new Uint32Array(buckets)
    for (let known = NONE + 1; known < this.#size; known += 1) this.#link(known)
  }
}
