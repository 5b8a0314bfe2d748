import type { Evidence, IndexEvidence, OutputEvidence, Spend } from '../../schemas/evidence.ts'
import type { AssetClaim } from '../../schemas/order.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type {
  AssetStatus,
  BlockRef,
  NodeStatus,
  OrderState,
  SignatureStatus,
  TxOut,
} from '../../schemas/scalars.ts'
import { type AssetVerdict, judgeAssets, type MarketRules } from '../assets/asset-verdict.ts'
import { inscriptionClaim } from '../assets/claimed-assets.ts'
import type { ReasonOf, Remark } from '../reasons/reasons.ts'
import { isRelayable } from '../script/relay.ts'
import { contradictionsOf } from './contradictions.ts'
import { type CommittedInput, notFinalUntil } from './finality.ts'
import { type FundingInput, fundingOf, sumOf, utxoOf } from './funding.ts'
import { knownCompletion } from './known-completion.ts'
import { isExactPayout, paysBelowInput } from './payout.ts'
import { provedInspection } from './proved-class.ts'

/** The states that evidence alone can give an order; WITHDRAWN needs a command. */
export const VERDICT_STATES = [
  'PENDING_NODE',
  'PENDING_ASSET',
  'LIVE',
  'MEMPOOL_CONFLICTED',
  'SPENT',
  'SETTLED',
  'REJECTED',
] as const satisfies readonly OrderState[]
export type VerdictState = (typeof VERDICT_STATES)[number]

export interface Verdict {
  state: VerdictState
  /** A code of `REASONS` with its detail, or the inspection's reason to refuse the wrapper. */
  reason: string
  /** What should be known although the order is LIVE. */
  remarks: Remark[]
  nodeStatus: NodeStatus
  assetStatus: AssetStatus
  signature: SignatureStatus
  assets: AssetClaim[]
  /** The offered output as the node reports it; null if it gave none. */
  prevout: TxOut | null
  outputBlock: BlockRef | null
  spend: Spend | null
  exactPayout: boolean
  /**
   * None of the rows before those about assets decided: another index answer may change the
   * verdict.
   */
  restsOnIndex: boolean
}

export interface VerdictQuestion {
  /** The wrapper being judged, with its sender's claims. */
  claim: OfferClaim
  evidence: Evidence
  market: MarketRules
  /**
   * An earlier index answer for this output in this block: valid while the index is unavailable.
   */
  indexProof: IndexEvidence | null
}

type Decision =
  | { [State in VerdictState]: { state: State; reason: ReasonOf<State> } }[VerdictState]
  | { state: 'REJECTED'; inspected: string }

/**
 * The verdict: one pure function of the artifact, its claims and the authorities' answers.
 * The rows of the design's table in order; the first that matches decides.
 */
export function judge(question: VerdictQuestion): Verdict {
  const facts = readFacts(question)
  const { claim, assets, output } = facts
  const earlier = firstOf(ROWS, facts)
  const decision = earlier ?? assetsRefused(facts) ?? live
  return {
    state: decision.state,
    reason: 'inspected' in decision ? decision.inspected : decision.reason,
    remarks: decision.state === 'LIVE' ? remarksOf(facts) : [],
    nodeStatus: nodeStatusOf(question.evidence),
    assetStatus: assets?.status ?? unaskedAssetStatus(question),
    signature: facts.signature,
    assets: assets && assets.outcome !== 'pending' ? assets.assets : [],
    prevout: facts.prevout,
    outputBlock: facts.outputBlock,
    spend: facts.spend,
    exactPayout: facts.spend !== null && isExactPayout(claim.offer, facts.spend),
    restsOnIndex: earlier === null && output?.status === 'unspent' && output.block !== null,
  }
}

function remarksOf({ claim, prevout, assets }: VerdictFacts): Remark[] {
  const isLoss = prevout !== null && paysBelowInput(claim.offer, prevout)
  return [
    ...(isLoss ? ['payout_below_input' as const] : []),
    ...(assets?.outcome === 'proved' ? assets.remarks : []),
  ]
}

const live: Decision = { state: 'LIVE', reason: 'verified' }

type Row = (facts: VerdictFacts) => Decision | null

function firstOf(rows: readonly Row[], facts: VerdictFacts): Decision | null {
  for (const row of rows) {
    const decision = row(facts)
    if (decision) return decision
  }
  return null
}

/**
 * Every reason by which the rows would refuse or postpone the wrapper, in their order: the first is
 * that of the verdict, unless it is LIVE. A row that lacks an answer gives no reason.
 */
