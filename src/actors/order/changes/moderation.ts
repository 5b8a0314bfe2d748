import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { OrderEventOf } from '../../events/order-events.ts'

/** An operator hides the order; its state is still verified. */
export function hide(order: OrderRecord, { at, reason }: OrderEventOf<'HIDE'>): OrderRecord {
  if (order.hidden) return order
  const hidden = { hiddenAt: at, ...(reason === undefined ? {} : { reason }) }
  return { ...order, hidden, updatedAt: at }
}

/** An operator shows it again. */
export function unhide(order: OrderRecord, { at }: OrderEventOf<'UNHIDE'>): OrderRecord {
  const { hidden, ...shown } = order
  return hidden ? { ...shown, updatedAt: at } : order
}
