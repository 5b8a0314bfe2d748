import { inscriptionClaim } from '../../../domain/assets/claimed-assets.ts'
import { signedPrice } from '../../../domain/verdict/payout.ts'
import { refusalOf } from '../../../domain/verdict/verdict.ts'
import type { OfferClaim, OrderRecord } from '../../../schemas/order-record.ts'
import type { Network, OrderId } from '../../../schemas/scalars.ts'
import type { OrderEventOf } from '../../events/order-events.ts'

/** An order made from its first wrapper: nothing about it is proved. */
export function newOrder(
  orderId: OrderId,
  network: Network,
  { claim, at }: { claim: OfferClaim; at: string },
): OrderRecord {
  const { offer, source } = claim
  return {
    id: orderId,
    network,
    outpoint: offer.outpoint,
    state: 'PENDING_NODE',
    reason: 'awaiting_verification',
    seq: 0,
    hash: null,
    kept: claim,
    claims: [],
    sources: [source],
    sourcesDropped: 0,
    notes: claim.notes,
    assets: [],
    validation: {
      checkedAt: at,
      nodeStatus: 'UNAVAILABLE',
      assetStatus: inscriptionClaim(claim) ? 'UNAVAILABLE' : 'NOT_REQUESTED',
      reasons: ['awaiting_verification'],
    },
    anchor: null,
    verifiedAt: null,
    metadataFixed: false,
    ...metadataOf(claim),
    ...termsOf(claim),
    outputBlock: null,
    indexProof: null,
    spend: null,
    attempt: 0,
    pending: null,
    closedAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** Discovery metadata: a field that an order does not have is left out, never set to undefined. */
export const metadataOf = ({ protocolId, token }: OfferClaim) => ({
  ...(protocolId === undefined ? {} : { protocolId }),
  ...(token === undefined ? {} : { token }),
})

/** The terms the signatures alone establish; none for a wrapper that the inspection refused. */
function termsOf({ inspection, offer }: OfferClaim) {
  if (refusalOf(inspection) !== null) return {}
  const price = signedPrice(offer, null)
  return { side: offer.side, ...(price === null ? {} : { quotedPriceSats: price }) }
}

/** A wrapper is refused by its inspection alone: no authority is asked. */
export function refuseWrapper(order: OrderRecord): OrderRecord {
  const { inspection } = order.kept
  const reason = refusalOf(inspection)
  if (reason === null) return order
  const reasons = inspection.reasons.length > 0 ? [...inspection.reasons] : [reason]
  return { ...order, reason, validation: { ...order.validation, reasons } }
}

/** The order in a state it had before it was logged; its pending question is unchanged. */
export function recall(order: OrderRecord, { reason, at }: OrderEventOf<'RECALL'>): OrderRecord {
  const validation = { ...order.validation, checkedAt: at, reasons: [reason] }
  return { ...order, reason, validation, updatedAt: at }
}
