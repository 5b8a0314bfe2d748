import type { FacetCounts } from '../domain/listing/facet-counts.ts'
import type { OrderFilters } from '../domain/listing/filters.ts'
import { ORDER_SORTS, type OrderSort } from '../domain/listing/sorts.ts'
import type { CountQuery, OrderQuery, SortPosition } from '../ports/views/order-views.ts'
import type { Network } from '../schemas/scalars.ts'
import { actionabilities, type FreshnessByPartition } from './actionable.ts'
import { Columns, type IndexPart, PROBE, type SlotTest } from './columns.ts'
import { countBySlots } from './counts.ts'
import { filterTests, slotTests } from './filter.ts'
import { SlotsByFunding } from './funding.ts'
import { hashPrefix } from './hash-prefix.ts'
import { HASH_DIGITS } from './hashes.ts'
import { SlotsById } from './ids.ts'
import { CachedMatches, passesAll } from './matches.ts'
import { type OutputChains, SlotsByOutput } from './outputs.ts'
import { Prefixes, type PrefixParts } from './prefixes.ts'
import type { OrderRow } from './row.ts'
import { sortAll } from './sort-all.ts'
import { SortedSlots } from './sorted.ts'
import { comparisons, movedSorts, placeProbe, positionOf, sortValues } from './sorts.ts'

export interface IndexPage {
  /** The orders of the page, each with the version that the index has. */
  found: readonly { position: SortPosition; seq: number }[]
  total: number
  next: SortPosition | null
}

/** Raised with any change of what `parts` yields: a file of another version is not read. */
export const PARTS_VERSION = 4
/** `parts` is null once more than this share of all orders came since the fill: 1 / 4. */
const OTHERS_SHARE = 4

interface First {
  total: number
  first: readonly number[]
}

/**
 * Every listed order in memory, sorted seven ways. A query passes once over the columns of its
 * filters, which counts the total, then walks its sort from the cursor on. The next page of the
 * same list only walks: the matches of the pass are updated as orders change.
 */
export class QueryIndex {
  readonly #network: Network
  readonly #columns = new Columns()
  readonly #slots = new SlotsById(this.#columns)
  readonly #outputs = new SlotsByOutput(this.#columns)
  readonly #funding = new SlotsByFunding()
  readonly #prefixes = new Prefixes(this.#columns)
  readonly #compare = comparisons(this.#columns)
  readonly #sorted: Map<OrderSort, SortedSlots>
  readonly #matches: CachedMatches

  constructor(network: Network) {
    this.#network = network
    this.#matches = new CachedMatches(this.#columns, this.#prefixes, network)
    this.#sorted = new Map(ORDER_SORTS.map((sort) => [sort, new SortedSlots(this.#compare[sort])]))
  }

  /**
   * Adds an order whose id is above all ids before it. `page` finds the order after `sortFilled`.
   */
  fill(id: string, row: OrderRow): void {
    this.#matches.forget()
    this.#slots.putNext(this.#place(id, row))
  }

