import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'

/** The metadata of a publish outranks that of imports, once (ADR 20). */
export const outranksKept = ({ kept }: Pick<OrderRecord, 'kept'>, claim: OfferClaim): boolean =>
  claim.published === true && kept.published !== true

/**
 * The wrappers that a question covers, the kept one first. Once a wrapper's metadata was part of
 * a LIVE verdict, no other is considered except the first publish.
 */
export const competingClaims = (
  order: Pick<OrderRecord, 'kept' | 'claims' | 'metadataFixed'>,
  asked: number,
): OfferClaim[] => [
  order.kept,
  ...order.claims
    .slice(0, asked)
    .filter((claim) => !order.metadataFixed || outranksKept(order, claim)),
]
