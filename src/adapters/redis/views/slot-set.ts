/** Slots of one stored bitmap: few enough that a value held by one order costs little. */
export const CHUNK_SLOTS = 4_096
const CHUNK_BYTES = CHUNK_SLOTS / 8

/** A set of slots, laid out as the stored bitmaps: slot 0 is the highest bit of the first byte. */
export class SlotSet {
  readonly slots: number
  readonly #bytes: Uint8Array

  static all(slots: number): SlotSet {
    const set = new SlotSet(slots)
    const whole = slots >> 3
    set.#bytes.fill(0xff, 0, whole)
    if (slots % 8 > 0) set.#bytes[whole] = (0xff00 >> (slots % 8)) & 0xff
    return set
  }

  constructor(slots: number) {
    this.slots = slots
    this.#bytes = new Uint8Array(chunksOf(slots) * CHUNK_BYTES)
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
    const copy = new SlotSet(this.slots)
    copy.#bytes.set(this.#bytes)
    return copy
  }

  /** Adds all slots of a set of the same size. */
  addAll(other: SlotSet): void {
    for (let at = 0; at < this.#bytes.length; at += 1) {
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (other.#bytes[at] ?? 0)
    }
  }

  /** Adds a stored bitmap's piece. */
  addChunk(chunk: number, bits: Uint8Array): void {
    const start = chunk * CHUNK_BYTES
    for (let at = 0; at < bits.length; at += 1) {
      this.#bytes[start + at] = (this.#bytes[start + at] ?? 0) | (bits[at] ?? 0)
    }
  }

  /** Keeps only the slots that the other set has, or lacks. */
  keep(other: SlotSet, has: boolean): void {
    const flip = has ? 0 : 0xff
    for (let at = 0; at < this.#bytes.length; at += 1) {
      this.#bytes[at] = (this.#bytes[at] ?? 0) & ((other.#bytes[at] ?? 0) ^ flip)
    }
  }

  has(slot: number): boolean {
    return ((this.#bytes[slot >> 3] ?? 0) & (0x80 >> (slot & 7))) !== 0
  }

  count(): number {
    let count = 0
    for (const byte of this.#bytes) count += BITS[byte] ?? 0
    return count
  }

  /** How many slots both have. */
  countWith(other: SlotSet): number {
    let count = 0
    for (let at = 0; at < this.#bytes.length; at += 1) {
      count += BITS[(this.#bytes[at] ?? 0) & (other.#bytes[at] ?? 0)] ?? 0
    }
    return count
  }

  isEmpty(): boolean {
    return this.#bytes.every((byte) => byte === 0)
  }

  *[Symbol.iterator](): Generator<number> {
    for (let at = 0; at < this.#bytes.length; at += 1) {
      if (this.#bytes[at] === 0) continue
      for (let slot = at * 8; slot < at * 8 + 8; slot += 1) if (this.has(slot)) yield slot
    }
  }
}

/** How many pieces the bitmaps of this many slots have. */
export const chunksOf = (slots: number): number => Math.ceil(slots / CHUNK_SLOTS)

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1
  return count
})
