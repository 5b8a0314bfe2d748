import { LRUCache } from 'lru-cache'
import type { Filter } from './query-filters.ts'
import { CHUNK_SLOTS, chunksOf, SlotSet } from './slot-set.ts'

/** Each has every change tested against it. */
const LISTS_KEPT = 64
/** Of all their sets: a dozen of ten million orders. */
const KEPT_BYTES = 16 * 2 ** 20

/** A filter that bitmaps answer alone: the orders in any of them, or those in none. */
export type BitmapFilter = Pick<Filter, 'bits' | 'has'>

/** The orders that pass filters, as of one moment: nobody changes the set. */
export interface List {
  readonly slots: SlotSet
  readonly total: number
  /** The same as long as none of its orders changed; null where it is not kept. */
  readonly version: number | null
}

export const listOf = (slots: SlotSet): List => ({ slots, total: slots.count(), version: null })

/** All orders, before filters exclude some; with room for more of them. */
export const wholeList = (slots: number): SlotSet =>
  SlotSet.all(slots).grown(chunksOf(slots) * CHUNK_SLOTS)

interface Kept {
  filters: readonly BitmapFilter[]
  list: List
  /** True: a reader may still hold the set, so it is copied before it changes. */
  isShown: boolean
}

/** The orders that pass filters of bitmaps, combined and counted: of the same moment as these. */
export class KeptLists {
  readonly #lists = new LRUCache<string, Kept>({
    max: LISTS_KEPT,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ list }) => Math.max(list.slots.bytes, 1),
  })
  #version = 0

  get(filters: readonly BitmapFilter[]): List | undefined {
    const kept = this.#lists.get(nameOf(filters))
    if (kept) kept.isShown = true
    return kept?.list
  }

  /** Returns the list under its version. */
  put(filters: readonly BitmapFilter[], unkept: List): List {
    const list = this.#next(unkept)
    this.#lists.set(nameOf(filters), { filters, list, isShown: true })
    return list
  }

  /** Puts orders that changed where they belong by the bitmaps of now; drops what cannot be known. */
  follow(changed: Iterable<number>, bitmap: (name: string) => SlotSet | undefined): void {
    for (const [name, kept] of [...this.#lists.entries()]) {
      const list = followed(kept, changed, bitmap)
      if (!list) this.#lists.delete(name)
      else if (list !== kept.list) {
        if (list.slots !== kept.list.slots) kept.isShown = false
        kept.list = this.#next(list)
      }
    }
  }

  clear(): void {
    this.#lists.clear()
  }

  #next(list: List): List {
    this.#version += 1
    return { ...list, version: this.#version }
  }
}

const nameOf = (filters: readonly BitmapFilter[]): string =>
  JSON.stringify(filters.map(({ bits, has }) => [bits, has]))

/** The list now, the same where none of these orders was or is in it; null if it has no room for one. */
function followed(
  { filters, list, isShown }: Kept,
  changed: Iterable<number>,
  bitmap: (name: string) => SlotSet | undefined,
): List | null {
  const tests: { sets: readonly SlotSet[]; has: boolean }[] = []
  for (const { bits, has } of filters) {
    const sets = bits.flatMap((name) => bitmap(name) ?? [])
    if (sets.length < bits.length) return null
    tests.push({ sets, has })
  }
  let { slots, total } = list
  let isOther = false
  for (const slot of changed) {
    if (slot >= slots.slots) return null
    const isIn = tests.every(({ sets, has }) => sets.some((set) => set.has(slot)) === has)
    const wasIn = slots.has(slot)
    isOther ||= isIn || wasIn
    if (isIn === wasIn) continue
    if (isShown && slots === list.slots) slots = slots.copy()
    if (isIn) slots.add(slot)
    else slots.remove(slot)
    total += isIn ? 1 : -1
  }
  return isOther ? { ...list, slots, total } : list
}
