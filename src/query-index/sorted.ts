/** Slots per block; a full block is split in two. */
const BLOCK = 1_024
/** Slots per block of an initial fill: leaves room before a split. */
const FILLED = 768

interface SlotBlock {
  slots: Int32Array
  size: number
}

interface BlockPosition {
  block: number
  at: number
}

/**
 * Slots kept in the order of a comparison, in blocks, so that a change moves a few hundred numbers
 * whatever the size. The comparison is total; a slot is removed before its values change.
 */
export class SortedSlots {
  readonly #compare: (a: number, b: number) => number
  readonly #blocks: SlotBlock[] = [newBlock()]

  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare
  }

  /** Takes all slots, already sorted; this list must be empty. */
  fill(sorted: Uint32Array): void {
    this.#blocks.length = 0
    for (let at = 0; at < sorted.length; at += FILLED) {
      const block = newBlock()
      const part = sorted.subarray(at, at + FILLED)
      block.slots.set(part)
      block.size = part.length
      this.#blocks.push(block)
    }
    if (this.#blocks.length === 0) this.#blocks.push(newBlock())
  }

  /** All `count` slots in sort order. */
  all(count: number): Uint32Array {
    const all = new Uint32Array(count)
    let at = 0
    this.walk(null, (slot) => {
      all[at] = slot
      at += 1
      return true
    })
    return all
  }

  insert(slot: number): void {
    const { block, at } = this.#seek(slot)
    const into = this.#blocks[block] ?? newBlock()
    into.slots.copyWithin(at + 1, at, into.size)
    into.slots[at] = slot
    into.size += 1
    if (into.size === BLOCK) this.#split(block, into)
  }

  remove(slot: number): void {
    const { block, at } = this.#seek(slot)
    const from = this.#blocks[block]
    if (from?.slots[at] !== slot) throw new Error(`slot ${slot} is not where its values say`)
    from.slots.copyWithin(at, at + 1, from.size)
    from.size -= 1
    if (from.size === 0 && this.#blocks.length > 1) this.#blocks.splice(block, 1)
  }

  /** Visits in order, from the first slot above `after` on, until `visit` returns false. */
  walk(after: number | null, visit: (slot: number) => boolean): void {
    const start = after === null ? { block: 0, at: 0 } : this.#seek(after)
    this.#visit(start, (slot) =>
      after !== null && this.#compare(slot, after) === 0 ? true : visit(slot),
    )
  }

  /**
   * Visits in order, from the first slot for which `isBelow` is false, until `visit` returns false.
   */
  walkFrom(isBelow: (slot: number) => boolean, visit: (slot: number) => boolean): void {
    this.#visit(this.#seekWhere(isBelow), visit)
  }

  #visit(start: BlockPosition, visit: (slot: number) => boolean): void {
    for (let block = start.block; block < this.#blocks.length; block += 1) {
      const { slots, size } = this.#blocks[block] ?? newBlock()
      for (let at = block === start.block ? start.at : 0; at < size; at += 1)
        if (!visit(slots[at] ?? 0)) return
    }
  }

  /** The position of the first slot that is not below `slot`. */
  #seek(slot: number): BlockPosition {
    return this.#seekWhere((other) => this.#compare(other, slot) < 0)
  }

  #seekWhere(isBelow: (slot: number) => boolean): BlockPosition {
    const last = this.#blocks.length - 1
    const block = firstWhere(last, (index) => {
      const { slots, size } = this.#blocks[index] ?? newBlock()
      return size > 0 && !isBelow(slots[size - 1] ?? 0)
    })
    const { slots, size } = this.#blocks[block] ?? newBlock()
    return { block, at: firstWhere(size, (at) => !isBelow(slots[at] ?? 0)) }
  }

  #split(index: number, block: SlotBlock): void {
    const upper = newBlock()
    const half = BLOCK / 2
    upper.slots.set(block.slots.subarray(half, block.size))
    upper.size = block.size - half
    block.size = half
    this.#blocks.splice(index + 1, 0, upper)
  }
}

const newBlock = (): SlotBlock => ({ slots: new Int32Array(BLOCK), size: 0 })

/** The lowest number below `end` for which `holds` is true, or `end`; binary search. */
function firstWhere(end: number, holds: (n: number) => boolean): number {
  let low = 0
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
