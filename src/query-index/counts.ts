import {
  COUNTED,
  type CountedFacet,
  FACET_VALUES,
  type FacetCounts,
  type FilterPart,
  MARKETS_OF,
  noCounts,
} from '../domain/listing/facet-counts.ts'
import type { Actionability } from '../schemas/scalars.ts'
import { type Columns, PROBE } from './columns.ts'
import type { FilterTest } from './filter.ts'
import { codes } from './row.ts'

/**
 * A facet of the orders in slots: a small number for each order, and the values that the numbers
 * represent.
 */
interface Coded {
  code(slot: number): number
  /** Above every code. */
  size: number
  values(code: number): readonly string[]
}

const NONE: readonly string[] = []

/**
 * Counts the orders by each facet with that facet's filter set aside, in one pass: an order counts
 * for a facet if it passes all filters but the filters of that facet. It counts numbers, not texts:
 * the pass blocks the event loop.
 */
export function countBySlots(
  columns: Columns,
  tests: readonly FilterTest[],
  actionability: (slot: number) => Actionability,
): FacetCounts {
  const coded = codedFacets(columns, actionability)
  const facets = COUNTED.map((facet) => ({
    facet,
    coded: coded[facet],
    tally: new Uint32Array(coded[facet].size),
    setAside: maskOf(facet),
  }))
  const masked = tests.map(({ part, test }) => ({ test, mask: maskOf(part) }))
  let total = 0
  for (let slot = PROBE + 1; slot < columns.size; slot += 1) {
    const failed = failedOf(masked, slot)
    if (failed === FAILED_FOR_ALL) continue
    if (failed === 0) total += 1
    for (const { coded, tally, setAside } of facets) {
      if ((failed & ~setAside) !== 0) continue
      const code = coded.code(slot)
      tally[code] = (tally[code] ?? 0) + 1
    }
  }
  const counts = noCounts()
  for (const { facet, coded, tally } of facets)
    for (const [code, count] of tally.entries()) {
      if (count === 0) continue
      for (const value of coded.values(code))
        counts[facet][value] = (counts[facet][value] ?? 0) + count
    }
  return { total, counts }
}

const FAILED_FOR_ALL = -1

/** A bit for each facet; 0 for the filters that are never set aside. */
const maskOf = (part: FilterPart): number => (part === 'always' ? 0 : 1 << COUNTED.indexOf(part))

/** The facets of which the order fails a filter. */
function failedOf(
  tests: readonly { test: (slot: number) => boolean; mask: number }[],
  slot: number,
): number {
  let failed = 0
  for (const { test, mask } of tests) {
    if (test(slot)) continue
    if (mask === 0) return FAILED_FOR_ALL
    failed |= mask
  }
  return failed
}

function codedFacets(
  columns: Columns,
  actionability: (slot: number) => Actionability,
): Record<CountedFacet, Coded> {
  const single = (
    name: 'state' | 'safety' | 'orderClass' | 'signature' | 'side',
    all: readonly string[],
  ): Coded => {
    const column = columns[name]
    const byCode = new Map(
      all.map((value) => [(codes[name] as (v: string) => number)(value), [value]]),
    )
    return {
      code: (slot) => column[slot] ?? 0,
      size: Math.max(...byCode.keys()) + 1,
      values: (code) => byCode.get(code) ?? NONE,
    }
  }
  const ofMarkets = (facet: keyof typeof MARKETS_OF): Coded => {
    const { market } = columns
    const byId = new Map<number, readonly string[]>()
    for (const value of FACET_VALUES[facet]) {
      for (const id of MARKETS_OF[facet](value)) {
        const known = columns.protocols.find(id)
        if (known !== undefined) byId.set(known, [value])
      }
    }
    return {
      code: (slot) => market[slot] ?? 0,
      // Names of markets come from strangers: a name that is in no catalog is not counted.
      size: Math.max(0, ...byId.keys()) + 1,
      values: (code) => byId.get(code) ?? NONE,
    }
  }
  const { sources } = columns
  const ofSources: Coded = {
    code: (slot) => sources[slot] ?? 0,
    size: 1 << FACET_VALUES.source.length,
    values: (bits) => FACET_VALUES.source.filter((value) => (bits & codes.source(value)) !== 0),
  }
  const ofActionability: Coded = {
    code: (slot) => ACTIONABILITY_CODES[actionability(slot)],
    size: FACET_VALUES.actionability.length,
    values: (code) => FACET_VALUES.actionability.slice(code, code + 1),
  }
  return {
    state: single('state', FACET_VALUES.state),
    side: single('side', FACET_VALUES.side),
    protocol: ofMarkets('protocol'),
    group: ofMarkets('group'),
    source: ofSources,
    orderClass: single('orderClass', FACET_VALUES.orderClass),
    safety: single('safety', FACET_VALUES.safety),
    signature: single('signature', FACET_VALUES.signature),
    actionability: ofActionability,
  }
}

const ACTIONABILITY_CODES: Readonly<Record<Actionability, number>> = {
  REVIEW_ONLY: FACET_VALUES.actionability.indexOf('REVIEW_ONLY'),
  HANDOFF_READY: FACET_VALUES.actionability.indexOf('HANDOFF_READY'),
  BLOCKED: FACET_VALUES.actionability.indexOf('BLOCKED'),
}
