import type { ReasonOf } from '../../../domain/reasons/reasons.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { Moment, OrderEventOf } from '../../events/order-events.ts'

const MADE_ROOM: ReasonOf<'REJECTED'> & ReasonOf<'WITHDRAWN'> = 'made_room'

/** Withdrawn by the seller or an operator. */
export function withdraw(
  order: OrderRecord,
  { at, by, reason: given }: OrderEventOf<'WITHDRAW'>,
): OrderRecord {
  const reason: ReasonOf<'WITHDRAWN'> = `withdrawn_by_${by}`
  const withdrawal = { withdrawnAt: at, ...(given === undefined ? {} : { reason: given }) }
  return { ...order, reason, withdrawal, updatedAt: at }
}

/** A proved order is closed in favour of newer orders of its output: it is no longer for sale. */
export function giveWay(order: OrderRecord, { at }: Moment): OrderRecord {
  const withdrawal = { withdrawnAt: at, reason: 'room was made for a newer order of the output' }
  return closeForRoom({ ...order, reason: MADE_ROOM, withdrawal, updatedAt: at }, { at })
}

/** It was never judged and never will be: it may be imported again. */
export function refuseForRoom(order: OrderRecord, { at }: Moment): OrderRecord {
  const validation = { ...order.validation, reasons: [MADE_ROOM] }
  return closeForRoom({ ...order, reason: MADE_ROOM, validation, updatedAt: at }, { at })
}

/**
 * Closed even with a question pending: the answer will name an attempt that is no longer awaited.
 */
export const closeForRoom = (order: OrderRecord, { at }: Pick<Moment, 'at'>): OrderRecord => ({
  ...order,
  pending: null,
  closedAt: at,
})

/** Nothing more is expected to happen to it. */
export const close = (order: OrderRecord, { at }: Moment): OrderRecord => ({
  ...order,
  closedAt: at,
})
