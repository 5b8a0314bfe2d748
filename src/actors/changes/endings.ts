import type { ReasonOf } from '../../domain/reasons.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Moment, OrderEventOf } from '../order-events.ts'

/** The seller's or an operator's word. */
export function withdraw(
  order: OrderRecord,
  { at, by, reason: given }: OrderEventOf<'WITHDRAW'>,
): OrderRecord {
  const reason: ReasonOf<'WITHDRAWN'> = `withdrawn_by_${by}`
  const withdrawal = { withdrawnAt: at, ...(given === undefined ? {} : { reason: given }) }
  return { ...order, reason, withdrawal, updatedAt: at }
}

/** Nothing is expected to happen to it any more. */
export const close = (order: OrderRecord, { at }: Moment): OrderRecord => ({
  ...order,
  closedAt: at,
})
