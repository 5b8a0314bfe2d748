import { capabilityOf } from '../domain/catalog.ts'
import { toSummary } from '../domain/order-summary.ts'
import type { StoredOrder } from '../ports/order-views.ts'
import type { OrderSummary } from '../schemas/order.ts'
import type { Gateway } from './gateway.ts'

/** The order as it is shown now: freshness and confirmations are those of this moment. */
export const summarise = ({ clock, settings }: Gateway, order: StoredOrder): OrderSummary =>
  toSummary(order, {
    now: clock.now(),
    maxAgeSeconds: settings.maxVerificationAgeSeconds,
    capabilityOf,
  })
