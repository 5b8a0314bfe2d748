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
 * The order after a change: the fields of `set` replaced, the fields of `unset` removed. Pure, and
 * checked in full; shared by audit, disputes and simulation. Throws if the change is not the order's next one.
 */
export const foldOrder = (order: OrderRecord | null, change: ChangeRecord): OrderRecord =>
  OrderRecord.parse(folded(order, [change]))

/**
 * The order after these changes, all of them parsed before: fields that are valid each make a valid
 * order if none is missing. Throws as `foldOrder` does.
 */
export function foldChanges(
  order: OrderRecord | null,
  changes: readonly [ChangeRecord, ...ChangeRecord[]],
): OrderRecord {
  const whole = folded(order, changes)
  const isWhole = REQUIRED.every((name) => whole[name] !== undefined)
  return isWhole ? (inOrder(whole) as OrderRecord) : OrderRecord.parse(whole)
}

const NAMES = Object.keys(OrderRecord.shape) as (keyof OrderRecord)[]
const REQUIRED = NAMES.filter((name) => OrderRecord.shape[name].type !== 'optional')

/** The fields in the order of the schema, so that the same order has the same text. */
const inOrder = (whole: Partial<OrderRecord>): Partial<OrderRecord> =>
  Object.fromEntries(NAMES.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])))

function folded(
  order: OrderRecord | null,
  changes: readonly [ChangeRecord, ...ChangeRecord[]],
): Partial<OrderRecord> {
  let seq = order?.seq ?? 0
  const whole: Partial<OrderRecord> & Record<string, unknown> = { ...order }
  for (const change of changes) {
    const place = placeOf({ seq }, change)
    if (place !== 'next')
      throw new Error(`order ${change.orderId}: change ${change.seq} is ${place} at seq ${seq}`)
    seq = change.seq
    Object.assign(whole, change.set, { seq, hash: change.hash })
    for (const name of change.unset) delete whole[name]
  }
  return whole
}
