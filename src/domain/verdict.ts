import type { Evidence, IndexEvidence, OutputEvidence, Spend } from '../schemas/evidence.ts'
import type { AssetClaim } from '../schemas/order.ts'
import type { Offer, OfferClaim } from '../schemas/order-record.ts'
import type {
  AssetStatus,
  BlockRef,
  NodeStatus,
  SignatureStatus,
  TxOut,
} from '../schemas/scalars.ts'
import { type AssetVerdict, judgeAssets, type MarketRules } from './asset-verdict.ts'
import { notFinalUntil } from './finality.ts'
import { isExactPayout } from './payout.ts'
import { isRelayable } from './relay.ts'

/** The states that evidence alone can give an order; WITHDRAWN is its seller's word. */
export type VerdictState =
  | 'PENDING_NODE'
  | 'PENDING_ASSET'
  | 'LIVE'
  | 'MEMPOOL_CONFLICTED'
  | 'SPENT'
  | 'SETTLED'
  | 'REJECTED'

export interface Verdict {
  state: VerdictState
  reason: string
  /** What else was noticed, and what the index could not examine. */
  notes: string[]
  nodeStatus: NodeStatus
  assetStatus: AssetStatus
  signature: SignatureStatus
  assets: AssetClaim[]
  /** The node's word on the offered output; null where it gave none. */
  prevout: TxOut | null
  outputBlock: BlockRef | null
  spend: Spend | null
  exactPayout: boolean
}

export interface VerdictQuestion {
  /** The wrapper that is judged, with what its sender claims. */
  claim: OfferClaim
  evidence: Evidence
  market: MarketRules
  /** An earlier answer of the index for this output in this block: it holds while the index is away. */
  indexProof: IndexEvidence | null
}

type Decision = Pick<Verdict, 'state' | 'reason'> & { exactPayout?: boolean }

/**
 * The verdict: one pure function of the artifact, its claims and the authorities' answers.
 * The rows of the design's table in order; the first that matches decides.
 */
export function judge(question: VerdictQuestion): Verdict {
  const { claim, evidence } = question
  const facts = readFacts(question)
  const decision = unsupported(claim) ??
    nodeAway(evidence) ??
    spentOrMissing(claim.offer, facts.output) ??
    wrapperContradicted(claim, facts) ??
    badFunding(evidence) ??
    badSignature(claim, evidence, facts.signature) ??
    notRelayable(claim.offer) ??
    notFinal(claim.offer, facts, evidence) ??
    assetsRefused(facts.assets) ?? { state: 'LIVE', reason: 'verified' }
  return {
    state: decision.state,
    reason: decision.reason,
    notes: facts.assets?.outcome === 'proved' ? facts.assets.notes : [],
    nodeStatus: nodeStatusOf(evidence),
    assetStatus: facts.assets?.status ?? unaskedAssetStatus(question),
    signature: facts.signature,
    assets: facts.assets && facts.assets.outcome !== 'pending' ? facts.assets.assets : [],
    prevout: facts.prevout,
    outputBlock: facts.outputBlock,
    spend: facts.output?.status === 'spent' ? facts.output.by : null,
    exactPayout: decision.exactPayout ?? false,
  }
}

interface Facts {
  output: OutputEvidence | null
  prevout: TxOut | null
  outputBlock: BlockRef | null
  signature: SignatureStatus
  /** Null where the output is not there to be examined. */
  assets: AssetVerdict | null
}

function readFacts({ claim, evidence, market, indexProof }: VerdictQuestion): Facts {
  const output = evidence.node.status === 'ready' ? evidence.node.output : null
  const prevout = output && output.status !== 'missing' ? output.output : null
  const outputBlock = output && output.status !== 'missing' ? output.block : null
  const index = usableIndex(evidence.index, indexProof, outputBlock)
  return {
    output,
    prevout,
    outputBlock,
    signature: signatureOf(claim, evidence),
    assets:
      output?.status === 'unspent'
        ? judgeAssets({
            outpoint: claim.offer.outpoint,
            outputBlock,
            claim: claim.source.claimedAsset,
            market,
            index,
          })
        : null,
  }
}

// The assets of an unspent output cannot change while its block stands: an examined answer holds
// while the index is away, rolled back below that block, or has not examined the output anew.
function usableIndex(now: IndexEvidence, proof: IndexEvidence | null, block: BlockRef | null) {
  const examined = now.status === 'ready' && now.indexed && now.at.height >= (block?.height ?? 0)
  const unconfigured = now.status === 'unavailable' && now.reason === 'asset_index_unconfigured'
  return examined || unconfigured ? now : (proof ?? now)
}

