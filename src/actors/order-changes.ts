import { isExactPayout, signedPrice } from '../domain/payout.ts'
import type { Evidence, Spend } from '../schemas/evidence.ts'
import type { SourceEvidence } from '../schemas/order.ts'
import type { Anchor, OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import type { Moment, OrderEventOf } from './order-events.ts'

/** Sources kept with an order; the rest are counted (design: Bounds). */
export const MAX_SOURCES = 32
/** Wrappers of one authorisation that may wait to be judged. */
export const MAX_CLAIMS = 8

// Each function below is the change of an order by one kind of event: pure, and all that the
// machine's actions do. A field that an order no longer has is left out, never set to undefined.

export function newOrder(
  orderId: string,
  network: Network,
  { claim, at }: { claim: OfferClaim; at: string },
): OrderRecord {
  const { inspection, offer, source } = claim
  const price = signedPrice(offer, null)
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
      assetStatus: source.claimedAsset ? 'UNAVAILABLE' : 'NOT_REQUESTED',
      reasons: ['awaiting_verification'],
    },
    anchor: null,
    verifiedAt: null,
    metadataFixed: false,
    ...metadataOf(claim),
    ...(inspection.orderClass === 'UNSUPPORTED' ? {} : { side: offer.side }),
    ...(price === null ? {} : { quotedPriceSats: price }),
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

/** An unsupported wrapper is refused by what it is: no authority is asked. */
export const refuseUnsupported = (order: OrderRecord): OrderRecord => {
  const reasons = order.kept.inspection.reasons
  return {
    ...order,
    reason: reasons[0] ?? 'unsupported',
    validation: { ...order.validation, reasons: [...reasons] },
  }
}

const metadataOf = ({ protocolId, token }: OfferClaim) => ({
  ...(protocolId === undefined ? {} : { protocolId }),
  ...(token === undefined ? {} : { token }),
})

// ---- imports -----------------------------------------------------------------------------------

const sourceKey = (source: SourceEvidence): string =>
  JSON.stringify([
    source.source,
    source.sourceId,
    source.eventId,
    source.claimedPriceSats,
    source.claimedAsset?.inscriptionId,
  ])

const claimKey = (claim: OfferClaim): string =>
  JSON.stringify([
    claim.inspection.digest,
    claim.protocolId,
    claim.token,
    claim.source.claimedAsset?.inscriptionId,
  ])

/** A claim that says nothing which has not been judged, or is not about to be. */
export const isKnownClaim = ({ kept, claims }: OrderRecord, claim: OfferClaim): boolean =>
  [kept, ...claims].some((known) => claimKey(known) === claimKey(claim))

export const hasTooManyClaims = ({ claims }: OrderRecord): boolean => claims.length >= MAX_CLAIMS

export function noteSource(order: OrderRecord, { claim, at }: OrderEventOf<'IMPORT'>): OrderRecord {
  const known = new Set(order.sources.map(sourceKey))
  const notes = [...new Set([...order.notes, ...claim.notes])]
  if (known.has(sourceKey(claim.source))) return { ...order, notes }
  if (order.sources.length >= MAX_SOURCES) {
    return { ...order, notes, sourcesDropped: order.sourcesDropped + 1 }
  }
  return { ...order, notes, sources: [...order.sources, claim.source], updatedAt: at }
}

export const addClaim = (order: OrderRecord, { claim }: OrderEventOf<'IMPORT'>): OrderRecord => ({
  ...order,
  claims: [...order.claims, claim],
})

// ---- questions ---------------------------------------------------------------------------------

type Purpose = 'import' | 'request' | 'recheck' | 'audit'
type Request = { requestId: string; kind: 'import' | 'revalidate' }

/** Puts a question; one that is out already is marked touched, so that its answer is not used. */
export function ask(
  order: OrderRecord,
  { watermark }: Moment,
  purpose: Purpose,
  request: Request | null = null,
): OrderRecord {
  const requests = [...(order.pending?.requests ?? []), ...(request ? [request] : [])]
  if (order.pending) return { ...order, pending: { ...order.pending, touched: true, requests } }
  return beginCheck({ ...order, pending: null }, { watermark }, purpose, requests)
}

export const askAgain = (order: OrderRecord, moment: Moment): OrderRecord =>
  order.pending ? beginCheck(order, moment, order.pending.purpose, order.pending.requests) : order

function beginCheck(
  order: OrderRecord,
  { watermark }: Pick<Moment, 'watermark'>,
  purpose: Purpose,
  requests: Request[],
): OrderRecord {
  const attempt = order.attempt + 1
  return {
    ...order,
    attempt,
    pending: {
      attempt,
      begunAt: watermark && { epoch: watermark.epoch, n: watermark.n },
      mempoolSequence: watermark?.mempoolSequence ?? null,
      touched: false,
      requests,
      purpose,
    },
  }
}

/** News came while a question is out: its answer may be older than the news. */
export const touch = (order: OrderRecord): OrderRecord =>
  order.pending ? { ...order, pending: { ...order.pending, touched: true } } : order

export const endCheck = (order: OrderRecord): OrderRecord => ({ ...order, pending: null })

// ---- verdicts ----------------------------------------------------------------------------------

export function foldVerdict(order: OrderRecord, event: OrderEventOf<'EVIDENCE'>): OrderRecord {
  const { judgement, evidence, at } = event
  if (judgement.kind !== 'verdict') return endCheck(order)
  const { verdict, kept, undecided } = judgement
  const { settlement: _settled, quotedPriceSats: _price, ...rest } = order
  const answered = evidence.node.status === 'ready'
  const price = signedPrice(kept.offer, verdict.prevout) ?? order.quotedPriceSats ?? null
  const script = verdict.prevout?.scriptHex ?? order.sellerScriptHex
  return {
    ...withMetadata(rest, kept, order.metadataFixed),
    reason: verdict.reason,
    kept: { ...kept, inspection: { ...kept.inspection, signatureStatus: verdict.signature } },
    claims: undecided,
    assets: verdict.assets.length > 0 || verdict.state === 'LIVE' ? verdict.assets : order.assets,
    metadataFixed: order.metadataFixed || verdict.state === 'LIVE',
    validation: {
      checkedAt: at,
      nodeStatus: verdict.nodeStatus,
      assetStatus: verdict.assetStatus,
      ...(evidence.node.status === 'ready' ? { nodeTip: blockRef(evidence.node.tip) } : {}),
      reasons: verdict.state === 'LIVE' ? verdict.notes : [verdict.reason, ...verdict.notes],
    },
    anchor: answered ? anchorOf(evidence) : order.anchor,
    verifiedAt: answered ? evidence.askedAt : order.verifiedAt,
    ...(script === undefined ? {} : { sellerScriptHex: script }),
    ...(price === null ? {} : { quotedPriceSats: price }),
    ...(verdict.spend && verdict.exactPayout
      ? { settlement: settlementOf(order, verdict.spend, at) }
      : {}),
    outputBlock: answered ? verdict.outputBlock : order.outputBlock,
    indexProof:
      evidence.index.status === 'ready' && evidence.index.indexed
        ? evidence.index
        : order.indexProof,
    spend: answered ? verdict.spend : order.spend,
    pending: null,
    updatedAt: at,
  }
}

// The metadata of the first wrapper that verified stays; before that it is the winner's.
function withMetadata(
  order: Omit<OrderRecord, 'settlement' | 'quotedPriceSats'>,
  kept: OfferClaim,
  fixed: boolean,
): Omit<OrderRecord, 'settlement' | 'quotedPriceSats'> {
  if (fixed) return order
  const { protocolId: _protocolId, token: _token, ...rest } = order
  return { ...rest, ...metadataOf(kept) }
}

const blockRef = ({ height, hash }: { height: number; hash: string }) => ({ height, hash })

function anchorOf({ node, index, begunAt, mempoolSequence }: Evidence): Anchor | null {
  if (node.status !== 'ready') return null
  return {
    tip: blockRef(node.tip),
    mempoolSequence,
    index: index.status === 'ready' ? index.at : null,
    watermark: begunAt,
  }
}

// ---- news of the chain -------------------------------------------------------------------------

/** A spend that is known, or that only a reorg could bring about: a block outranks the mempool. */
export function isOldNews({ spend }: OrderRecord, news: Spend): boolean {
  if (spend === null) return false
  if (news.block === null) return spend.block !== null || spend.txid === news.txid
  return spend.txid === news.txid && spend.block?.hash === news.block.hash
}

export function noteSpend(
  order: OrderRecord,
  { spend, at, watermark }: OrderEventOf<'SPEND_SEEN' | 'SPEND_CONFIRMED'>,
): OrderRecord {
  const exact = isExactPayout(order.kept.offer, spend)
  const reason = spend.block ? (exact ? 'settled' : 'spent') : `mempool_conflict ${spend.txid}`
  const { settlement: _settled, ...rest } = order
  const tip = watermark ? { nodeTip: blockRef(watermark.tip) } : {}
  return {
    ...rest,
    reason,
    spend,
    validation: {
      ...order.validation,
      ...tip,
      checkedAt: at,
      nodeStatus: 'OUTPOINT_SPENT',
      reasons: [reason],
    },
    ...(exact ? { settlement: settlementOf(order, spend, at) } : {}),
    updatedAt: at,
  }
}

const settlementOf = ({ settlement }: OrderRecord, { txid, block }: Spend, at: string) => ({
  txid,
  observedAt: settlement?.txid === txid ? settlement.observedAt : at,
  confirmations: block ? 1 : 0,
  ...(block ? { confirmedAt: new Date(block.time * 1000).toISOString() } : {}),
})

export const noteOutputBlock = (
  order: OrderRecord,
  { block }: OrderEventOf<'OUTPUT_CONFIRMED'>,
): OrderRecord => ({ ...order, outputBlock: block, indexProof: null })

/** The output lost its block, or is gone with its transaction: what the index proved fell with it. */
export function loseOutput(
  order: OrderRecord,
  { at, type }: OrderEventOf<'OUTPUT_UNCONFIRMED' | 'OUTPUT_GONE'>,
): OrderRecord {
  const gone = type === 'OUTPUT_GONE'
  const reason = gone ? 'outpoint_missing' : 'output_unconfirmed'
  const nodeStatus = gone ? 'OUTPOINT_MISSING' : order.validation.nodeStatus
  return {
    ...order,
    reason,
    outputBlock: null,
    indexProof: null,
    validation: { ...order.validation, checkedAt: at, nodeStatus, reasons: [reason] },
    updatedAt: at,
  }
}

export const loseContinuity = (order: OrderRecord): OrderRecord =>
  order.anchor ? { ...order, anchor: { ...order.anchor, watermark: null } } : order

// ---- the seller's and the operator's word, the end ---------------------------------------------

export const withdraw = (
  order: OrderRecord,
  { at, by, reason }: OrderEventOf<'WITHDRAW'>,
): OrderRecord => ({
  ...order,
  reason: `withdrawn_by_${by}`,
  withdrawal: { withdrawnAt: at, ...(reason === undefined ? {} : { reason }) },
  updatedAt: at,
})

export const close = (order: OrderRecord, { at }: Moment): OrderRecord => ({
  ...order,
  closedAt: at,
  pending: null,
})
