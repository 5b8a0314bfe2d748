import type { FilterPart } from '../../../domain/listing/facet-counts.ts'
import {
  above,
  BITMAPS,
  type IndexReads,
  inRange,
  type Snapshot,
  type Span,
  STEP,
  withPrefix,
} from './index-reads.ts'
import { type List, listOf, wholeList } from './kept-lists.ts'
import type { IndexHit, Walk } from './kept-walks.ts'
import { END, endOfEntry, slotInTerm, term, wordEntriesOf } from './order-entries.ts'
import type { Filter } from './query-filters.ts'
import { SlotSet } from './slot-set.ts'
import { idOf, memberAt, positionIn, slotOf } from './sort-members.ts'

export interface Matching {
  /** The last change before they were found. */
  mark: string
  /** Those that pass every filter. */
  list: List
  begun: Begun
}

/** The first entries of a walk, of the same moment; fewer than `asked`: its last ones too. */
interface Begun {
  entries: readonly string[]
  asked: number
  /** By which the walk of the same query is known again. */
  list: string
}

interface Found {
  mark: string
  begun: Begun
  /** The orders that pass the filters of bitmaps. */
  list: List
  /** Those of them that pass the other filters that narrow. */
  among: SlotSet
  /** Those that pass each of the other filters, by itself. */
  sets: readonly SlotSet[]
}

/** Entries of a sort that are read with the bitmaps, per order looked for, before any were read. */
const BEGUN = 2
/** Later as many as the last page of the list needed, times this: a few in a hundred run short. */
const MARGIN = 1.4
/**
 * Most tokens and markets that a search reads by their bitmaps, one for each 4,096 orders: that
 * many amount to a quarter of the rows of all orders, which are read instead when there are more.
 */
const WORD_BITMAPS = 1_024
/** Most matches sorted here, whatever a walk would cost. */
const SORTED_MOST = 20_000
/** Entries that are walked in the time in which one row is read. */
const ROW_ENTRIES = 4
/** The walk of a count, which looks for no order. */
const NOWHERE: Walk = { sort: 'newest', part: null, after: undefined, limit: 0 }

/** Finds the orders that pass the filters of a query, and pages of them. */
export class IndexReader {
  readonly #reads: IndexReads

  constructor(reads: IndexReads) {
    this.#reads = reads
  }

  /** The orders that pass every filter, and the beginning of the walk: one round trip for most. */
  async matching(filters: readonly Filter[], walk: Walk): Promise<Matching> {
    const split = byBitmaps(filters, () => true)
    const { mark, begun, list, among } = await this.#found(split, walk, () => true)
    return { mark, list: split.others.length === 0 ? list : listOf(among), begun }
  }

  /** For each of these names: the orders that pass all filters except those of that part. */
  async without<K extends FilterPart | 'total'>(
    names: readonly K[],
    filters: readonly Filter[],
  ): Promise<Record<K, SlotSet>> {
    const isAlways = ({ part }: Filter) => part === 'always'
    const split = byBitmaps(filters, isAlways)
    const { list, sets } = await this.#found(split, NOWHERE, isAlways)
    const lists = names.map((name) => {
      const matching = list.slots.copy()
      for (const [at, { part, has }] of split.others.entries())
        if (part !== name) matching.keep(sets[at] ?? matching, has)
      return [name, matching]
    })
    return Object.fromEntries(lists) as Record<K, SlotSet>
  }

  /** The first matches of the walk: some may have changed since they began to be found. */
  async first(matching: Matching, walk: Walk): Promise<readonly IndexHit[]> {
    const { walks } = this.#reads.kept
    const { list } = matching
    const known = walks.get(list, walk)
    if (known) return known
    const hits = await this.#first(matching, walk)
    if (this.#reads.isOf(matching.mark)) walks.put(list, walk, hits)
    return hits
  }

  /** Keeps the first matches too if only these orders changed while they were found. */
  keepFirst(
    { list }: Matching,
    walk: Walk,
    hits: readonly IndexHit[],
    changed: Iterable<number>,
  ): void {
    if ([...changed].some((slot) => list.slots.has(slot))) return
    this.#reads.kept.walks.put(list, walk, hits)
  }

  /** By whichever way reads less. */
  async #first({ list, begun }: Matching, walk: Walk): Promise<IndexHit[]> {
    const { slots, total } = list
    const { limit } = walk
    const near = hitsOf(begun.entries, slots)
    if (near.length >= limit || begun.entries.length < begun.asked) {
      this.#learn(begun, begun.entries.length, near.length)
      return near.slice(0, limit)
    }
    const perOrder = this.#reads.kept.perOrder.get(begun.list) || slots.slots / total
    const isWalked = total > SORTED_MOST || total * ROW_ENTRIES > perOrder * limit
    if (total > STEP && isWalked) return this.#walked(slots, walk, begun, near)
    // Whatever is read of the sort is not needed.
    this.#learn(begun, 0, 1)
    return this.#sorted(slots, walk)
  }

