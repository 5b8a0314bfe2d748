import type { ChangeRecord } from '../../schemas/log.ts'
import { OrderRecord } from '../../schemas/order-record.ts'

/** How a change relates to an order: the next one, one already applied, or beyond a gap. */
export function placeOf(
  order: OrderRecord | null,
  { seq }: ChangeRecord,
): 'next' | 'known' | 'gap' {
  const expected = (order?.seq ?? 0) + 1
  return seq === expected ? 'next' : seq < expected ? 'known' : 'gap'
}

/**
 * The order after a change: the fields of `set` replaced, those of `unset` removed. Pure; shared by
 * views, audit and simulation. Throws if the change is not the order's next one.
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
