import type { Actionability } from '../../schemas/scalars.ts'
import { capabilityOf } from '../catalog/catalog.ts'
import type { Continuity } from '../order/continuity.ts'
import {
  actionabilityAt,
  CLOCK_SKEW_MS,
  type FreshnessTerms,
  type ObservedOrder,
} from '../order/order-summary.ts'
import { isListed, type OrderFilters } from './filters.ts'

/** The filters of a list at one moment: what can be done with an order depends on it. */
export interface ListedFilters extends OrderFilters {
  /** Orders that are shown with this at that moment. */
  actionability?: ActionableFilter
}

export interface ActionableFilter extends FreshnessTerms {
  is: Actionability
}

/** Whether a list with these filters contains the order, with its partition's progress since. */
export const isListedAt = (observed: ObservedOrder, filters: ListedFilters): boolean =>
  isListed(observed.order, filters) && isActionable(observed, filters.actionability)

export const isActionable = (
  observed: ObservedOrder,
  wanted: ActionableFilter | undefined,
): boolean =>
  wanted === undefined || actionabilityAt(observed, { ...wanted, capabilityOf }) === wanted.is

/** Is a verification of this time fresh, by age alone? Unix milliseconds. */
export function freshAt({ now, maxAgeSeconds }: FreshnessTerms): (time: number) => boolean {
  const from = now - maxAgeSeconds * 1_000
  const until = now + CLOCK_SKEW_MS
  return (time) => time >= from && time <= until
}

/**
 * Whether a partition's last watermark renews its orders at that moment: those `heldUnder` a
 * watermark of the same unbroken run.
 */
export const vouchesAt = (partition: ObservedOrder['freshness'], moment: FreshnessTerms): boolean =>
  partition?.watermark.covers === true && freshAt(moment)(Date.parse(partition.watermark.at))

/** Above every id: all asks have regained continuity. */
const LAST_ID = 'f'.repeat(64)

/** Does every ask of the partition have continuity, whenever it was verified? */
export const isRenewedWhole = ({ renewedUpTo = '' }: Continuity): boolean => renewedUpTo === LAST_ID

/** Is this order's continuity regained? */
export const isRenewed = ({ renewedUpTo = '' }: Continuity, id: string): boolean =>
  id <= renewedUpTo
