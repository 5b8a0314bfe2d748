import type { OfferQuestion } from '../../authorities/offer-question.ts'
import { LANES, type Lane } from '../../runtime/lanes.ts'
import type { OfferClaim, OrderRecord, PendingCheck } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { competingClaims } from './competing-claims.ts'

/** "Verify this order": returned by a step, carried out by the host. */
export interface Question extends OfferQuestion {
  orderId: OrderId
  attempt: number
  lane: Lane
}

export function questionOf(order: OrderRecord): Question {
  if (!order.pending) throw new Error(`order ${order.id} has no pending question`)
  const { attempt, begunAt, mempoolSequence, purpose, asked } = order.pending
  const { spend, outputBlock } = order
  const claims = competingClaims(order, asked)
  return {
    orderId: order.id,
    outpoint: order.outpoint,
    attempt,
    begunAt,
    mempoolSequence,
    claims,
    known: { spend, outputBlock },
    lane: laneOf(order, claims, purpose),
  }
}

/** An order proved by its owner, or verified by a gateway, never waits for what strangers send. */
function laneOf(
  { state, kept }: OrderRecord,
  claims: readonly OfferClaim[],
  purpose: PendingCheck['purpose'],
): Lane {
  const isProved = state === 'LIVE' || kept.inspection.signatureStatus === 'VALID'
  if (isProved || claims.some(({ published }) => published)) return LANES.first
  return purpose === 'import' || purpose === 'request' ? LANES.judgement : LANES.later
}
