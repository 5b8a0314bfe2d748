import { grouped } from '../../domain/grouped.ts'
import { foldChanges, placeOf } from '../../domain/order/fold-order.ts'
import { ViewGapError } from '../../ports/views/order-views.ts'
import type { ChangeRecord, LifecycleRecord } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** The changes of each order, in the order of the log. */
export function changesByOrder(
  records: readonly LifecycleRecord[],
): ReadonlyMap<OrderId, readonly ChangeRecord[]> {
  const changes = records.filter((record) => record.kind !== 'outcome')
  return grouped(changes, ({ orderId }) => orderId)
}

/** An order after the changes that it lacks; null if it has all. Throws `ViewGapError`. */
export function foldNew(
  order: OrderRecord | null,
  changes: readonly ChangeRecord[],
): OrderRecord | null {
  let at = order?.seq ?? 0
  const [first, ...others] = changes.filter((change) => {
    const place = placeOf({ seq: at }, change)
    if (place === 'gap') throw new ViewGapError(change.orderId, at, change.seq)
    if (place === 'next') at = change.seq
    return place === 'next'
  })
  return first ? foldChanges(order, [first, ...others]) : null
}
