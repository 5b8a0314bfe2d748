import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderState } from '../../schemas/scalars.ts'
import type { ReasonOf } from '../reasons/reasons.ts'
import { duesOf } from './due.ts'

/** States that do not depend on a bid's own outputs, whatever happens to them. */
const OVER: ReadonlySet<OrderState> = new Set(['SPENT', 'SETTLED', 'WITHDRAWN'])

const FUNDING_SPENT: ReasonOf<'REJECTED'> = 'bid_funding_spent'

/** May a bid's funding change its state, or the answer that it waits for? */
export function awaitsFunding({ kept, closedAt, state, reason, pending }: OrderRecord): boolean {
  if (kept.offer.side !== 'BID' || closedAt !== null) return false
  if (pending !== null) return true
  return state === 'REJECTED' ? reason === FUNDING_SPENT : !OVER.has(state)
}

/** Does it wait for more than news of its own output? A new owner of its partition reads it. */
export const isUnsettled = (order: OrderRecord): boolean =>
  order.pending !== null || duesOf(order).length > 0 || awaitsFunding(order)
