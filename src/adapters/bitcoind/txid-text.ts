import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { TxidDifferences, TxidList } from '../../ports/authorities/full-node.ts'
import { Txid } from '../../schemas/scalars.ts'

const HEX = 64
/** A txid in its quotes, and the comma before the next one. */
const STRIDE = HEX + 3
/** Compared at once: 270 kB, in some 30 microseconds. */
const MAX_COMPARED = 4_096
/** How far ahead to search for the place where two lists agree again. */
const NEAR = 64
/** After that, the whole rest is searched, until so many txids were: 20 times a list of 300,000, some 5 ms each. */
const MAX_SEARCHED = 6_000_000
/** With this many equal in a row, it is not just one transaction that changed its place. */
const AGREEING = 3

/** Is a text of this length txids, written as Bitcoin Core writes a list? */
export const isTxidText = (length: number): boolean => length === 0 || (length + 1) % STRIDE === 0

/**
 * The txids of a mempool as the bytes of the node's answer: 20 MB for 300,000, and the next answer
 * is nearly the same, in the same order. So two of them are compared as bytes, and only what
 * differs is read.
 */
export class TxidText implements TxidList {
  readonly #text: Buffer
  readonly length: number

  /** @param text what is between the brackets, where `isTxidText` */
  constructor(text: Buffer) {
    this.#text = text
    this.length = Math.floor((text.length + 1) / STRIDE)
  }

  /** @throws NodeUnavailableError at anything that is not a txid */
  *[Symbol.iterator](): Iterator<Txid> {
    for (let index = 0; index < this.length; index += 1) yield this.#at(index)
  }

  async differencesFrom(
    earlier: TxidList,
    pace: () => Promise<void>,
  ): Promise<TxidDifferences | null> {
    return earlier instanceof TxidText ? await this.#from(earlier, pace) : null
  }

  /**
   * Skips what agrees; where the lists differ, finds the nearest place where they agree again.
   * Wherever it continues, everything it skipped is reported, so that a poor guess costs only time.
   */
  async #from(earlier: TxidText, pace: () => Promise<void>): Promise<TxidDifferences | null> {
    const differences: TxidDifferences = { entered: [], left: [] }
    let searched = 0
    let [was, is] = [0, 0]
    for (;;) {
      const same = await this.#agreeing(is, earlier, was, pace)
      was += same
      is += same
      if (was === earlier.length || is === this.length) break
      let step = this.#nearStep(is, earlier, was)
      if (step === null) {
        searched += earlier.length - was
        if (searched > MAX_SEARCHED) return null
        step = this.#farStep(is, earlier, was)
      }
      for (const end = was + step.left; was < end; was += 1) differences.left.push(earlier.#at(was))
      for (const end = is + step.entered; is < end; is += 1) differences.entered.push(this.#at(is))
      await pace()
    }
    for (; was < earlier.length; was += 1) differences.left.push(earlier.#at(was))
    for (; is < this.length; is += 1) differences.entered.push(this.#at(is))
    return differences
  }

  async #agreeing(
    from: number,
    earlier: TxidText,
    earlierFrom: number,
    pace: () => Promise<void>,
  ): Promise<number> {
    const most = Math.min(this.length - from, earlier.length - earlierFrom)
    let same = 0
    let some = 1
    let isNarrowing = false
    while (same < most) {
      const count = Math.min(some, most - same)
      if (this.#isSame(from + same, earlier, earlierFrom + same, count)) {
        same += count
        some = isNarrowing ? Math.max(1, some >> 1) : Math.min(some * 2, MAX_COMPARED)
      } else if (count === 1) break
      else {
        isNarrowing = true
        some = count >> 1
      }
      await pace()
    }
    return same
  }

  /** The fewest transactions that left, or that entered, until both lists agree again. */
  #nearStep(is: number, earlier: TxidText, was: number): ListStep | null {
    for (let ahead = 1; ahead <= NEAR; ahead += 1) {
      if (this.#isSame(is, earlier, was + ahead, 1)) return { left: ahead, entered: 0 }
      if (this.#isSame(is + ahead, earlier, was, 1)) return { left: 0, entered: ahead }
    }
    return null
  }

  /** A block removes thousands that follow one another in the list. */
  #farStep(is: number, earlier: TxidText, was: number): ListStep {
    const sought = this.#text.subarray(is * STRIDE, is * STRIDE + STRIDE - 1)
    const at = earlier.#text.indexOf(sought, was * STRIDE) / STRIDE
    return at > was && this.#isSame(is, earlier, at, AGREEING)
      ? { left: at - was, entered: 0 }
      : { left: 0, entered: 1 }
  }

  #isSame(index: number, other: TxidText, otherIndex: number, count: number): boolean {
    if (index + count > this.length || otherIndex + count > other.length) return false
    const [here, there] = [index * STRIDE, otherIndex * STRIDE]
    const length = count * STRIDE - 1
    return this.#text.compare(other.#text, there, there + length, here, here + length) === 0
  }

  #at(index: number): Txid {
    const text = this.#text.toString('latin1', index * STRIDE, (index + 1) * STRIDE)
    const { data: txid } = Txid.safeParse(text.slice(1, HEX + 1))
    if (txid === undefined || (text !== `"${txid}",` && text !== `"${txid}"`)) {
      throw new NodeUnavailableError('node_unavailable', `not a txid: ${text}`)
    }
    return txid
  }
}

interface ListStep {
  left: number
  entered: number
}
