import { outpointText } from '../../domain/chain/outpoint.ts'
import { orderIdOf } from '../../domain/order/order-id.ts'
import {
  ASK_SEQUENCE,
  type AskParts,
  askPsbt,
  wantsPrevious,
} from '../../domain/purchase/ask-psbt.ts'
import type { Remark } from '../../domain/reasons/reasons.ts'
import { scriptTypeOf } from '../../domain/script/address.ts'
import type { Inspected } from '../../domain/verdict/inspect.ts'
import { paysBelowInput } from '../../domain/verdict/payout.ts'
import type { BuiltAsk } from '../../ports/views/built-asks.ts'
import type { BuildAskRequest, BuildAskResult } from '../../schemas/api/listing.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { BlockRef, Outpoint, TxOut } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { examineOffer } from '../intake/examine-offer.ts'
import { previousTransaction } from '../purchase/buyer-outputs.ts'
import { requireAuthorities } from '../purchase/order-for-sale.ts'
import { type ListingTerms, listingTerms } from '../reading/listing-terms.ts'
import { RefusalError } from '../refusal.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { requireListable } from './require-listable.ts'

/** How many authorisations of one output and payout are tried to find a free one. */
const MAX_SEQUENCES = 256

/**
 * Composes the PSBT that a seller signs (gateway spec 4.2, docs/design/purchases.md#build). Node
 * and index must prove now that the order would be LIVE; then the request's claims are remembered
 * for its publish.
 *
 * @throws RefusalError BUILD_REFUSED with every reason found; NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE,
 *   STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export function buildAsk(
  gateway: Pick<
    Gateway,
    'views' | 'artifacts' | 'offers' | 'builds' | 'node' | 'index' | 'clock' | 'settings'
  >,
  request: BuildAskRequest,
  signal: AbortSignal,
): Promise<BuildAskResult> {
  return inWaitingTime(gateway, signal, async (deadline) => {
    const terms = listingTerms(request, gateway.settings.network)
    const { node } = requireAuthorities(gateway)
    const evidence = await examineOffer(gateway, outpointText(terms.outpoint), [], deadline)
    const claim = await claimOnceSigned(gateway, terms, request)
    requireListable('BUILD_REFUSED', claim, evidence)
    const { output, block, tip } = provenOutput(evidence, terms.outpoint)
    const previous = wantsPrevious(output.scriptHex)
      ? await previousTransaction(node, terms.outpoint.txid, block.hash)
      : null
    const { outpoint, payout, market } = terms
    const parts = { outpoint, output, payout, previous }
    const { artifact, inspection } = await freeAsk(gateway, parts, builtAsk(terms, request))
    const { id: protocolId, builderProfile } = market
    return {
      psbt: artifact,
      inspection: { ...asAsk(inspection), reasons: remarksOn(payout, output) },
      outpoint,
      nodeTip: tip,
      protocolId,
      builderProfile,
    }
  })
}

/** The claim that a publish would make: its verdict is that of the signed order. */
async function claimOnceSigned(
  gateway: Pick<Gateway, 'artifacts' | 'clock'>,
  { outpoint, payout, asset }: ListingTerms,
  { protocolId, token }: BuildAskRequest,
): Promise<OfferClaim> {
  const draft = { outpoint, output: null, payout, previous: null, sequence: ASK_SEQUENCE }
  const { artifact, inspection, offer } = signed(await composed(gateway, draft))
  const source = {
    source: 'direct-import' as const,
    sourceId: inspection.digest,
    observedAt: new Date(gateway.clock.now()).toISOString(),
    ...(asset && { claimedAsset: asset }),
  }
  return { artifact, inspection, offer, claimedPrevout: null, source, protocolId, token, notes: [] }
}

/** The ask as its seller will have signed it: the class, and so the id, of the future order. */
const signed = (unsigned: Inspected): Inspected => ({
  ...unsigned,
  inspection: { ...asAsk(unsigned.inspection), signatureStatus: 'VALID' },
})

