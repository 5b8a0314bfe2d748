import {
  Actionability,
  OrderClass,
  OrderSide,
  OrderState,
  Safety,
  SignatureStatus,
  Source,
} from '../../schemas/scalars.ts'
import { CATALOG, groupIds, marketIds } from '../catalog/catalog.ts'

/** What the orders of a list are counted by. */
export const COUNTED = [
  'state',
  'side',
  'protocol',
  'group',
  'source',
  'orderClass',
  'safety',
  'signature',
  'actionability',
] as const
export type CountedFacet = (typeof COUNTED)[number]

/** The values of each facet: a fixed set, so that an answer always has the same size. */
export const FACET_VALUES = {
  state: OrderState.options,
  side: OrderSide.options,
  protocol: CATALOG.filter(({ aliasOf }) => aliasOf === undefined).map(({ id }) => id),
  group: [...new Set(CATALOG.map(({ groupId }) => groupId))],
  source: Source.options,
  orderClass: OrderClass.options,
  safety: Safety.options,
  signature: SignatureStatus.options,
  actionability: Actionability.options,
} as const satisfies Record<CountedFacet, readonly string[]>

/** The ids under which the orders of a counted market, or group of markets, are listed. */
export const MARKETS_OF = {
  protocol: marketIds,
  group: groupIds,
} as const satisfies Partial<Record<CountedFacet, (value: string) => readonly string[]>>

/**
 * The facet in whose counts a filter is set aside; `always`: in none. The count of a value is of
 * the orders of the list with that value, without the facet's own filter. What a list leaves out
 * (`statesLeftOut`) is in no count.
 */
export type FilterPart = CountedFacet | 'always'

export interface FacetCounts {
  /** The orders that pass all filters. */
  total: number
  /** By the facet, then by its value; each value of `FACET_VALUES` is there. */
  counts: Readonly<Record<CountedFacet, Readonly<Record<string, number>>>>
}

/** No order counted yet. */
export const noCounts = (): Record<CountedFacet, Record<string, number>> =>
  Object.fromEntries(
    COUNTED.map((facet) => [
      facet,
      Object.fromEntries(FACET_VALUES[facet].map((value) => [value, 0])),
    ]),
  ) as Record<CountedFacet, Record<string, number>>
