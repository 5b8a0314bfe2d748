import { type Columns, PROBE } from './columns.ts'
import { compareHashes, HASH_WORDS, hashAt, putHash } from './hashes.ts'

/** Finds an order's slot. Orders added in id order need only the id column. */
export class SlotsById {
  readonly #columns: Columns
  readonly #probe = new Uint32Array(HASH_WORDS)
  readonly #others = new Map<string, number>()
  /** The slots above the probe, up to this one, are in id order. */
  #sortedTo = PROBE

  constructor(columns: Columns) {
    this.#columns = columns
  }

  get(id: string): number | undefined {
    return this.#others.get(id) ?? this.#search(id)
  }

  put(id: string, slot: number): void {
    this.#others.set(id, slot)
  }

  /** The slots that were not added in id order. */
  get others(): Uint32Array {
    return Uint32Array.from(this.#others.values())
  }

  /** A column of all slots; all but the slots of `others` are in id order. */
  take(others: Uint32Array): void {
    this.#sortedTo = this.#columns.size - 1 - others.length
    for (const slot of others) this.#others.set(hashAt(this.#columns.id, slot), slot)
  }

  /** Adds the next slot. Throws unless its id is above all ids before it. */
  putNext(slot: number): void {
    const { id } = this.#columns
    if (
      slot !== this.#sortedTo + 1 ||
      (slot > PROBE + 1 && compareHashes(id, slot - 1, id, slot) >= 0)
    )
      throw new Error(`slot ${slot} is not in the order of ids`)
    this.#sortedTo = slot
  }

  #search(id: string): number | undefined {
    const column = this.#columns.id
    putHash(this.#probe, 0, id)
    let low = PROBE + 1
    let high = this.#sortedTo
    while (low <= high) {
      const middle = (low + high) >>> 1
      const order = compareHashes(column, middle, this.#probe, 0)
      if (order === 0) return middle
      if (order < 0) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }
}
