import { capabilityOf } from '../domain/catalog.ts'
import { toSummary } from '../domain/order-summary.ts'
import type { StoredOrder } from '../ports/order-views.ts'
import type { OrderSummary, VerificationView } from '../schemas/order.ts'
import type { Gateway } from './gateway.ts'

/** The order as it is shown at this moment, and how fresh its verification is. */
export const summarise = (
  { clock, settings }: Gateway,
  order: StoredOrder,
): { summary: OrderSummary; verification: VerificationView } =>
  toSummary(order, {
    now: clock.now(),
    maxAgeSeconds: settings.maxVerificationAgeSeconds,
    capabilityOf,
  })
