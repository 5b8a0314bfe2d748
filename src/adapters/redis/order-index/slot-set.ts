/** Slots of one stored bitmap: few enough that a value held by one order costs little. */
export const CHUNK_SLOTS = 4_096
const CHUNK_BYTES = CHUNK_SLOTS / 8

/** A set of slots, laid out as the stored bitmaps: slot 0 is the highest bit of the first byte. */
export class SlotSet {
  readonly slots: number
  readonly #bytes: Uint8Array
  /** The same memory: what concerns every slot is done 32 at a time. */
  readonly #words: Uint32Array

  static all(slots: number): SlotSet {
    const set = new SlotSet(slots)
    const whole = slots >> 3
    set.#bytes.fill(0xff, 0, whole)
    if (slots % 8 > 0) set.#bytes[whole] = (0xff00 >> (slots % 8)) & 0xff
    return set
  }

  static union(sets: readonly SlotSet[]): SlotSet {
    const union = new SlotSet(Math.max(0, ...sets.map(({ slots }) => slots)))
    for (const set of sets) union.addAll(set)
    return union
  }

  constructor(slots: number) {
    this.slots = slots
    const buffer = new ArrayBuffer(chunksOf(slots) * CHUNK_BYTES)
    this.#bytes = new Uint8Array(buffer)
    this.#words = new Uint32Array(buffer)
  }

  /** Of its memory. */
  get bytes(): number {
    return this.#bytes.length
  }

  add(slot: number): void {
    const at = slot >> 3
    if (slot < this.slots) this.#bytes[at] = (this.#bytes[at] ?? 0) | (0x80 >> (slot & 7))
  }

  remove(slot: number): void {
    const at = slot >> 3
    if (slot < this.slots) this.#bytes[at] = (this.#bytes[at] ?? 0) & ~(0x80 >> (slot & 7))
  }

  clear(): void {
    this.#bytes.fill(0)
  }

  copy(): SlotSet {
    return this.grown(this.slots)
  }

  /** A set for more slots, with those of this one. */
  grown(slots: number): SlotSet {
    const grown = new SlotSet(slots)
    grown.#words.set(this.#words)
    return grown
  }

  /** Adds all slots of another set, as far as this one goes. */
  addAll(other: SlotSet): void {
    const [words, added] = [this.#words, other.#words]
    const length = Math.min(words.length, added.length)
    for (let at = 0; at < length; at += 1) words[at] = (words[at] ?? 0) | (added[at] ?? 0)
  }

  /** Takes over a stored bitmap's piece. */
  setChunk(chunk: number, bits: Uint8Array): void {
    const start = chunk * CHUNK_BYTES
    if (start < this.#bytes.length) this.#bytes.set(bits, start)
  }

  /** Keeps only the slots that the other set has, or lacks. */
  keep(other: SlotSet, has: boolean): void {
    const [words, kept] = [this.#words, other.#words]
    const flip = has ? 0 : -1
    for (let at = 0; at < words.length; at += 1) {
      words[at] = (words[at] ?? 0) & ((kept[at] ?? 0) ^ flip)
    }
  }

  has(slot: number): boolean {
    return ((this.#bytes[slot >> 3] ?? 0) & (0x80 >> (slot & 7))) !== 0
  }

  count(): number {
    const words = this.#words
    let count = 0
    for (let at = 0; at < words.length; at += 1) count += bitsOf(words[at] ?? 0)
    return count
  }

  /** How many slots both have. */
  countWith(other: SlotSet): number {
    const [words, others] = [this.#words, other.#words]
    const length = Math.min(words.length, others.length)
    let count = 0
    for (let at = 0; at < length; at += 1) count += bitsOf((words[at] ?? 0) & (others[at] ?? 0))
    return count
  }

  isEmpty(): boolean {
    return this.#words.every((word) => word === 0)
  }

  *[Symbol.iterator](): Generator<number> {
    const words = this.#words
    for (let at = 0; at < words.length; at += 1) {
      if (words[at] === 0) continue
      for (let slot = at * 32; slot < at * 32 + 32; slot += 1) if (this.has(slot)) yield slot
    }
  }
}

/** How many pieces the bitmaps of this many slots have. */
export const chunksOf = (slots: number): number => Math.ceil(slots / CHUNK_SLOTS)

/** How many bits of 32 are set: the sums of two, four and eight, then of all bytes. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
