import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { type Dice, dice, orderOf } from '../../../test/support/orders/order-book.ts'

/** The same orders on each call: LIVE, settled by a block, with nothing pending. */
export function* liveOrders(orders: number): Generator<OrderRecord> {
  const roll: Dice = dice(1)
  for (let index = 0; index < orders; index += 1) {
    const order = orderOf(roll, index)
    // Spends change nothing for an order that its inspection refused.
    const { inspection } = order.kept
    const orderClass = 'ASK_ANYONECANPAY' as const
    const asked = { ...inspection, orderClass, signatureStatus: 'VALID' as const, reasons: [] }
    yield {
      ...order,
      kept: { ...order.kept, inspection: asked },
      side: 'ASK',
      state: 'LIVE',
      pending: null,
      spend: null,
      closedAt: null,
    }
  }
}