export function reasonsAgainst(question: VerdictQuestion): string[] {
  const facts = readFacts(question)
  const { claim, node, signature } = facts
  const isChecked =
    node?.signatures.some(({ digest }) => digest === claim.inspection.digest) ?? false
  const isRefuted = isChecked && signature !== 'VALID'
  const isFundingAsked = isChecked || (node !== null && node.funding.length > 0)
  const all = [...ROWS, assetsRefused]
  const deciding = all.find((row) => row(facts) !== null)
  const isAnswered = (row: Row): boolean => {
    // The signatures of a bid are the signatures of its funding inputs.
    if (row === badSignature) return isChecked && claim.offer.side === 'ASK'
    return row !== badFunding || isFundingAsked
  }
  const rows = all.filter((row) => row === deciding || isAnswered(row))
  const found = rows.flatMap((row) => {
    const decision = row(facts)
    if (!decision) return []
    if (!('inspected' in decision)) return [decision.reason]
    // The decision names only the first of them.
    return [decision.inspected, ...claim.inspection.reasons]
  })
  const reasons = [...new Set(found)]
  // The index is not asked about an offer that its owner did not sign, or that cannot be paid for.
  const notAsked: ReasonOf<'PENDING_ASSET'> = 'asset_index_not_asked'
  const isVain = isRefuted || reasons.includes(FUNDING_SPENT)
  return reasons.filter((reason) => reason !== notAsked || !isVain)
}

interface VerdictFacts {
  claim: OfferClaim
  evidence: Evidence
  /** Null while the node is unavailable. */
  node: Extract<Evidence['node'], { status: 'ready' }> | null
  output: OutputEvidence | null
  prevout: TxOut | null
  outputBlock: BlockRef | null
  spend: Spend | null
  /** A bid's own inputs; an ask has none. */
  funding: FundingInput[]
  signature: SignatureStatus
  /** Null if there is no output to examine. */
  assets: AssetVerdict | null
}

function readFacts({ claim, evidence, market, indexProof }: VerdictQuestion): VerdictFacts {
  const { offer, inspection } = claim
  const node = evidence.node.status === 'ready' ? evidence.node : null
  const output = node?.output ?? null
  const outputBlock = output && output.status !== 'missing' ? output.block : null
  const checked = node?.signatures.find(({ digest }) => digest === inspection.digest)
  const assets = () =>
    judgeAssets({
      outpoint: offer.outpoint,
      outputBlock,
      claim: inscriptionClaim(claim),
      market,
      index: usableIndex(evidence.index, indexProof, outputBlock),
    })
  return {
    claim: { ...claim, inspection: provedInspection(inspection, evidence) },
    evidence,
    node,
    output,
    prevout: output && utxoOf(output),
    outputBlock,
    spend: output?.status === 'spent' ? output.by : null,
    funding: node && offer.side === 'BID' ? fundingOf(offer, node) : [],
    signature: checked?.status ?? inspection.signatureStatus,
    assets: output?.status === 'unspent' ? assets() : null,
  }
}

// The assets of an unspent output cannot change while its block is on the chain: an examined answer
// holds while the index is unavailable or rolled back below that block, but not for another index.
function usableIndex(now: IndexEvidence, proof: IndexEvidence | null, block: BlockRef | null) {
  if (proof?.status !== 'ready') return now
  if (now.status === 'unavailable') return now.reason === 'asset_index_unconfigured' ? now : proof
  const isExamined = now.indexed && now.at.height >= (block?.height ?? 0)
  return isExamined || now.at.version !== proof.at.version ? now : proof
}

// ---- the rows ----------------------------------------------------------------------------------

function refused({ claim }: VerdictFacts): Decision | null {
  const inspected = refusalOf(claim.inspection)
  return inspected === null ? null : { state: 'REJECTED', inspected }
}

/** Why the inspection alone refuses a wrapper, whatever the authorities say; else null. */
export function refusalOf(inspection: OfferClaim['inspection']): string | null {
  if (inspection.orderClass !== 'UNSUPPORTED') return null
  const unnamed: ReasonOf<'REJECTED'> = 'unsupported'
  return inspection.reasons[0] ?? unnamed
}

const FUNDING_SPENT: ReasonOf<'REJECTED'> = 'bid_funding_spent'

/** Refusals due to the chain, not the wrapper: they may pass. */
const PASSING: readonly string[] = [
  'outpoint_missing',
  FUNDING_SPENT,
] satisfies ReasonOf<'REJECTED'>[]

export const mayPass = ({ state, reason }: { state: OrderState; reason: string }): boolean =>
  state === 'REJECTED' && PASSING.includes(reason)

const nodeAway = ({ evidence: { node } }: VerdictFacts): Decision | null =>
  node.status === 'unavailable' ? { state: 'PENDING_NODE', reason: node.reason } : null

