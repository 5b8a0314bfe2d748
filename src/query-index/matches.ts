import { LRUCache } from 'lru-cache'
import type { ListedFilters } from '../domain/listing/actionable.ts'
import type { Network } from '../schemas/scalars.ts'
import type { FreshnessByPartition } from './actionable.ts'
import { type Columns, PROBE, type SlotTest } from './columns.ts'
import { slotTests, type TestTerms } from './filter.ts'
import type { Prefixes } from './prefixes.ts'

/** The orders that pass the filters of a list; valid until the next order changes. */
export interface Matches {
  /** 1 at the slot of each order that passes. */
  readonly bySlot: Uint8Array
  readonly total: number
  /**
   * The slots of these orders, if they are so few that sorting them is faster than a walk;
   * otherwise null.
   */
  readonly few: readonly number[] | null
}

/** The matches of a list, tested again as orders change. */
interface CachedList {
  tests: readonly SlotTest[]
  bySlot: Uint8Array
  total: number
  few: number[] | null
  /** Changes since the list was last asked for. */
  unasked: number
}

/** Bytes of all cached lists, one byte an order and list: 64 lists of a million orders. */
const CACHED_BYTES = 64 * 2 ** 20
/** Cached lists. */
const MAX_CACHED = 64
/** Room of a cached list for orders that are added later. */
const ROOM = 4_096
/** Most matches that are sorted for one page. */
const FEW = 500
/**
 * A list is dropped after this many changes without a request: testing them costs about one pass.
 */
const MAX_UNASKED = 10_000
/** Only the actionability filter reads the freshness, and lists with that filter are not cached. */
const NO_FRESHNESS: FreshnessByPartition = new Map()

/**
 * Matches by list, shared by all pages of a walk and all readers of the list: finding the matches
 * takes a pass over all orders. When an order changes, only that order is tested again.
 */
export class CachedMatches {
  readonly #columns: Columns
  readonly #network: Network
  readonly #prefixes: Prefixes
  readonly #cached = new LRUCache<string, CachedList>({
    max: MAX_CACHED,
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ bySlot }) => bySlot.length,
  })

  constructor(columns: Columns, prefixes: Prefixes, network: Network) {
    this.#columns = columns
    this.#prefixes = prefixes
    this.#network = network
  }

  /** All orders were replaced. */
  forget(): void {
    this.#cached.clear()
  }

  /** An order was added, or has changed. */
  follow(slot: number): void {
    for (const [list, cached] of [...this.#cached.entries()])
      if (!this.#follows(cached, slot)) this.#cached.delete(list)
  }

  of(filters: ListedFilters, freshness: FreshnessByPartition): Matches {
    // What can be done with an order changes with time, without a change of the order.
    if (filters.actionability) return this.#find(filters, freshness)
    const list = JSON.stringify(filters)
    const known = this.#cached.get(list)
    if (known) {
      known.unasked = 0
      return known
    }
    const terms = this.#terms(NO_FRESHNESS, 'one')
    const tests = slotTests(this.#columns, filters, terms)
    const cached = { ...this.#find(filters, freshness), tests, unasked: 0 }
    this.#cached.set(list, cached)
    return cached
  }

  #find(filters: ListedFilters, freshness: FreshnessByPartition) {
    const terms = this.#terms(freshness, 'all')
    const tests = slotTests(this.#columns, filters, terms)
    const { size } = this.#columns
    const bySlot = new Uint8Array(size + ROOM)
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

  #terms(freshness: FreshnessByPartition, tested: TestTerms['tested']): TestTerms {
    return { network: this.#network, prefixes: this.#prefixes, freshness, tested }
  }

  /** False if the matches must be found again. */
  #follows(cached: CachedList, slot: number): boolean {
    cached.unasked += 1
    if (cached.unasked > MAX_UNASKED || slot >= cached.bySlot.length) return false
    const isIn = passesAll(cached.tests, slot)
    if (isIn === (cached.bySlot[slot] === 1)) return true
    cached.bySlot[slot] = isIn ? 1 : 0
    cached.total += isIn ? 1 : -1
    if (isIn && cached.few) cached.few.push(slot)
    else if (cached.few) cached.few = cached.few.filter((one) => one !== slot)
    if (cached.total > FEW) cached.few = null
    return cached.few !== null || cached.total > FEW
  }
}

/** Does the order of a slot pass every test? */
export function passesAll(tests: readonly SlotTest[], slot: number): boolean {
  for (const test of tests) if (!test(slot)) return false
  return true
}