  /** Sorts the orders added by `fill`: one step per sort. */
  *sortFilled(): Generator<OrderSort | 'prefixes'> {
    this.#prefixes.fill()
    yield 'prefixes'
    for (const [sort, sorted] of this.#sorted) {
      sorted.fill(sortAll(this.#columns, sort))
      yield sort
    }
  }

  /**
   * All parts of this index, for `take`. Null if too many orders came since the fill: their ids are
   * in a map, and a new fill sorts them.
   */
  parts(): Iterable<IndexPart> | null {
    const { others } = this.#slots
    return others.length > this.#columns.size / OTHERS_SHARE ? null : this.#parts(others)
  }

  *#parts(others: Uint32Array): Generator<IndexPart> {
    yield* this.#columns.parts()
    yield ['others', others]
    yield ['outputs', this.#outputs.chains]
    yield ['funding', this.#funding.all]
    yield ['prefixes', this.#prefixes.parts]
    for (const [sort, sorted] of this.#sorted) yield [sort, sorted.all(this.#columns.size - 1)]
  }

  /** Takes the parts of another index of the same release; this index must be empty. */
  take(parts: ReadonlyMap<string, unknown>): void {
    this.#matches.forget()
    this.#columns.take(parts)
    this.#slots.take(parts.get('others') as Uint32Array)
    this.#outputs.take(parts.get('outputs') as OutputChains)
    this.#funding.take(parts.get('funding') as SlotsByFunding['all'])
    this.#prefixes.take(parts.get('prefixes') as PrefixParts)
    for (const [sort, sorted] of this.#sorted) sorted.fill(parts.get(sort) as Uint32Array)
  }

  get size(): number {
    return this.#columns.size - 1
  }

  /** The version of an order; undefined if the index does not have the order. */
  seqOf(id: string): number | undefined {
    const slot = this.#slots.get(id)
    return slot === undefined ? undefined : this.#columns.seq[slot]
  }

  put(id: string, row: OrderRow): void {
    const slot = this.#slots.get(id)
    if (slot === undefined) this.#add(id, row)
    else this.#change(slot, row)
  }

  /**
   * `freshness` is each partition's progress: it decides whether the partition's orders are fresh.
   */
  page(query: OrderQuery, freshness: FreshnessByPartition): IndexPage {
    const { sort, limit, after } = query
    const columns = this.#columns
    if (after) placeProbe(columns, sort, after)
    const few = this.#named(query)
    const terms = { ...this.#terms(freshness), tested: 'one' } as const
    const { total, first } = few
      ? this.#amongFew(few, slotTests(columns, query, terms), query)
      : this.#amongAll(query, freshness)
    const more = first.length > limit
    const found = first.slice(0, limit).map((slot) => ({
      position: positionOf(columns, sort, slot),
      seq: columns.seq[slot] ?? 0,
    }))
    return { found, total, next: (more && found.at(-1)?.position) || null }
  }

  /**
   * The orders among which are all that spend the outputs, or offer the inscription, of the filters;
   * null if the filters name none.
   */
  #named(filters: OrderFilters): number[] | null {
    const { outpoint, funding, assetInscriptionId, provedInscriptionId } = filters
    const offering = outpoint ? this.#outputs.at(outpoint) : null
    const paidBy = funding ? this.#funding.at(funding) : null
    if (offering && paidBy) return offering.filter((slot) => paidBy.includes(slot))
    const inscriptionId = provedInscriptionId ?? assetInscriptionId
    return offering ?? paidBy ?? (inscriptionId ? this.#revealedBy(inscriptionId) : null)
  }

  /** The orders of all inscriptions that one transaction revealed, and all orders of odd assets. */
  #revealedBy(inscriptionId: string): number[] {
    const slots = [...this.#columns.oddAssets.keys()]
    const txid = hashPrefix(inscriptionId.slice(0, HASH_DIGITS))
    this.#prefixes.each('inscriptionTxid', txid, (slot) => slots.push(slot))
    return slots
  }

  /** The first matches after the probe, at most one more than the limit. */
  #amongAll(query: OrderQuery, freshness: FreshnessByPartition): First {
    const { sort, limit, after, ...filters } = query
    const { bySlot, total, few } = this.#matches.of(filters, freshness)
    if (few) return this.#amongFew(few, [], query)
    const first: number[] = []
    this.#sorted.get(sort)?.walk(after ? PROBE : null, (slot) => {
      if (bySlot[slot] === 1) first.push(slot)
      return first.length <= limit
    })
    return { total, first }
  }

  /** The first matches after the probe among a few slots. */
  #amongFew(
    slots: readonly number[],
    tests: readonly SlotTest[],
    { sort, limit, after }: OrderQuery,
  ): First {
    const compare = this.#compare[sort]
    const matches = slots.filter((slot) => passesAll(tests, slot))
    const behind = after ? matches.filter((slot) => compare(slot, PROBE) > 0) : matches
    return { total: matches.length, first: behind.sort(compare).slice(0, limit + 1) }
  }

  counts({ filters, moment }: CountQuery, freshness: FreshnessByPartition): FacetCounts {
    const columns = this.#columns
    const terms = { ...this.#terms(freshness), tested: 'all' } as const
    const tests = filterTests(columns, filters, terms)
    const few = this.#named(filters)
    if (few) {
      const there = new Set(few)
      tests.push({ part: 'always', test: (slot) => there.has(slot) })
    }
    return countBySlots(columns, tests, actionabilities(columns, moment, freshness))
  }

  #terms(freshness: FreshnessByPartition) {
    return { network: this.#network, prefixes: this.#prefixes, freshness }
  }

  #add(id: string, row: OrderRow): void {
    const slot = this.#place(id, row)
    this.#prefixes.add(slot)
    this.#slots.put(id, slot)
    for (const sorted of this.#sorted.values()) sorted.insert(slot)
    this.#matches.follow(slot)
  }

  /** Puts a new order into the columns, and under the outputs that it spends. */
  #place(id: string, row: OrderRow): number {
    const slot = this.#columns.add(id)
    this.#columns.set(slot, row)
    this.#outputs.add(slot)
    this.#funding.add(slot, row.funding)
    return slot
  }

  // A slot leaves a sort by its old values and enters by its new ones, so the new ones are first
  // tried in the probe's slot: most changes move an order in one sort or in none.
  #change(slot: number, row: OrderRow): void {
    const columns = this.#columns
    columns.set(PROBE, row)
    const moved = movedSorts(sortValues(columns, slot), sortValues(columns, PROBE))
    columns.oddAssets.delete(PROBE)
    for (const sort of moved) this.#sorted.get(sort)?.remove(slot)
    this.#prefixes.removeChanging(slot)
    columns.set(slot, row)
    this.#prefixes.addChanging(slot)
    for (const sort of moved) this.#sorted.get(sort)?.insert(slot)
    this.#matches.follow(slot)
  }
}
