import { LRUCache } from 'lru-cache'
import type { Change } from './changes.ts'
import { CHUNK_SLOTS, chunksOf, type SlotSet } from './slot-set.ts'

/** Of all bitmaps together: 500 of a million orders. */
const KEPT_BYTES = 64 * 2 ** 20

/**
 * The bitmaps of one generation that were read before, all as of one change: they follow those that
 * came since, so that a page is of the moment at which it was asked for.
 */
export class KeptBitmaps {
  /** Last known number of slots: bitmaps up to it are read without asking how many there are. */
  slots = 0
  readonly #sets = new LRUCache<string, SlotSet>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
  })
  #at: string | null = null

  /** The last change that the bitmaps include; null while nothing is cached. */
  get at(): string | null {
    return this.#at
  }

  get(name: string): SlotSet | undefined {
    return this.#sets.get(name)
  }

  /** Keeps a bitmap as of a change, unless the others are of another one. */
  put(name: string, set: SlotSet, at: string): void {
    this.#at ??= at
    if (this.#at === at) this.#sets.set(name, set)
  }

  /** Applies those of these changes, in their order, that come after the last one. */
  follow(changes: readonly Change[]): void {
    for (const change of changes) {
      if (this.#at === null || !isAfter(change.id, this.#at)) continue
      for (const { name, isIn } of change.bits) this.#change(name, change.slot, isIn)
      this.#at = change.id
    }
  }

  forget(): void {
    this.#sets.clear()
    this.#at = null
  }

  #change(name: string, slot: number, isIn: boolean): void {
    const set = this.#sets.peek(name)
    if (!set) return
    if (!isIn) set.remove(slot)
    else if (slot < set.slots) set.add(slot)
    else {
      const grown = set.grown(chunksOf(slot + 1) * CHUNK_SLOTS)
      grown.add(slot)
      this.#sets.set(name, grown)
    }
  }
}

/** Ids of changes are a time in milliseconds and a number: `1795000000000-0`. */
function isAfter(one: string, other: string): boolean {
  const [ms = 0, n = 0] = one.split('-').map(Number)
  const [otherMs = 0, otherN = 0] = other.split('-').map(Number)
  return ms === otherMs ? n > otherN : ms > otherMs
}
