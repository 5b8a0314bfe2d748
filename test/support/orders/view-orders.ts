import { sealChange } from '../../../src/domain/order/change-chain.ts'
import { diffOrder } from '../../../src/domain/order/order-diff.ts'
import type { OrderViews } from '../../../src/ports/views/order-views.ts'
import { LOG_SCHEMA } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'

/** Puts whole orders into views, each by the change that makes it what it is. */
export const viewsOf = (views: OrderViews) => ({
  async put(...orders: readonly OrderRecord[]): Promise<void> {
    const records = await Promise.all(orders.map((order) => changeTo(views, order)))
    await views.apply({ partition: 0, nextOffset: 0, records })
  },
})

async function changeTo(views: OrderViews, order: OrderRecord) {
  const before = await views.order(order.id)
  return sealChange({
    schema: LOG_SCHEMA,
    kind: 'transition',
    orderId: order.id,
    outpoint: order.outpoint,
    seq: (before?.order.seq ?? 0) + 1,
    fromState: before?.order.state ?? null,
    toState: order.state,
    reason: order.reason,
    actor: 'reconciler',
    observedAt: order.updatedAt,
    cause: { partition: 0, offset: 0, kind: 'evidence' },
    evidence: null,
    ...diffOrder(before?.order ?? null, order),
    prevHash: before?.order.hash ?? null,
  })
}