  /** The ids of orders after one, in id order. */
  async ids(after: string, limit: number): Promise<string[]> {
    const all = withPrefix('terms', term('id', ''))
    const span = after === '' ? all : { ...all, from: above(term('id', after)) }
    const found = await this.#reads.range(span, limit)
    return found.map((entry) => entry.split(END)[1] ?? '')
  }

  /** Filters that read rows read those of orders that pass the others for which `narrows`. */
  async #found(
    { ofBitmaps, others }: SplitFilters,
    walk: Walk,
    narrows: (filter: Filter) => boolean,
  ): Promise<Found> {
    const byWords = await Promise.all(others.map(({ words }) => this.#named(words)))
    const first = ofBitmaps.flatMap(({ bits }) => bits)
    const named = others.map(({ bits }, at) => [...bits, ...(byWords[at] ?? [])])
    const names = [...first, ...named.flat()]
    const name = JSON.stringify([walk.sort, ofBitmaps, others])
    const isKept = others.length === 0 && this.#isKept(ofBitmaps, walk)
    const asked = isKept ? 0 : this.#entriesFor(name, walk.limit)
    const spans = others.flatMap(spansOf)
    const snapshot = await this.#reads.begin({
      names: names.slice(0, BITMAPS),
      walked: { ...spanOf(walk), limit: asked },
      spans: spans.map(({ span }) => span),
    })
    const { slots, mark } = snapshot
    const list = this.#listOf(ofBitmaps, snapshot)
    const sets = others.map(() => new SlotSet(slots))
    const into = named.flatMap((of, at) => of.flatMap(() => sets[at] ?? []))
    for (const [at, set] of snapshot.sets.slice(first.length).entries()) into[at]?.addAll(set)
    let at = BITMAPS - first.length
    for await (const [, set] of this.#reads.bitmaps(names.slice(BITMAPS))) {
      into[at]?.addAll(set)
      at += 1
    }
    await this.#addEntries(spans, snapshot, sets)
    const among = others.some(narrows) ? list.slots.copy() : list.slots
    // Filters that read rows come last: orders excluded by the others are not read.
    const order = [...others.entries()].sort(
      ([one], [other]) => Number(byWords[one] === null) - Number(byWords[other] === null),
    )
    for (const [at, filter] of order) {
      const set = sets[at] ?? among
      if (byWords[at] === null) await this.#addByRows(filter.words, among, set)
      if (narrows(filter)) among.keep(set, filter.has)
    }
    const begun = { entries: snapshot.members, asked, list: name }
    return { mark, begun, list, among, sets }
  }

  /** Unless one of the list's orders changed meanwhile. */
  #isKept(filters: readonly Filter[], walk: Walk): boolean {
    const { kept } = this.#reads
    const list = kept.list(filters, kept.at)
    return list !== undefined && kept.walks.get(list, walk) !== undefined
  }

  /** Of filters whose bitmaps come first in what was just read. */
  #listOf(filters: readonly Filter[], { slots, mark, sets }: Snapshot): List {
    const { kept } = this.#reads
    const known = kept.list(filters, mark)
    if (known) return known
    const among = wholeList(slots)
    let at = 0
    for (const { bits, has } of filters) {
      among.keep(SlotSet.union(sets.slice(at, at + bits.length)), has)
      at += bits.length
    }
    return kept.putList(filters, listOf(among), mark)
  }

  async #addEntries(
    spans: readonly FilterSpan[],
    { spans: begun }: Snapshot,
    sets: readonly SlotSet[],
  ): Promise<void> {
    const add = async ({ span, slotIn, of }: FilterSpan, at: number) => {
      const set = sets[of]
      for await (const some of this.#reads.entries(span, begun[at]))
        for (const entry of some) set?.add(slotIn(entry))
    }
    await Promise.all(spans.map(add))
  }

  async #sorted(matching: SlotSet, { sort, after, limit }: Walk): Promise<IndexHit[]> {
    const found: IndexHit[] = []
    const start = after ? memberAt(sort, after) : ''
    for await (const rows of this.#reads.rows(matching)) {
      for (const [slot, row] of rows) {
        const member = memberAt(sort, positionIn(sort, row))
        if (member > start) found.push({ id: row[0], slot, member })
      }
    }
    // Members are ASCII: their order here is that of their bytes.
    return found.sort((a, b) => (a.member < b.member ? -1 : 1)).slice(0, limit)
  }

  /** Continues after the entry that was read last. */
  async #walked(
    matching: SlotSet,
    walk: Walk,
    begun: Begun,
    near: readonly IndexHit[],
  ): Promise<IndexHit[]> {
    const { limit } = walk
    const span = spanOf(walk)
    const found = [...near]
    let read = begun.entries.length
    let last = begun.entries.at(-1)
    do {
      const from = last === undefined ? span.from : Buffer.from(`(${last}`)
      const members = await this.#reads.range({ ...span, from })
      found.push(...hitsOf(members, matching))
      read += members.length
      last = members.length < STEP ? undefined : members.at(-1)
    } while (last !== undefined && found.length < limit)
    this.#learn(begun, read, found.length)
    return found.slice(0, limit)
  }

  #entriesFor(list: string, limit: number): number {
    const perOrder = this.#reads.kept.perOrder.get(list)
    return perOrder === undefined
      ? BEGUN * limit
      : Math.min(Math.ceil(MARGIN * perOrder * limit), STEP)
  }

  /** So many entries had so many orders of the list. */
  #learn({ list }: Begun, entries: number, orders: number): void {
    this.#reads.kept.perOrder.set(list, entries / Math.max(1, orders))
  }

  /** The bitmaps of what has a word with any of these prefixes; null if there are too many. */
  async #named(words: readonly string[]): Promise<string[] | null> {
    const names = new Set<string>()
    for (const prefix of words) {
      for await (const some of this.#reads.entries(withPrefix('words', prefix))) {
        for (const entry of some) names.add(endOfEntry(entry))
        if (names.size > WORD_BITMAPS) return null
      }
    }
    return [...names]
  }

  /** Adds the slots of `among` whose token or market has a word with one of these prefixes. */
  async #addByRows(words: readonly string[], among: SlotSet, set: SlotSet): Promise<void> {
    for await (const rows of this.#reads.rows(among)) {
      for (const [slot, row] of rows) {
        const entries = wordEntriesOf(row)
        if (words.some((prefix) => entries.some((entry) => entry.startsWith(prefix)))) set.add(slot)
      }
    }
  }
}

