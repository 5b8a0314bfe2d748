import { capabilityOf } from '../../domain/catalog/catalog.ts'
import type { ListedFilters } from '../../domain/listing/actionable.ts'
import type { OrderFilters } from '../../domain/listing/filters.ts'
import { type FreshnessTerms, toSummary } from '../../domain/order/order-summary.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { OrderSummary, VerificationView } from '../../schemas/order.ts'
import type { Actionability } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'

/** The order as shown at a moment, now if none is given, and how fresh its verification is. */
export const summarise = (
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  order: StoredOrder,
  moment: FreshnessTerms = freshnessTerms(gateway),
): { summary: OrderSummary; verification: VerificationView } =>
  toSummary(order, { ...moment, capabilityOf })

/** The summary for an operator: the text of a hidden order is not withheld. */
export const summariseWhole = (
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  order: StoredOrder,
): OrderSummary =>
  toSummary(order, { ...freshnessTerms(gateway), capabilityOf, showsHidden: true }).summary

/** The filters that a client requests, before they are applied at a moment. */
export interface AskedFilters extends OrderFilters {
  actionability?: Actionability
}

/** The terms of freshness now. */
export const freshnessTerms = ({
  clock,
  settings,
}: Pick<Gateway, 'clock' | 'settings'>): FreshnessTerms => ({
  now: clock.now(),
  maxAgeSeconds: settings.maxVerificationAgeSeconds,
})

/** The filters at a moment: what can be done with an order depends on it. */
export function asOf<F extends AskedFilters>(
  moment: FreshnessTerms,
  { actionability, ...filters }: F,
): Omit<F, 'actionability'> & Pick<ListedFilters, 'actionability'> {
  return { ...filters, ...(actionability && { actionability: { ...moment, is: actionability } }) }
}
