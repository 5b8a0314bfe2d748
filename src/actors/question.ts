import type { WatermarkRef } from '../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'

/** "Verify this order": what a step returns and the host has done outside it. */
export interface Question {
  orderId: string
  outpoint: string
  attempt: number
  begunAt: WatermarkRef | null
  mempoolSequence: number | null
  /** The wrappers to be judged, the kept one first. */
  claims: readonly OfferClaim[]
  knownSpend: OrderRecord['spend']
  isUrgent: boolean
}

export function questionOf(order: OrderRecord): Question {
  if (!order.pending) throw new Error(`order ${order.id} has no question out`)
  const { attempt, begunAt, mempoolSequence, purpose } = order.pending
  return {
    orderId: order.id,
    outpoint: order.outpoint,
    attempt,
    begunAt,
    mempoolSequence,
    claims: order.metadataFixed ? [order.kept] : [order.kept, ...order.claims],
    knownSpend: order.spend,
    isUrgent: purpose === 'import' || purpose === 'request',
  }
}
