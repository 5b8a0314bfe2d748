import type { FilterPart } from '../../../domain/listing/facet-counts.ts'
import type { OrderSort } from '../../../domain/listing/sorts.ts'
import type { SortPosition } from '../../../ports/views/order-views.ts'
import { above, BITMAPS, type IndexReads, STEP } from './index-reads.ts'
import { END, term, wordEntriesOf } from './order-entries.ts'
import type { Filter } from './query-filters.ts'
import { SlotSet } from './slot-set.ts'
import { memberAt, positionIn, readMember } from './sort-members.ts'

/** An order found in a sort. */
export interface IndexHit {
  id: string
  slot: number
  /** As in the sort's set, without the slot. */
  member: string
}

/** A walk of a sort: where it begins, and how many orders it looks for. */
export interface Walk {
  sort: OrderSort
  after: SortPosition | undefined
  limit: number
}

export interface Matching {
  /** The last change before they were found. */
  mark: string
  /** The slots of the orders that pass every filter. */
  slots: SlotSet
  /** The first entries of the walk, of the same moment: `BEGUN` for each order looked for. */
  begun: readonly string[]
}

/** The orders that pass each filter by itself. */
interface Found {
  slots: number
  mark: string
  begun: readonly string[]
  sets: readonly SlotSet[]
}

/** Entries of a sort that are read with the bitmaps, per order looked for. */
const BEGUN = 2
/**
 * Most tokens and markets that a search reads by their bitmaps, one for each 4,096 orders: that
 * many amount to a quarter of the rows of all orders, which are read instead when there are more.
 */
const WORD_BITMAPS = 1_024
/** Most matches sorted here, whatever a walk would cost. */
const SORTED_MOST = 20_000
/** The walk of a count, which looks for no order. */
const NOWHERE: Walk = { sort: 'newest', after: undefined, limit: 0 }

/** Finds the orders that pass the filters of a query, and pages of them. */
export class IndexReader {
  readonly #reads: IndexReads

  constructor(reads: IndexReads) {
    this.#reads = reads
  }

  /** The orders that pass every filter, and the beginning of the walk: one round trip for most. */
  async matching(filters: readonly Filter[], walk: Walk): Promise<Matching> {
    const { slots, mark, begun, sets } = await this.#found(filters, walk, () => true)
    const matching = SlotSet.all(slots)
    for (const [at, { has }] of filters.entries()) matching.keep(sets[at] ?? matching, has)
    return { mark, slots: matching, begun }
  }

  /** The orders that pass the filters but those of these parts, for each of several such lists. */
  async without<K extends string>(
    setAside: Readonly<Record<K, readonly FilterPart[]>>,
    filters: readonly Filter[],
  ): Promise<Record<K, SlotSet>> {
    const isAlways = ({ part }: Filter) => part === 'always'
    const { slots, sets } = await this.#found(filters, NOWHERE, isAlways)
    const lists = Object.entries<readonly FilterPart[]>(setAside).map(([name, parts]) => {
      const matching = SlotSet.all(slots)
      for (const [at, { part, has }] of filters.entries())
        if (!parts.includes(part)) matching.keep(sets[at] ?? matching, has)
      return [name, matching]
    })
    return Object.fromEntries(lists) as Record<K, SlotSet>
  }

  /** The first matches of the walk, by whichever way reads less. */
  async first({ slots, begun }: Matching, total: number, walk: Walk): Promise<IndexHit[]> {
    const { limit } = walk
    const near = hitsOf(begun, slots)
    if (near.length >= limit || begun.length < BEGUN * limit) return near.slice(0, limit)
    const walked = (limit * slots.slots) / Math.max(1, total)
    return total <= STEP || (total <= SORTED_MOST && total <= walked)
      ? this.#sorted(slots, walk)
      : this.#walked(slots, walk, near, begun.at(-1))
  }

  /** The ids of orders after one, in id order. */
  async ids(after: string, limit: number): Promise<string[]> {
    const named = term('id', after)
    const from = after === '' ? Buffer.from(`[${named}`) : above(named)
    const found = await this.#reads.range('terms', from, above(term('id', '')), limit)
    return found.map((entry) => entry.split(END)[1] ?? '')
  }

