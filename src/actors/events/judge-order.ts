import type { MarketRules } from '../../domain/assets/asset-verdict.ts'
import { isProvedBy } from '../../domain/order/proved.ts'
import type { ReasonOf } from '../../domain/reasons/reasons.ts'
import { judge, mayPass, type Verdict, type VerdictState } from '../../domain/verdict/verdict.ts'
import type { Evidence, WatermarkRef } from '../../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import { competingClaims } from './competing-claims.ts'
import { belongsTo, labelsGiven } from './labels.ts'

/** The rules of a catalog market; an order without a protocolId asks for no inscription. */
export type MarketOf = (protocolId: string | undefined) => MarketRules

export interface JudgedBy {
  marketOf: MarketOf
  /** Did continuity hold since this watermark? */
  isContinuousSince(watermark: WatermarkRef | null): boolean
  /** The tip up to which the chain is followed; null if it is not followed, or not yet. */
  followed(): BlockRef | null
}

type Authority = 'node' | 'index'

/** What the authorities' answer means for one order. */
export type Judgement =
  /** The order was touched since the question, or the node restarted: it must be put again. */
  | { kind: 'discarded' }
  /**
   * The output is spent in a block by an unknown transaction, and the chain is not yet followed to
   * the tip the node answered at: the news of that block will name the spender.
   */
  | { kind: 'ahead' }
  /**
   * An authority is unavailable and the order already rests on better evidence: nothing changes.
   */
  | { kind: 'away'; away: Authority; reason: string }
  | {
      kind: 'verdict'
      verdict: Verdict
      /** The winning wrapper, and those that later evidence may still decide. */
      kept: OfferClaim
      undecided: OfferClaim[]
      /** The authority unavailable when this was decided: a requested recheck is refused for it. */
      away: Authority | null
    }

/** From best to worst: an order's verdict is the best among its authorisation's wrappers. */
const BEST_FIRST: readonly VerdictState[] = [
  'LIVE',
  'SETTLED',
  'SPENT',
  'MEMPOOL_CONFLICTED',
  'PENDING_ASSET',
  'PENDING_NODE',
  'REJECTED',
]

/** An index that merely lags, or is not configured, does not count as unavailable. */
const INDEX_AWAY: ReadonlySet<string> = new Set([
  'asset_index_unreachable',
  'asset_index_malformed',
  'asset_index_reorged',
])

export function judgeOrder(
  order: OrderRecord,
  evidence: Evidence,
  { marketOf, isContinuousSince, followed }: JudgedBy,
): Judgement {
  if (order.pending?.touched) return { kind: 'discarded' }
  const candidates = candidatesOf(order)
  const proof = proofFor(order, evidence)
  const indexProof = proof && isContinuousSince(proof.begunAt) ? proof : null
  const judgeClaim: JudgeClaim = (claim) => {
    const market = marketOf(claim.protocolId)
    return { claim, market, verdict: judge({ claim, evidence, market, indexProof }) }
  }
  const judged = candidates.map(judgeClaim)
  const [best, ...others] = judged.toSorted((a, b) => rank(a) - rank(b))
  if (!best) throw new Error('an order has at least the wrapper that it was made from')

  const away = awayAuthority(evidence, best.verdict)
  if (away && standsOnBetter(order, away, candidates.length)) {
    return { kind: 'away', away: away.authority, reason: away.reason }
  }
  if (isAhead(best.verdict, evidence, followed())) return { kind: 'ahead' }
  const isLive = best.verdict.state === 'LIVE'
  const { verdict, claim: kept } = isLive ? labelled(best, askedOf(order), judgeClaim) : best
  return {
    kind: 'verdict',
    verdict,
    kept,
    undecided: isLive
      ? []
      : others.filter(({ verdict }) => isUndecided(verdict)).map(({ claim }) => claim),
    away: away?.authority ?? null,
  }
}

const SPENDER_UNKNOWN: ReasonOf<'SPENT'> = 'spender_unknown'

const isAhead = ({ reason }: Verdict, { node }: Evidence, followed: BlockRef | null): boolean =>
  reason === SPENDER_UNKNOWN &&
  node.status === 'ready' &&
  followed !== null &&
  node.tip.hash !== followed.hash

// A wrapper that came after the question has no evidence yet.
const askedOf = ({ pending, claims }: OrderRecord): OfferClaim[] =>
  claims.slice(0, pending?.asked ?? claims.length)

const candidatesOf = (order: OrderRecord): OfferClaim[] =>
  competingClaims(order, askedOf(order).length)

/**
 * A LIVE order with the labels it lacked, from the first import that verifies with them (ADR 43).
 */
const labelled = (
  live: JudgedClaim,
  imports: readonly OfferClaim[],
  judgeClaim: JudgeClaim,
): JudgedClaim =>
  imports.reduce((best, { source, ...given }) => {
    const labels = labelsGiven(best.claim, given)
    if (!labels) return best
    const claim = { ...best.claim, ...labels }
    // The import's asset claim must be true as well; the order keeps its own claim.
    const said = judgeClaim({ ...claim, source })
    const belongs = labels.protocolId === undefined || belongsTo(said.market, said.verdict)
    return said.verdict.state === 'LIVE' && belongs ? judgeClaim(claim) : best
  }, live)

/**
 * The kept artifact is the first whose signature verified (docs/design/orders.md#inspection);
 * among equals, that of a publish.
 */
const rank = ({ claim, verdict }: JudgedClaim): number =>
  6 * BEST_FIRST.indexOf(verdict.state) + 2 * doubtOf(verdict) + (claim.published ? 0 : 1)

function doubtOf(verdict: Verdict): number {
  if (!isProvedBy(verdict)) return 2
  return verdict.signature === 'VALID' ? 0 : 1
}

interface JudgedClaim {
  claim: OfferClaim
  market: MarketRules
  verdict: Verdict
}

type JudgeClaim = (claim: OfferClaim) => JudgedClaim

const isUndecided = (verdict: Verdict): boolean =>
  verdict.signature !== 'INVALID' && (verdict.state !== 'REJECTED' || mayPass(verdict))

function proofFor({ indexProof, outputBlock }: OrderRecord, { node }: Evidence) {
  const block =
    node.status === 'ready' && node.output.status === 'unspent' ? node.output.block : null
  return block !== null && block.hash === outputBlock?.hash ? indexProof : null
}

interface Away {
  authority: Authority
  reason: string
}

function awayAuthority({ node, index }: Evidence, { restsOnIndex }: Verdict): Away | null {
  if (node.status === 'unavailable') return { authority: 'node', reason: node.reason }
  const isAway = index.status === 'unavailable' && INDEX_AWAY.has(index.reason)
  return isAway && restsOnIndex ? { authority: 'index', reason: index.reason } : null
}

/**
 * No order loses its state while an authority is unavailable: a requested recheck changes nothing,
 * and no question changes what was decided when the authority did answer. A wrapper that was never
 * judged may lift a REJECTED order to PENDING meanwhile.
 */
function standsOnBetter(order: OrderRecord, { authority }: Away, candidates: number): boolean {
  const { state, pending, verifiedAt } = order
  const isAsked = pending?.requests.every(({ kind }) => kind === 'revalidate') ?? false
  if (pending?.purpose === 'request' && isAsked) return true
  if (state === 'REJECTED' && candidates > 1) return false
  if (authority === 'index') return state === 'LIVE'
  return verifiedAt !== null || (state !== 'PENDING_NODE' && state !== 'REJECTED')
}
