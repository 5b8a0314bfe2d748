import type { ChangeRecord } from '../../schemas/log.ts'
import { OrderRecord } from '../../schemas/order-record.ts'

/** How a change relates to an order: the next one, one already applied, or beyond a gap. */
export function placeOf(
  order: Pick<OrderRecord, 'seq'> | null,
  { seq }: ChangeRecord,
): 'next' | 'known' | 'gap' {
  const expected = (order?.seq ?? 0) + 1
  return seq === expected ? 'next' : seq < expected ? 'known' : 'gap'
}

/**
 * The order after a change: the fields of `set` replaced, the fields of `unset` removed. Pure;
 * shared by views, audit and simulation. Throws if the change is not the order's next one.
 */
export const foldOrder = (order: OrderRecord | null, change: ChangeRecord): OrderRecord =>
  foldChanges(order, [change])

/** The order after these changes, checked once: after the last of them. Throws as `foldOrder` does. */
export function foldChanges(
  order: OrderRecord | null,
  changes: readonly [ChangeRecord, ...ChangeRecord[]],
): OrderRecord {
  let seq = order?.seq ?? 0
  let whole: object = { ...order }
  for (const change of changes) {
    const place = placeOf({ seq }, change)
    if (place !== 'next')
      throw new Error(`order ${change.orderId}: change ${change.seq} is ${place} at seq ${seq}`)
    seq = change.seq
    whole = without({ ...whole, ...change.set, seq, hash: change.hash }, change.unset)
  }
  return OrderRecord.parse(whole)
}

const without = (fields: object, names: readonly string[]): object =>
  names.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
