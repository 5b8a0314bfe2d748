import { outpointText } from '../../domain/outpoint.ts'
import { mayPass, refusalOf } from '../../domain/verdict.ts'
import type { AssetClaim, SourceEvidence } from '../../schemas/order.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import { outranksKept } from '../competing-claims.ts'
import { labelsGiven } from '../labels.ts'
import type { OrderEventOf } from '../order-events.ts'

/** Sources kept with an order; the rest are counted (design: Bounds). */
export const MAX_SOURCES = 32
/** Wrappers of one authorisation that may wait to be judged. */
export const MAX_CLAIMS = 8

const assetKey = (asset: AssetClaim | undefined) =>
  asset && [asset.inscriptionId, outpointText(asset.outpoint)]

const sourceKey = (source: SourceEvidence): string =>
  JSON.stringify([
    source.source,
    source.sourceId,
    source.eventId,
    source.claimedPriceSats,
    assetKey(source.claimedAsset),
  ])

const claimKey = ({ inspection, protocolId, token, source, published }: OfferClaim): string =>
  JSON.stringify([inspection.digest, protocolId, token, assetKey(source.claimedAsset), published])

const isKnown = ({ kept, claims }: OrderRecord, claim: OfferClaim): boolean =>
  [kept, ...claims].some((known) => claimKey(known) === claimKey(claim))

/**
 * Is an import of this order decided without a question? Nobody moves an order whose metadata was
 * once part of a LIVE verdict, but its first publish, and who gives a LIVE one a label that it lacks;
 * what the inspection refused stays refused; what was judged stays judged.
 */
export function isDecided(order: OrderRecord, claim: OfferClaim): boolean {
  const isLabel = order.state === 'LIVE' && labelsGiven(order.kept, claim) !== null
  if (order.metadataFixed && !outranksKept(order, claim)) return !isLabel
  if (refusalOf(order.kept.inspection) !== null) return true
  if (order.closedAt !== null && order.state !== 'REJECTED') return true
  const isJudged = isKnown(order, claim) && order.pending === null
  return isJudged && order.state !== 'PENDING_NODE' && !mayPass(order)
}

export const hasTooManyClaims = (order: OrderRecord, claim: OfferClaim): boolean =>
  order.claims.length >= MAX_CLAIMS && !isKnown(order, claim)

export function noteSource(order: OrderRecord, { claim, at }: OrderEventOf<'IMPORT'>): OrderRecord {
  const known = new Set(order.sources.map(sourceKey))
  const notes = [...new Set([...order.notes, ...claim.notes])]
  if (known.has(sourceKey(claim.source))) return { ...order, notes }
  if (order.sources.length >= MAX_SOURCES) {
    return { ...order, notes, sourcesDropped: order.sourcesDropped + 1 }
  }
  return { ...order, notes, sources: [...order.sources, claim.source], updatedAt: at }
}

/** A wrapper joins those to be judged; an order that was closed is open again. */
export function addClaim(order: OrderRecord, { claim }: OrderEventOf<'IMPORT'>): OrderRecord {
  const claims = isKnown(order, claim) ? order.claims : [...order.claims, claim]
  return { ...order, claims, closedAt: null }
}
