import type { WatermarkRef } from '../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import { competingClaims } from './competing-claims.ts'

/** "Verify this order": what a step returns and the host has done outside it. */
export interface Question {
  orderId: string
  outpoint: string
  attempt: number
  begunAt: WatermarkRef | null
  mempoolSequence: number | null
  /** The wrappers to be judged, the kept one first. */
  claims: readonly OfferClaim[]
  /** What the order's own log says of the output: one more means to know that it was there. */
  known: Pick<OrderRecord, 'spend' | 'outputBlock'>
  isUrgent: boolean
}

export function questionOf(order: OrderRecord): Question {
  if (!order.pending) throw new Error(`order ${order.id} has no question out`)
  const { attempt, begunAt, mempoolSequence, purpose, asked } = order.pending
  const { spend, outputBlock } = order
  return {
    orderId: order.id,
    outpoint: order.outpoint,
    attempt,
    begunAt,
    mempoolSequence,
    claims: competingClaims(order, asked),
    known: { spend, outputBlock },
    isUrgent: purpose === 'import' || purpose === 'request',
  }
}
