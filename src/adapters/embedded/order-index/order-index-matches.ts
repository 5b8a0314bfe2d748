import { LRUCache } from 'lru-cache'
import type { ListedFilters } from '../../../domain/listing/actionable.ts'
import { type Columns, PROBE } from './order-index-columns.ts'
import type { SlotTest } from './order-index-filter.ts'

/** The orders that pass the filters of a list. */
export interface Matches {
  /** 1 for each. */
  bySlot: Uint8Array
  total: number
  /** Their slots, where these are fewer than a page's walk would pass by; otherwise null. */
  few: readonly number[] | null
}

/** Lists whose matches are kept: a byte an order each. */
const MOST_KEPT = 8
/** So many are sorted for a page at most. */
const FEW = 500

/**
 * Matches by list, cached until an order changes: all pages of a walk, and all readers of a list,
 * share them, and finding them takes a pass over all orders.
 */
export class KeptMatches {
  readonly #columns: Columns
  readonly #kept = new LRUCache<string, Matches>({ max: MOST_KEPT })

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** An order was added, or changes. */
  forget(): void {
    if (this.#kept.size > 0) this.#kept.clear()
  }

  /** `tests`: of the filters, made only where they are needed. */
  of(filters: ListedFilters, tests: () => readonly SlotTest[]): Matches {
    // Time decides what can be done with an order, though the order does not change.
    if (filters.actionability) return this.#find(tests())
    const list = JSON.stringify(filters)
    const known = this.#kept.get(list)
    if (known) return known
    const found = this.#find(tests())
    this.#kept.set(list, found)
    return found
  }

  #find(tests: readonly SlotTest[]): Matches {
    const { size } = this.#columns
    const bySlot = new Uint8Array(size)
    const few: number[] = []
    let total = 0
    for (let slot = PROBE + 1; slot < size; slot += 1) {
      if (!passesAll(tests, slot)) continue
      bySlot[slot] = 1
      if (total < FEW) few.push(slot)
      total += 1
    }
    return { bySlot, total, few: total <= FEW ? few : null }
  }
}

/** Does the order of a slot pass every test? */
export function passesAll(tests: readonly SlotTest[], slot: number): boolean {
  for (const test of tests) if (!test(slot)) return false
  return true
}
