import type { ChangeRecord } from '../schemas/log.ts'
import { OrderRecord } from '../schemas/order-record.ts'

/** How a change stands to an order: the next one, one that the order has already, or beyond a gap. */
export function placeOf(
  order: OrderRecord | null,
  { seq }: ChangeRecord,
): 'next' | 'known' | 'gap' {
  const expected = (order?.seq ?? 0) + 1
  return seq === expected ? 'next' : seq < expected ? 'known' : 'gap'
}

/**
 * The order after a change: the fields of `set` replaced, those of `unset` gone. Pure; the same for
 * views, audit and simulation. Throws when the change is not the order's next one.
 */
export function foldOrder(order: OrderRecord | null, change: ChangeRecord): OrderRecord {
  const { orderId, seq, hash, set, unset } = change
  const place = placeOf(order, change)
  if (place !== 'next') {
    throw new Error(`order ${orderId}: change ${seq} is ${place} at seq ${order?.seq ?? 0}`)
  }
  const whole = { ...order, ...set, seq, hash }
  if (unset.length === 0) return OrderRecord.parse(whole)
  const fields = Object.entries(whole)
  return OrderRecord.parse(Object.fromEntries(fields.filter(([name]) => !unset.includes(name))))
}
