import { isProved, isProvedBy } from '../../../domain/order/proved.ts'
import type { ReasonOf } from '../../../domain/reasons/reasons.ts'
import { signedPrice } from '../../../domain/verdict/payout.ts'
import { provedInspection } from '../../../domain/verdict/proved-class.ts'
import { validationOf } from '../../../domain/verdict/validation.ts'
import type { Verdict } from '../../../domain/verdict/verdict.ts'
import type { Evidence, NodeEvidence, OutputEvidence } from '../../../schemas/evidence.ts'
import type { Anchor, OfferClaim, OrderRecord } from '../../../schemas/order-record.ts'
import type { BlockRef } from '../../../schemas/scalars.ts'
import type { OrderEventOf } from '../../events/order-events.ts'
import { metadataOf } from './new-order.ts'
import { reasonFor, settlementOf } from './news.ts'

const FUNDING_SPENT: ReasonOf<'REJECTED'> = 'bid_funding_spent'

/** The order after a verdict; its state is set by the machine. */
export function foldVerdict(order: OrderRecord, event: OrderEventOf<'EVIDENCE'>): OrderRecord {
  const { judgement, evidence, at } = event
  if (judgement.kind !== 'verdict') return order
  const { verdict, kept, undecided } = judgement
  const {
    settlement: _s,
    quotedPriceSats: _q,
    protocolId: _p,
    token: _t,
    proved: _o,
    ...rest
  } = order
  const settling = verdict.exactPayout ? verdict.spend : null
  const price = signedPrice(kept.offer, verdict.prevout) ?? order.quotedPriceSats
  const script = verdict.prevout?.scriptHex ?? order.sellerScriptHex
  return {
    ...rest,
    ...metadataOf(kept),
    ...outputFields(order, verdict, event),
    reason: reasonFor(order, verdict.reason),
    kept: withProved(kept, evidence),
    claims: [...undecided, ...order.claims.slice(order.pending?.asked ?? 0)],
    assets: verdict.assets.length > 0 || verdict.state === 'LIVE' ? verdict.assets : order.assets,
    ...(isProved(order) || isProvedBy(verdict) ? { proved: true } : {}),
    metadataFixed: order.metadataFixed || verdict.state === 'LIVE',
    validation: validationOf(verdict, evidence, at),
    ...(script === undefined ? {} : { sellerScriptHex: script }),
    ...(price === undefined ? {} : { quotedPriceSats: price }),
    ...(settling ? { settlement: settlementOf(order, settling, at) } : {}),
    updatedAt: at,
  }
}

/** The same wrapper if nothing new is known of its signature. */
function withProved(claim: OfferClaim, evidence: Evidence): OfferClaim {
  const inspection = provedInspection(claim.inspection, evidence)
  const { signatureStatus, orderClass } = claim.inspection
  const isSame =
    inspection.signatureStatus === signatureStatus && inspection.orderClass === orderClass
  return isSame ? claim : { ...claim, inspection }
}

/** The output fields from the node's answer; if the node is unavailable, they stay as they are. */
function outputFields(order: OrderRecord, verdict: Verdict, event: OrderEventOf<'EVIDENCE'>) {
  const { evidence, watermark } = event
  const { node, askedAt } = evidence
  if (node.status !== 'ready') return {}
  // `gettxout` no longer knows the block of an output that is spent in a block.
  const isSpentInBlock = node.output.status === 'spent' && node.output.confirmed
  const outputBlock = isSpentInBlock ? order.outputBlock : verdict.outputBlock
  return {
    anchor: {
      ...anchorOf(evidence, node.tip, watermark?.tip ?? node.tip),
      ...(isUnheard(order, verdict) || isFundingUnheard(order, verdict, node)
        ? { unheard: true as const }
        : {}),
    },
    verifiedAt: askedAt,
    outputBlock,
    indexProof: proofOf(order, evidence, outputBlock),
    spend: verdict.spend,
  }
}

/** Does it rest on a mempool transaction that neither news nor an earlier answer has named? */
function isUnheard(order: OrderRecord, { state, spend, outputBlock }: Verdict): boolean {
  if (spend !== null) return spend.block === null && spend.txid !== order.spend?.txid
  const wasUnconfirmed = order.state === 'PENDING_ASSET' && order.outputBlock === null
  return state === 'PENDING_ASSET' && outputBlock === null && !wasUnconfirmed
}

/**
 * For a bid's funding: an answer does not name the transaction that spent it, so every
 * such verdict is given twice.
 */
function isFundingUnheard(
  { anchor }: OrderRecord,
  { state, reason }: Verdict,
  { funding }: Extract<NodeEvidence, { status: 'ready' }>,
): boolean {
  const isSpent = reason === FUNDING_SPENT
  const isUnconfirmed = (output: OutputEvidence) =>
    output.status === 'unspent' && output.block === null
  const rests = isSpent || (state === 'LIVE' && funding.some(({ output }) => isUnconfirmed(output)))
  return rests && !anchor?.unheard
}

function anchorOf(
  { index, begunAt, mempoolSequence }: Evidence,
  tip: BlockRef,
  followed: BlockRef,
): Anchor {
  return {
    tip: blockRef(tip),
    mempoolSequence,
    index: index.status === 'ready' ? index.at : null,
    watermark: begunAt,
    ...(tip.hash === followed.hash ? {} : { ahead: true }),
  }
}

/** An index's examination holds for the output in this block only. */
function proofOf(order: OrderRecord, { index, begunAt }: Evidence, block: BlockRef | null) {
  if (block === null) return null
  const isExamined = index.status === 'ready' && index.indexed && index.at.height >= block.height
  if (isExamined) return { ...index, begunAt }
  return block.hash === order.outputBlock?.hash ? order.indexProof : null
}

const blockRef = ({ height, hash }: BlockRef): BlockRef => ({ height, hash })