/** Classed as an ask: being unsigned is not a fault here. */
const asAsk = (unsigned: PsbtInspection): PsbtInspection => ({
  ...unsigned,
  orderClass: 'ASK_ANYONECANPAY',
  safety: 'PUBLIC_RACEABLE',
  reasons: [],
})

const BELOW_INPUT: Remark = 'payout_below_input'

/** What a seller should know before signing: it may be a gift. */
const remarksOn = (payout: TxOut, output: TxOut): Remark[] =>
  paysBelowInput({ side: 'ASK', payouts: [payout] }, output) ? [BELOW_INPUT] : []

/** @throws RefusalError BUILD_REFUSED for a script whose signature would bind its place */
function provenOutput(
  { node }: Evidence,
  outpoint: Outpoint,
): { output: TxOut; block: BlockRef; tip: BlockRef } {
  if (node.status !== 'ready' || node.output.status !== 'unspent' || !node.output.block) {
    throw new Error(`${outpointText(outpoint)} is LIVE and not there`)
  }
  const { output, block } = node.output
  if (scriptTypeOf(output.scriptHex) === 'other') {
    const reason = 'cannot be sold: only P2WPKH, P2WSH, P2TR and these nested in P2SH can'
    throw new RefusalError('BUILD_REFUSED', `${outpointText(outpoint)}: its script ${reason}`)
  }
  return { output, block, tip: { height: node.tip.height, hash: node.tip.hash } }
}

const builtAsk = (
  { outpoint, asset }: ListingTerms,
  { protocolId, token, quotedPriceSats }: BuildAskRequest,
): BuiltAsk => ({
  outpoint: outpointText(outpoint),
  protocolId,
  token,
  quotedPriceSats,
  ...(asset && { asset }),
})

/**
 * The first authorisation that is neither withdrawn nor built or listed with other metadata: so an
 * output can be listed again at the same price, and no other client's build is published in its
 * place.
 */
async function freeAsk(
  gateway: Pick<Gateway, 'views' | 'artifacts' | 'builds' | 'clock' | 'settings'>,
  parts: Omit<AskParts, 'sequence'>,
  built: BuiltAsk,
): Promise<Inspected> {
  const { builds, clock } = gateway
  const first = await composed(gateway, { ...parts, sequence: ASK_SEQUENCE })
  for (let n = 0; n < MAX_SEQUENCES; n += 1) {
    const sequence = ASK_SEQUENCE - n
    const offer = { ...first.offer, sequences: [sequence] }
    if (await isTaken(gateway, { ...signed(first), offer }, built)) continue
    const unsigned = n === 0 ? first : await composed(gateway, { ...parts, sequence })
    if (await builds.remember(unsigned.inspection.unsignedTxid, built, clock.now())) return unsigned
  }
  const many = `there are already ${MAX_SEQUENCES} listings at this price`
  throw new RefusalError('BUILD_REFUSED', `${built.outpoint}: ${many}`)
}

/** An ask in a turn of the event loop, and what its own reading says of it. */
async function composed(
  { artifacts, clock }: Pick<Gateway, 'artifacts' | 'clock'>,
  parts: AskParts,
): Promise<Inspected> {
  await clock.turn()
  const reading = await artifacts.inspect(askPsbt(parts))
  if (reading.status === 'read') return reading.inspected
  throw new Error(`an ask composed here cannot be read: ${reading.message}`)
}

async function isTaken(
  { views, settings }: Pick<Gateway, 'views' | 'settings'>,
  ask: Inspected,
  { protocolId, token }: BuiltAsk,
): Promise<boolean> {
  const order = (await views.order(orderIdOf(settings.network, ask)))?.order
  if (!order) return false
  const saysOther = order.protocolId !== protocolId || order.token !== token
  return order.state === 'WITHDRAWN' || (order.metadataFixed && saysOther)
}
