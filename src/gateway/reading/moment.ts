import type { ListedFilters } from '../../domain/listing/actionable.ts'
import type { OrderFilters } from '../../domain/listing/filters.ts'
import type { Moment } from '../../domain/order/order-summary.ts'
import type { Actionability } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'

/** The filters that a client asks for, whenever they are applied. */
export interface AskedFilters extends OrderFilters {
  actionability?: Actionability
}

/** Now. */
export const momentOf = ({ clock, settings }: Pick<Gateway, 'clock' | 'settings'>): Moment => ({
  now: clock.now(),
  maxAgeSeconds: settings.maxVerificationAgeSeconds,
})

/** The filters at a moment: what can be done with an order depends on it. */
export function asOf<F extends AskedFilters>(
  moment: Moment,
  { actionability, ...filters }: F,
): Omit<F, 'actionability'> & Pick<ListedFilters, 'actionability'> {
  return { ...filters, ...(actionability && { actionability: { ...moment, is: actionability } }) }
}
