import {
  COUNTED,
  type CountedFacet,
  FACET_VALUES,
  type FacetCounts,
  type FilterPart,
  MARKETS_OF,
  noCounts,
  SET_ASIDE,
} from '../../../domain/listing/facet-counts.ts'
import type { Actionability } from '../../../schemas/scalars.ts'
import { type Columns, PROBE } from './order-index-columns.ts'
import type { FilterTest } from './order-index-filter.ts'
import { codes } from './order-index-row.ts'

/** The values of a facet that the order in a slot has. */
type ValuesOf = (slot: number) => readonly string[]

const NONE: readonly string[] = []

/**
 * Counts the orders by each facet with that facet's filter set aside, in one pass: an order that
 * fails some filters counts for the facets for which all of these are set aside.
 */
export function countBySlots(
  columns: Columns,
  tests: readonly FilterTest[],
  actionability: (slot: number) => Actionability,
): FacetCounts {
  const counts = noCounts()
  const values = valuesOf(columns, actionability)
  const facets = COUNTED.map((facet) => ({
    counts: counts[facet],
    values: values[facet],
    setAside: maskOf(SET_ASIDE[facet]),
  }))
  const masked = tests.map(({ part, test }) => ({ test, mask: maskOf([part]) }))
  let total = 0
  for (let slot = PROBE + 1; slot < columns.size; slot += 1) {
    const failed = failedOf(masked, slot)
    if (failed === FAILED_FOR_ALL) continue
    if (failed === 0) total += 1
    for (const facet of facets) {
      if ((failed & ~facet.setAside) !== 0) continue
      for (const value of facet.values(slot)) facet.counts[value] = (facet.counts[value] ?? 0) + 1
    }
  }
  return { total, counts }
}

const PARTS: readonly FilterPart[] = [...COUNTED, 'withdrawn', 'rejected']
const FAILED_FOR_ALL = -1

/** A bit for each part; 0 for the one that is never set aside. */
const maskOf = (parts: readonly FilterPart[]): number =>
  parts.reduce((mask, part) => mask | (part === 'always' ? 0 : 1 << PARTS.indexOf(part)), 0)

/** The parts of which the order fails a filter. */
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

function valuesOf(
  columns: Columns,
  actionability: (slot: number) => Actionability,
): Record<CountedFacet, ValuesOf> {
  const single = (
    name: 'state' | 'safety' | 'orderClass' | 'signature' | 'side',
    all: readonly string[],
  ): ValuesOf => {
    const byCode = new Map(
      all.map((value) => [(codes[name] as (v: string) => number)(value), [value]]),
    )
    return (slot) => byCode.get(columns[name][slot] ?? 0) ?? NONE
  }
  const ofMarkets = (facet: keyof typeof MARKETS_OF): ValuesOf => {
    const byId = new Map<number, readonly string[]>()
    for (const value of FACET_VALUES[facet]) {
      for (const id of MARKETS_OF[facet](value)) {
        const known = columns.protocols.find(id)
        if (known !== undefined) byId.set(known, [value])
      }
    }
    return (slot) => byId.get(columns.market[slot] ?? 0) ?? NONE
  }
  const sources = FACET_VALUES.source.map((value) => ({ value, bit: codes.source(value) }))
  return {
    state: single('state', FACET_VALUES.state),
    side: single('side', FACET_VALUES.side),
    protocol: ofMarkets('protocol'),
    group: ofMarkets('group'),
    source: (slot) => {
      const bits = columns.sources[slot] ?? 0
      return sources.filter(({ bit }) => (bits & bit) !== 0).map(({ value }) => value)
    },
    orderClass: single('orderClass', FACET_VALUES.orderClass),
    safety: single('safety', FACET_VALUES.safety),
    signature: single('signature', FACET_VALUES.signature),
    actionability: (slot) => [actionability(slot)],
  }
}
