import { LRUCache } from 'lru-cache'
import { type AnswerDocument, KeptAnswers } from '../../views/kept-answers.ts'
import type { Change } from './changes.ts'
import { type BitmapFilter, KeptLists, type List } from './kept-lists.ts'
import { KeptWalks } from './kept-walks.ts'
import { CHUNK_SLOTS, chunksOf, type SlotSet } from './slot-set.ts'

/** Of all bitmaps together: 500 of a million orders. */
const KEPT_BYTES = 64 * 2 ** 20

/** Each by a text as long as a query, of a few kB at most. */
const LISTS_KEPT = 1_024

/**
 * What was read of one generation before, its bitmaps, the lists that were made of them and the
 * answers of its orders, all as of one change: it follows those that came since, so that a page is
 * of the moment at which it was asked for.
 */
export class KeptReads {
  /** Last known number of slots: bitmaps up to it are read without asking how many there are. */
  slots = 0
  readonly #sets = new LRUCache<string, SlotSet>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
  })
  /** Entries of a sort that were read for each order found, by list: a hint of how many to read. */
  readonly perOrder = new LRUCache<string, number>({ max: LISTS_KEPT })
  readonly #lists = new KeptLists()
  readonly walks = new KeptWalks()
  readonly #answers = new KeptAnswers<number, string>()
  #at: string | null = null

  /** The last change that all of it includes; null before the first read. */
  get at(): string | null {
    return this.#at
  }

  get(name: string): SlotSet | undefined {
    return this.#sets.get(name)
  }

  /** Begins with a change, unless it already has: what follows is as of that, and of later ones. */
  begin(at: string): void {
    this.#at ??= at
  }

  /** Keeps a bitmap as of a change, unless the others are of another one. */
  put(name: string, set: SlotSet, at: string): void {
    if (this.#at === at) this.#sets.set(name, set)
  }

  /** The orders that pass these filters, as of a change; undefined if they have to be combined. */
  list(filters: readonly BitmapFilter[], asOf: string | null): List | undefined {
    return this.#at === asOf ? this.#lists.get(filters) : undefined
  }

  /** Keeps a list of these filters as of a change, unless the bitmaps are of another one. */
  putList(filters: readonly BitmapFilter[], list: List, at: string): List {
    return this.#at === at ? this.#lists.put(filters, list) : list
  }

  /** The answer of an order as of a change; undefined if it has to be read. */
  answer(slot: number, asOf: string): AnswerDocument | undefined {
    const kept = this.#at !== null && !isAfter(asOf, this.#at) && this.#answers.get(slot)
    return kept && !isAfter(kept.asOf, asOf) ? kept.document : undefined
  }

  /**
   * Keeps the answers of orders that changed neither after the first of two changes nor up to the
   * last, unless the rest is of an earlier or a later one.
   */
  putAnswers(
    read: Iterable<readonly [slot: number, document: AnswerDocument]>,
    { from, to }: { from: string; to: string },
  ): void {
    const at = this.#at
    if (at === null || isAfter(from, at) || isAfter(at, to)) return
    for (const [slot, document] of read) this.#answers.put(slot, document, at)
  }

  /** Applies those of these changes, in their order, that come after the last one. */
  follow(changes: readonly Change[]): void {
    const changed = new Set<number>()
    for (const change of changes) {
      if (this.#at === null || !isAfter(change.id, this.#at)) continue
      for (const { name, isIn } of change.bits) this.#change(name, change.slot, isIn)
      this.#answers.drop(change.slot)
      changed.add(change.slot)
      this.#at = change.id
    }
    if (changed.size > 0) this.#lists.follow(changed, (name) => this.#sets.peek(name))
  }

  forget(): void {
    this.#sets.clear()
    this.#lists.clear()
    this.walks.clear()
    this.#answers.clear()
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
  if (one === other) return false
  const [ms = 0, n = 0] = one.split('-').map(Number)
  const [otherMs = 0, otherN = 0] = other.split('-').map(Number)
  return ms === otherMs ? n > otherN : ms > otherMs
}