function spentOrMissing({ claim, output, spend }: VerdictFacts): Decision | null {
  if (output?.status === 'missing') return { state: 'REJECTED', reason: 'outpoint_missing' }
  if (output?.status !== 'spent') return null
  if (!output.confirmed) {
    const spender = spend?.txid ?? 'unknown'
    return { state: 'MEMPOOL_CONFLICTED', reason: `mempool_conflict ${spender}` }
  }
  if (spend === null) return { state: 'SPENT', reason: 'spender_unknown' }
  return isExactPayout(claim.offer, spend)
    ? { state: 'SETTLED', reason: 'settled' }
    : { state: 'SPENT', reason: 'spent' }
}

const contradicted = ({ claim, node }: VerdictFacts): Decision | null =>
  node !== null && contradictionsOf(claim, node).length > 0
    ? { state: 'REJECTED', reason: 'witness_utxo_mismatch' }
    : null

function badFunding({ claim, node, prevout, funding, signature }: VerdictFacts): Decision | null {
  if (node === null || claim.offer.side !== 'BID') return null
  // Judged before its outputs are fetched: no answer of the node could make it right.
  if (isRefuted(node, claim)) return { state: 'REJECTED', reason: 'bid_funding_unsigned' }
  if (isBeyondBound(node, claim)) return { state: 'REJECTED', reason: 'signature_beyond_bound' }
  if (funding.some(({ output }) => output.status !== 'unspent')) {
    return { state: 'REJECTED', reason: FUNDING_SPENT }
  }
  if (signature !== 'VALID') return { state: 'REJECTED', reason: 'bid_funding_unsigned' }
  const brought = [prevout, ...funding.map(({ output }) => utxoOf(output))]
  return sumOf(brought) > sumOf(claim.offer.payouts)
    ? null
    : { state: 'REJECTED', reason: 'bid_funding_short' }
}

const isRefuted = (
  { signatures }: NonNullable<VerdictFacts['node']>,
  { inspection }: OfferClaim,
): boolean =>
  signatures.some(
    ({ digest, status }) =>
      digest === inspection.digest && (status === 'INVALID' || status === 'NONE'),
  )

const isBeyondBound = (
  { signatures }: NonNullable<VerdictFacts['node']>,
  { inspection }: OfferClaim,
): boolean =>
  signatures.some(
    ({ digest, reason }) => digest === inspection.digest && reason === 'signature_beyond_bound',
  )

function badSignature({ claim, node, signature }: VerdictFacts): Decision | null {
  const found = node?.signatures.find(({ digest }) => digest === claim.inspection.digest)
  if (signature === 'VALID' && !found?.reason) return null
  const reason = signature === 'UNAVAILABLE' ? 'signature_unverifiable' : 'signature_invalid'
  return { state: 'REJECTED', reason: found?.reason ?? reason }
}

function notRelayable({ claim, node, signature }: VerdictFacts): Decision | null {
  const completion = node && signature === 'VALID' ? knownCompletion(claim, node) : null
  return isRelayable(claim.offer, { coreVersion: node?.coreVersion, completion })
    ? null
    : { state: 'REJECTED', reason: 'not_relayable' }
}

function notFinal({ claim: { offer }, node, output, funding }: VerdictFacts): Decision | null {
  if (node === null || output === null) return null
  const committed = [{ inputIndex: offer.sellerIndex, output }, ...funding]
  const inputs = committed.flatMap(({ inputIndex, output }): CommittedInput[] => {
    const sequence = offer.sequences[inputIndex]
    return sequence === undefined || output.status !== 'unspent' ? [] : [{ sequence, output }]
  })
  const until = notFinalUntil(offer, inputs, node.tip)
  return until === null ? null : { state: 'PENDING_NODE', reason: `not_final_until ${until}` }
}

/** The rows before those about assets. */
const ROWS: readonly Row[] = [
  refused,
  nodeAway,
  spentOrMissing,
  contradicted,
  badFunding,
  badSignature,
  notRelayable,
  notFinal,
]

function assetsRefused({ assets }: VerdictFacts): Decision | null {
  if (assets === null || assets.outcome === 'proved') return null
  return assets.outcome === 'pending'
    ? { state: 'PENDING_ASSET', reason: assets.reason }
    : { state: 'REJECTED', reason: assets.reason }
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
  const isRequested =
    inscriptionClaim(claim) !== undefined || market.assetRequirement === 'INSCRIPTION'
  if (!isRequested) return 'NOT_REQUESTED'
  const isUnconfigured =
    evidence.index.status === 'unavailable' && evidence.index.reason === 'asset_index_unconfigured'
  return isUnconfigured ? 'UNCONFIGURED' : 'UNAVAILABLE'
}