interface SplitFilters {
  /** Those that bitmaps alone answer, all of them read at one moment. */
  ofBitmaps: readonly Filter[]
  others: readonly Filter[]
}

function byBitmaps(
  filters: readonly Filter[],
  isWanted: (filter: Filter) => boolean,
): SplitFilters {
  const isOfBitmaps = (filter: Filter) =>
    filter.terms.length + filter.ranges.length + filter.words.length === 0 && isWanted(filter)
  const ofBitmaps = filters.filter(isOfBitmaps)
  if (ofBitmaps.flatMap(({ bits }) => bits).length > BITMAPS)
    return { ofBitmaps: [], others: filters }
  return { ofBitmaps, others: filters.filter((filter) => !isOfBitmaps(filter)) }
}

const spanOf = ({ sort, part, after }: Walk): Span => ({
  set: `sort:${sort}`,
  from: after ? above(memberAt(sort, after)) : Buffer.from(part ? `[${part.from}` : '-'),
  to: Buffer.from(part ? `(${part.below}` : '+'),
})

/** Entries of the orders that pass one of the filters. */
interface FilterSpan {
  /** Its place among them. */
  of: number
  span: Span
  slotIn(entry: string): number
}

const spansOf = ({ terms, ranges }: Filter, of: number): FilterSpan[] => [
  ...terms.map((prefix) => ({ of, span: withPrefix('terms', prefix), slotIn: slotInTerm })),
  ...ranges.map((range) => ({ of, span: inRange(range), slotIn: slotOf })),
]

function hitsOf(members: readonly string[], matching: SlotSet): IndexHit[] {
  const hits: IndexHit[] = []
  for (const member of members) {
    const slot = slotOf(member)
    if (!matching.has(slot)) continue
    hits.push({ id: idOf(member), slot, member: member.slice(0, member.lastIndexOf(':') + 1) })
  }
  return hits
}
