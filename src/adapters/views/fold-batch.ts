import { grouped } from '../../domain/grouped.ts'
import { breakOf, type ChainEnd } from '../../domain/order/change-chain.ts'
import { foldChanges, placeOf } from '../../domain/order/fold-order.ts'
import { ChainBreakError } from '../../ports/log/chain-break.ts'
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

/**
 * An order after the changes that it lacks; null if it has all. Throws `ViewGapError`, and
 * `ChainBreakError` for a change that does not follow the order's last one.
 */
export function foldNew(
  order: OrderRecord | null,
  changes: readonly ChangeRecord[],
): OrderRecord | null {
  let end: ChainEnd = order
  const [first, ...others] = changes.filter((change) => {
    const last: ChainEnd = end
    const place = placeOf(last, change)
    if (place === 'gap') throw new ViewGapError(change.orderId, last?.seq ?? 0, change.seq)
    const why = breakOf(last, change)
    if (why) throw new ChainBreakError(change, why)
    if (place === 'next') end = change
    return place === 'next'
  })
  return first ? foldChanges(order, [first, ...others]) : null
}
