import type { Snapshots } from '../../ports/log/event-log.ts'
import type { OutpointText } from '../../schemas/scalars.ts'

/** Outputs read from the snapshots at once. */
const PAGE = 1_000
const LEAST_SLOTS = 1_024

/**
 * The outputs of a partition's open orders, as fingerprints of 64 bits, 12 to 32 bytes each. It may
 * say that an output is on offer that is not, never the opposite: what is added stays until the
 * table is filled anew. A fingerprint is never removed by itself, since another output may share it.
 */
export class WatchedOutputs {
  readonly #snapshots: Pick<Snapshots, 'watched'>
  #table = new Fingerprints(LEAST_SLOTS)
  /** It has grown, perhaps by outputs whose orders are closed by now. */
  #hasGrown = false

  constructor(snapshots: Pick<Snapshots, 'watched'>) {
    this.#snapshots = snapshots
  }

  /** Reads all from the snapshots, which must have everything that was added. */
  async fill(pace: () => Promise<void>): Promise<void> {
    const table = new Fingerprints(LEAST_SLOTS)
    let after: OutpointText | null = null
    for (;;) {
      const page: readonly OutpointText[] = this.#snapshots.watched(after, PAGE)
      for (const outpoint of page) table.add(outpoint)
      const last = page.at(-1)
      if (last === undefined) break
      after = last
      await pace()
    }
    table.makeRoom()
    this.#table = table
    this.#hasGrown = false
  }

  /** As `fill`, if some outputs may be left out by it. */
  async refresh(pace: () => Promise<void>): Promise<void> {
    if (this.#hasGrown) await this.fill(pace)
  }

  add(outpoint: OutpointText): void {
    if (this.#table.add(outpoint)) this.#hasGrown = true
  }

  /** False: no open order offers this output. */
  mayHave(outpoint: string): boolean {
    return this.#table.has(outpoint)
  }
}

/** A set of fingerprints in open addressing: two words for each, both 0 where there is none. */
class Fingerprints {
  #words: Uint32Array
  #size = 0
  /** Two words of the text last hashed. */
  #high = 0
  #low = 0

  constructor(slots: number) {
    this.#words = new Uint32Array(2 * slots)
  }

  /** True: the table has grown for it. */
  add(text: string): boolean {
    this.#hash(text)
    const at = this.#find()
    if (this.#isAt(at)) return false
    this.#put(at)
    // Two thirds full: 3 words for each fingerprint.
    const isFull = 3 * this.#size > this.#words.length
    if (isFull) this.#grow()
    return isFull
  }

  /** At most half full, so that it grows only after many more. */
  makeRoom(): void {
    if (4 * this.#size > this.#words.length) this.#grow()
  }

  has(text: string): boolean {
    this.#hash(text)
    return this.#isAt(this.#find())
  }

  #grow(): void {
    const words = this.#words
    this.#words = new Uint32Array(2 * words.length)
    this.#size = 0
    for (let at = 0; at < words.length; at += 2) {
      this.#high = words[at] ?? 0
      this.#low = words[at + 1] ?? 0
      if ((this.#high | this.#low) !== 0) this.#put(this.#find())
    }
  }

  #put(at: number): void {
    this.#words[at] = this.#high
    this.#words[at + 1] = this.#low
    this.#size += 1
  }

  /** The place of the fingerprint, or the free one where it belongs. */
  #find(): number {
    const mask = this.#words.length - 1
    let at = (2 * this.#low) & mask
    while (!this.#isAt(at) && ((this.#words[at] ?? 0) | (this.#words[at + 1] ?? 0)) !== 0)
      at = (at + 2) & mask
    return at
  }

  #isAt(at: number): boolean {
    return this.#words[at] === this.#high && this.#words[at + 1] === this.#low
  }

  /** FNV-1a with two primes, mixed as MurmurHash3 does in the end. */
  #hash(text: string): void {
    let high = 0x811c9dc5
    let low = 0x9dc5811c
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      high = Math.imul(high ^ code, 0x01000193)
      low = Math.imul(low ^ code, 0x85ebca6b)
    }
    this.#high = mixed(high)
    // A fingerprint of zeros would be none.
    this.#low = mixed(low) || 1
  }
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}
