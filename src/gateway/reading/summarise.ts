import { capabilityOf } from '../../domain/catalog/catalog.ts'
import { type Moment, toSummary } from '../../domain/order/order-summary.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { OrderSummary, VerificationView } from '../../schemas/order.ts'
import type { Gateway } from '../gateway.ts'
import { momentOf } from './moment.ts'

/** The order as shown at a moment, now if none is given, and how fresh its verification is. */
export const summarise = (
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  order: StoredOrder,
  moment: Moment = momentOf(gateway),
): { summary: OrderSummary; verification: VerificationView } =>
  toSummary(order, { ...moment, capabilityOf })

/** The same for an operator: the text of a hidden order is not withheld. */
export const summariseWhole = (gateway: Gateway, order: StoredOrder): OrderSummary =>
  toSummary(order, { ...momentOf(gateway), capabilityOf, showsHidden: true }).summary
