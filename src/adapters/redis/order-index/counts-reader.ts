import {
  COUNTED,
  type CountedFacet,
  FACET_VALUES,
  type FacetCounts,
  MARKETS_OF,
  noCounts,
} from '../../../domain/listing/facet-counts.ts'
import type { CountQuery } from '../../../ports/views/order-views.ts'
import type { Actionability } from '../../../schemas/scalars.ts'
import { ActionableReader, type ActionableTerms } from './actionable-reader.ts'
import { IndexReader } from './index-reader.ts'
import type { IndexReads } from './index-reads.ts'
import { filtersOf, marketBits } from './query-filters.ts'
import { SlotSet } from './slot-set.ts'

/**
 * Counts the orders by each facet with that facet's filter set aside: by the bitmaps of all values,
 * so that the work grows with the number of orders as that of one page does.
 */
export async function countByBitmaps(
  reads: IndexReads,
  { filters }: CountQuery,
  terms: ActionableTerms,
): Promise<FacetCounts> {
  const wanted = filters.actionability
  const lists = await new IndexReader(reads).without([...COUNTED, 'total'], filtersOf(filters))
  const { actionability } = lists
  const split = await new ActionableReader(reads, terms).split(
    wanted ? SlotSet.union(Object.values(lists)) : actionability,
  )
  if (wanted) {
    for (const [name, list] of Object.entries(lists))
      if (name !== 'actionability') list.keep(split[wanted.is], true)
  }
  const counts = noCounts()
  for (const [value, set] of Object.entries(split) as [Actionability, SlotSet][])
    counts.actionability[value] = actionability.countWith(set)
  await addByBitmaps(reads, lists, counts)
  return { total: lists.total.count(), counts }
}

type ByBitmaps = Exclude<CountedFacet, 'actionability'>

/** The bitmaps of each value; several for a market with aliases or a group. */
const BITMAPS_OF: Readonly<Record<ByBitmaps, (value: string) => readonly string[]>> = {
  state: (value) => [`state:${value}`],
  side: (value) => [`side:${value}`],
  protocol: (value) => MARKETS_OF.protocol(value).map(marketBits),
  group: (value) => MARKETS_OF.group(value).map(marketBits),
  source: (value) => [`source:${value}`],
  orderClass: (value) => [`class:${value}`],
  safety: (value) => [`safety:${value}`],
  signature: (value) => [`signature:${value}`],
}

async function addByBitmaps(
  reads: IndexReads,
  lists: Readonly<Record<ByBitmaps, SlotSet>>,
  counts: Record<CountedFacet, Record<string, number>>,
): Promise<void> {
  const uses = new Map<string, [facet: ByBitmaps, value: string][]>()
  for (const facet of Object.keys(BITMAPS_OF) as ByBitmaps[]) {
    for (const value of FACET_VALUES[facet]) {
      for (const name of BITMAPS_OF[facet](value))
        uses.set(name, [...(uses.get(name) ?? []), [facet, value]])
    }
  }
  // An order is listed under one market: the bitmaps of a group share no order.
  for await (const [name, set] of reads.bitmaps([...uses.keys()])) {
    for (const [facet, value] of uses.get(name) ?? [])
      counts[facet][value] = (counts[facet][value] ?? 0) + lists[facet].countWith(set)
  }
}
