import { type InscriptionClaim, inscriptionClaim } from '../../../domain/assets/claimed-assets.ts'
import { outpointText } from '../../../domain/chain/outpoint.ts'
import { claimBytes, MAX_CLAIMS_BYTES } from '../../../domain/limits.ts'
import { isProved } from '../../../domain/order/proved.ts'
import { mayPass, refusalOf } from '../../../domain/verdict/verdict.ts'
import type { SourceEvidence } from '../../../schemas/order.ts'
import type { OfferClaim, OrderRecord } from '../../../schemas/order-record.ts'
import { outranksKept } from '../../events/competing-claims.ts'
import { labelsGiven } from '../../events/labels.ts'
import type { OrderEventOf } from '../../events/order-events.ts'

/** Sources kept with an order; the rest are counted (docs/design/strangers.md#bounds). */
export const MAX_SOURCES = 32
/** The count stops here: each source is a log record, and anyone can name as many as they like. */
const MAX_COUNTED = 100
/** Wrappers of one authorisation that may wait to be judged. */
export const MAX_CLAIMS = 8

const assetKey = (asset: InscriptionClaim | undefined) =>
  asset &&
  ('outpoint' in asset
    ? [asset.inscriptionId, outpointText(asset.outpoint)]
    : [asset.inscriptionId, asset.txid])

const sourceKey = (source: SourceEvidence): string =>
  JSON.stringify([
    source.source,
    source.sourceId,
    source.eventId,
    source.claimedPriceSats,
    assetKey(source.claimedAsset),
  ])

const claimKey = (claim: OfferClaim): string => {
  const { inspection, protocolId, token, published } = claim
  const asset = assetKey(inscriptionClaim(claim))
  return JSON.stringify([inspection.digest, protocolId, token, asset, published])
}

const isAmong = (known: readonly OfferClaim[], claim: OfferClaim): boolean =>
  known.some((one) => claimKey(one) === claimKey(claim))

const isKnown = ({ kept, claims }: OrderRecord, claim: OfferClaim): boolean =>
  isAmong([kept, ...claims], claim)

/** Is the wrapper among those that wait to be judged? */
export const isWaiting = ({ claims }: OrderRecord, claim: OfferClaim): boolean =>
  isAmong(claims, claim)

/**
 * Is an import of this order decided without a question? Once an order's metadata was part of a
 * LIVE verdict, only its first publish changes it, or an import that gives a LIVE order a label it
 * lacks; what the inspection refused stays refused; what was judged stays judged. An order closed
 * without a proof is treated as if it had never been imported. The kept wrapper may be refused for
 * what was proved of its signature: another one of the same ask is judged all the same.
 */
export function isDecided(order: OrderRecord, claim: OfferClaim): boolean {
  const isLabel = order.state === 'LIVE' && labelsGiven(order.kept, claim) !== null
  if (order.metadataFixed && !outranksKept(order, claim)) return !isLabel
  if (refusalOf(claim.inspection) !== null) return true
  if (order.closedAt !== null) return isProved(order) && order.state !== 'REJECTED'
  const isJudged = isKnown(order, claim) && order.pending === null
  return isJudged && order.state !== 'PENDING_NODE' && !mayPass(order)
}

export const hasTooManyClaims = (order: OrderRecord, claim: OfferClaim): boolean =>
  !isKnown(order, claim) && claimsWith(order.claims, claim) === null

/**
 * The waiting wrappers with this one added; null if there is no room for it. The largest makes room
 * for a smaller one, since what a seller needs to sell is small; any makes room for a publish,
 * whose signature the gateway has verified.
 */
function claimsWith(claims: readonly OfferClaim[], claim: OfferClaim): OfferClaim[] | null {
  const fattestFirst = [claim, ...claims]
    .filter(({ published }) => !published)
    .map((waiting) => ({ waiting, bytes: claimBytes(waiting) }))
    .sort((a, b) => b.bytes - a.bytes)
  let bytes = [...claims, claim].reduce((sum, waiting) => sum + claimBytes(waiting), 0)
  const gone = new Set<OfferClaim>()
  while (bytes > MAX_CLAIMS_BYTES || claims.length + 1 - gone.size > MAX_CLAIMS) {
    const isFull = bytes <= MAX_CLAIMS_BYTES && !claim.published
    const fattest = fattestFirst.shift()
    if (isFull || !fattest || fattest.waiting === claim) return null
    gone.add(fattest.waiting)
    bytes -= fattest.bytes
  }
  return [...claims, claim].filter((waiting) => !gone.has(waiting))
}

export function noteSource(order: OrderRecord, { claim, at }: OrderEventOf<'IMPORT'>): OrderRecord {
  const known = new Set(order.sources.map(sourceKey))
  const notes = [...new Set([...order.notes, ...claim.notes])]
  if (known.has(sourceKey(claim.source))) return { ...order, notes }
  if (order.sources.length >= MAX_SOURCES) {
    const sourcesDropped = Math.min(order.sourcesDropped + 1, MAX_COUNTED)
    return { ...order, notes, sourcesDropped }
  }
  return { ...order, notes, sources: [...order.sources, claim.source], updatedAt: at }
}

/** The order with the sources that reported it earlier, up to the number kept. */
export function withSources(order: OrderRecord, earlier: readonly SourceEvidence[]): OrderRecord {
  const all = new Map([...earlier, ...order.sources].map((one) => [sourceKey(one), one]))
  const sources = [...all.values()]
  const sourcesDropped = order.sourcesDropped + Math.max(0, sources.length - MAX_SOURCES)
  return { ...order, sources: sources.slice(0, MAX_SOURCES), sourcesDropped }
}

/** Adds a wrapper to those to be judged; a closed order is opened again. */
export function addClaim(order: OrderRecord, { claim }: OrderEventOf<'IMPORT'>): OrderRecord {
  const reopened =
    order.closedAt === null ? {} : { sources: withLatest(order, claim.source), closedAt: null }
  const known = isKnown(order, claim) ? null : claimsWith(order.claims, claim)
  if (known === null) return { ...order, ...reopened }
  const { pending } = order
  const asked = order.claims.slice(0, pending?.asked).filter((waiting) => known.includes(waiting))
  return {
    ...order,
    ...reopened,
    claims: known,
    pending: pending && { ...pending, asked: asked.length },
  }
}

/** It was imported again: its time counts from the latest import. */
function withLatest({ sources }: OrderRecord, latest: SourceEvidence): SourceEvidence[] {
  const others = sources.filter((source) => sourceKey(source) !== sourceKey(latest))
  return [...others.slice(0, MAX_SOURCES - 1), latest]
}
