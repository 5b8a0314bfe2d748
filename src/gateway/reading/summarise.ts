import { capabilityOf } from '../../domain/catalog/catalog.ts'
import { toSummary } from '../../domain/order/order-summary.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { OrderSummary, VerificationView } from '../../schemas/order.ts'
import type { Gateway } from '../gateway.ts'

/** The order as shown at this moment, and how fresh its verification is. */
export const summarise = (
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  order: StoredOrder,
): { summary: OrderSummary; verification: VerificationView } => toSummary(order, termsOf(gateway))

/** The same for an operator: the text of a hidden order is not withheld. */
export const summariseWhole = (gateway: Gateway, order: StoredOrder): OrderSummary =>
  toSummary(order, { ...termsOf(gateway), showsHidden: true }).summary

const termsOf = ({ clock, settings }: Pick<Gateway, 'clock' | 'settings'>) => ({
  now: clock.now(),
  maxAgeSeconds: settings.maxVerificationAgeSeconds,
  capabilityOf,
})