  /** Filters that read rows read those of orders that pass the others for which `narrows`. */
  async #found(
    filters: readonly Filter[],
    { sort, after, limit }: Walk,
    narrows: (filter: Filter) => boolean,
  ): Promise<Found> {
    const byWords = await Promise.all(filters.map(({ words }) => this.#named(words)))
    const named = filters.map(({ bits }, at) => [...bits, ...(byWords[at] ?? [])])
    const names = named.flat()
    const from = after ? above(memberAt(sort, after)) : Buffer.from('-')
    const walked = { set: sort, from, limit: BEGUN * limit }
    const begun = await this.#reads.begin(names.slice(0, BITMAPS), walked)
    const { slots, mark } = begun
    const sets = filters.map(() => new SlotSet(slots))
    const into = named.flatMap((of, at) => of.flatMap(() => sets[at] ?? []))
    for (const [at, set] of begun.sets.entries()) into[at]?.addAll(set)
    let at = BITMAPS
    for await (const [, set] of this.#reads.bitmaps(names.slice(BITMAPS))) {
      into[at]?.addAll(set)
      at += 1
    }
    const among = SlotSet.all(slots)
    // Filters that read rows come last: orders excluded by the others are not read.
    const order = [...filters.entries()].sort(
      ([one], [other]) => Number(byWords[one] === null) - Number(byWords[other] === null),
    )
    for (const [at, filter] of order) {
      const set = sets[at] ?? among
      if (byWords[at] === null) await this.#addByRows(filter.words, among, set)
      await this.#addEntries(filter, set)
      if (narrows(filter)) among.keep(set, filter.has)
    }
    return { slots, mark, begun: begun.members, sets }
  }

  async #addEntries({ terms, ranges }: Filter, set: SlotSet): Promise<void> {
    for (const prefix of terms) {
      for await (const entry of this.#reads.entries('terms', prefix)) {
        set.add(Number(entry.slice(entry.lastIndexOf(END) + 1)))
      }
    }
    for (const range of ranges)
      for await (const { slot } of this.#reads.members(range)) set.add(slot)
  }

  async #sorted(matching: SlotSet, { sort, after, limit }: Walk): Promise<IndexHit[]> {
    const found: IndexHit[] = []
    const start = after ? memberAt(sort, after) : ''
    for await (const [slot, row] of this.#reads.rows(matching)) {
      const member = memberAt(sort, positionIn(sort, row))
      if (member > start) found.push({ id: row[0], slot, member })
    }
    // Members are ASCII: their order here is that of their bytes.
    return found.sort((a, b) => (a.member < b.member ? -1 : 1)).slice(0, limit)
  }

  /** Continues after the entry that was read last. */
  async #walked(
    matching: SlotSet,
    { sort, limit }: Walk,
    near: readonly IndexHit[],
    from: string | undefined,
  ): Promise<IndexHit[]> {
    const found = [...near]
    for (let last = from; last !== undefined && found.length < limit; ) {
      const after = Buffer.from(`(${last}`)
      const members = await this.#reads.range(`sort:${sort}`, after, Buffer.from('+'))
      found.push(...hitsOf(members, matching))
      last = members.length < STEP ? undefined : members.at(-1)
    }
    return found.slice(0, limit)
  }

  /** The bitmaps of what has a word with any of these prefixes; null if there are too many. */
  async #named(words: readonly string[]): Promise<string[] | null> {
    const names = new Set<string>()
    for (const prefix of words) {
      for await (const entry of this.#reads.entries('words', prefix)) {
        names.add(entry.slice(entry.lastIndexOf(END) + 1))
        if (names.size > WORD_BITMAPS) return null
      }
    }
    return [...names]
  }

  /** Adds the slots of `among` whose token or market has a word with one of these prefixes. */
  async #addByRows(words: readonly string[], among: SlotSet, set: SlotSet): Promise<void> {
    for await (const [slot, row] of this.#reads.rows(among)) {
      const entries = wordEntriesOf(row)
      if (words.some((prefix) => entries.some((entry) => entry.startsWith(prefix)))) set.add(slot)
    }
  }
}

const hitsOf = (members: readonly string[], matching: SlotSet): IndexHit[] =>
  members.flatMap((member) => {
    const { id, slot } = readMember(member)
    return matching.has(slot)
      ? [{ id, slot, member: member.slice(0, member.lastIndexOf(':') + 1) }]
      : []
  })