function signatureOf(claim: OfferClaim, { node }: Evidence): SignatureStatus {
  if (node.status !== 'ready') return claim.inspection.signatureStatus
  if (claim.offer.side === 'BID') return fundingSignature(node.funding)
  const found = node.signatures.find(({ digest }) => digest === claim.inspection.digest)
  return found?.status ?? claim.inspection.signatureStatus
}

function fundingSignature(funding: { signature: SignatureStatus }[]): SignatureStatus {
  const bad = funding.find(({ signature }) => signature !== 'VALID')
  return bad?.signature ?? (funding.length > 0 ? 'VALID' : 'NONE')
}

// ---- the rows ----------------------------------------------------------------------------------

function unsupported({ inspection }: OfferClaim): Decision | null {
  if (inspection.orderClass !== 'UNSUPPORTED') return null
  return { state: 'REJECTED', reason: inspection.reasons[0] ?? 'unsupported' }
}

const nodeAway = ({ node }: Evidence): Decision | null =>
  node.status === 'unavailable' ? { state: 'PENDING_NODE', reason: node.reason } : null

function spentOrMissing(offer: Offer, output: OutputEvidence | null): Decision | null {
  if (output?.status === 'missing') return { state: 'REJECTED', reason: 'outpoint_missing' }
  if (output?.status !== 'spent') return null
  const exactPayout = output.by !== null && isExactPayout(offer, output.by)
  if (!output.confirmed) {
    const reason = output.by ? `mempool_conflict ${output.by.txid}` : 'mempool_conflict'
    return { state: 'MEMPOOL_CONFLICTED', reason, exactPayout }
  }
  if (output.by === null) return { state: 'SPENT', reason: 'spender_unknown' }
  return exactPayout
    ? { state: 'SETTLED', reason: 'settled', exactPayout }
    : { state: 'SPENT', reason: 'spent' }
}

function wrapperContradicted({ claimedPrevout }: OfferClaim, { prevout }: Facts): Decision | null {
  if (claimedPrevout === null || prevout === null) return null
  const same =
    claimedPrevout.valueSats === prevout.valueSats && claimedPrevout.scriptHex === prevout.scriptHex
  return same ? null : { state: 'REJECTED', reason: 'witness_utxo_mismatch' }
}

function badFunding({ node }: Evidence): Decision | null {
  if (node.status !== 'ready') return null
  if (node.funding.some(({ output }) => output.status !== 'unspent')) {
    return { state: 'REJECTED', reason: 'bid_funding_spent' }
  }
  const signed = node.funding.every(({ signature }) => signature === 'VALID')
  return signed ? null : { state: 'REJECTED', reason: 'bid_funding_unsigned' }
}

function badSignature(
  claim: OfferClaim,
  { node }: Evidence,
  status: SignatureStatus,
): Decision | null {
  if (status === 'VALID' || node.status !== 'ready') return null
  const found = node.signatures.find(({ digest }) => digest === claim.inspection.digest)
  const reason = status === 'UNAVAILABLE' ? 'signature_unverifiable' : 'signature_invalid'
  return { state: 'REJECTED', reason: found?.reason ?? reason }
}

const notRelayable = (offer: Offer): Decision | null =>
  isRelayable(offer) ? null : { state: 'REJECTED', reason: 'not_relayable' }

function notFinal(offer: Offer, { output }: Facts, { node }: Evidence): Decision | null {
  if (output?.status !== 'unspent' || node.status !== 'ready') return null
  const until = notFinalUntil(offer, output, node.tip)
  return until === null ? null : { state: 'PENDING_NODE', reason: `not_final_until ${until}` }
}

function assetsRefused(assets: AssetVerdict | null): Decision | null {
  if (assets === null || assets.outcome === 'proved') return null
  const state = assets.outcome === 'pending' ? 'PENDING_ASSET' : 'REJECTED'
  return { state, reason: assets.reason }
}

// ---- the statuses that the spec shows (2.1) ----------------------------------------------------

function nodeStatusOf({ node }: Evidence): NodeStatus {
  if (node.status === 'unavailable') {
    return node.reason === 'node_unconfigured' ? 'UNCONFIGURED' : 'UNAVAILABLE'
  }
  const statuses = {
    unspent: 'READY',
    spent: 'OUTPOINT_SPENT',
    missing: 'OUTPOINT_MISSING',
  } as const
  return statuses[node.output.status]
}

function unaskedAssetStatus({ claim, market, evidence }: VerdictQuestion): AssetStatus {
  const requested =
    claim.source.claimedAsset !== undefined || market.assetRequirement === 'INSCRIPTION'
  if (!requested) return 'NOT_REQUESTED'
  const unconfigured =
    evidence.index.status === 'unavailable' && evidence.index.reason === 'asset_index_unconfigured'
  return unconfigured ? 'UNCONFIGURED' : 'UNAVAILABLE'
}
