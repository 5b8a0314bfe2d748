import type { ReasonOf } from '../../domain/reasons.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Moment, OrderEventOf } from '../order-events.ts'

const MADE_ROOM: ReasonOf<'REJECTED'> & ReasonOf<'WITHDRAWN'> = 'made_room'

/** The seller's or an operator's word. */
export function withdraw(
  order: OrderRecord,
  { at, by, reason: given }: OrderEventOf<'WITHDRAW'>,
): OrderRecord {
  const reason: ReasonOf<'WITHDRAWN'> = `withdrawn_by_${by}`
  const withdrawal = { withdrawnAt: at, ...(given === undefined ? {} : { reason: given }) }
  return { ...order, reason, withdrawal, updatedAt: at }
}

/** What its owner signed gives way to what was signed later: it is not for sale any more. */
export function giveWay(order: OrderRecord, { at }: Moment): OrderRecord {
  const withdrawal = { withdrawnAt: at, reason: 'room was made for a newer order of the output' }
  return closeForRoom({ ...order, reason: MADE_ROOM, withdrawal, updatedAt: at }, { at })
}

/** Nobody judged it, and nobody will: it may be imported again. */
export function refuseForRoom(order: OrderRecord, { at }: Moment): OrderRecord {
  const validation = { ...order.validation, reasons: [MADE_ROOM] }
  return closeForRoom({ ...order, reason: MADE_ROOM, validation, updatedAt: at }, { at })
}

/** Closed whatever question is out: its answer is of an attempt that nobody waits for any more. */
export const closeForRoom = (order: OrderRecord, { at }: Pick<Moment, 'at'>): OrderRecord => ({
  ...order,
  pending: null,
  closedAt: at,
})

/** Nothing is expected to happen to it any more. */
export const close = (order: OrderRecord, { at }: Moment): OrderRecord => ({
  ...order,
  closedAt: at,
})
