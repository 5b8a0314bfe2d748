import type { MarketRules } from '../domain/asset-verdict.ts'
import { judge, type Verdict, type VerdictState } from '../domain/verdict.ts'
import type { Evidence } from '../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'

/** The rules of a catalog market; an order without a protocolId asks for no inscription. */
export type MarketOf = (protocolId: string | undefined) => MarketRules

/** What an answer of the authorities means for one order. */
export type Judgement =
  /** The output was touched since the question was put: it must be put again. */
  | { kind: 'discarded' }
  /** An authority is away and the order already stands on better evidence: nothing changes. */
  | { kind: 'away'; away: 'node' | 'index'; reason: string }
  | {
      kind: 'verdict'
      verdict: Verdict
      /** The wrapper that won, and those that later evidence may still decide. */
      kept: OfferClaim
      undecided: OfferClaim[]
      /** The authority that was away when this was decided: a requested recheck is refused with it. */
      away: 'node' | 'index' | null
    }

/** From best to worst: among several wrappers of one authorisation the best verdict is the order's. */
const BEST_FIRST: readonly VerdictState[] = [
  'LIVE',
  'SETTLED',
  'SPENT',
  'MEMPOOL_CONFLICTED',
  'PENDING_ASSET',
  'PENDING_NODE',
  'REJECTED',
]

const INDEX_AWAY = new Set([
  'asset_index_unreachable',
  'asset_index_malformed',
  'asset_index_reorged',
])

/** Reasons of a refusal that lie with the chain, not with the wrapper: they may pass. */
const MAY_PASS = new Set(['outpoint_missing', 'bid_funding_spent', 'bid_funding_unsigned'])

export function judgeOrder(order: OrderRecord, evidence: Evidence, marketOf: MarketOf): Judgement {
  if (order.pending?.touched) return { kind: 'discarded' }
  const judged = candidatesOf(order).map((claim) => ({
    claim,
    verdict: judge({
      claim,
      evidence,
      market: marketOf(claim.protocolId),
      indexProof: proofFor(order, evidence),
    }),
  }))
  const [best] = judged.toSorted((a, b) => rank(a.verdict) - rank(b.verdict))
  if (!best) throw new Error('an order has at least the wrapper that it was made from')

  const away = awayAuthority(evidence, best.verdict)
  const standsOnBetter =
    away === 'node' ? order.state !== 'PENDING_NODE' : away === 'index' && order.state === 'LIVE'
  if (away && standsOnBetter) return { kind: 'away', away, reason: best.verdict.reason }
  return {
    kind: 'verdict',
    verdict: best.verdict,
    kept: best.claim,
    undecided:
      best.verdict.state === 'LIVE'
        ? []
        : judged
            .filter((other) => other !== best && isUndecided(other.verdict))
            .map((j) => j.claim),
    away,
  }
}

// Once a wrapper's metadata was part of a LIVE verdict, nobody else's is looked at.
const candidatesOf = (order: OrderRecord): OfferClaim[] =>
  order.metadataFixed ? [order.kept] : [order.kept, ...order.claims]

const rank = ({ state }: Verdict): number => BEST_FIRST.indexOf(state)

const isUndecided = ({ state, reason }: Verdict): boolean =>
  state !== 'REJECTED' || MAY_PASS.has(reason)

function proofFor({ indexProof, outputBlock }: OrderRecord, { node }: Evidence) {
  const block =
    node.status === 'ready' && node.output.status === 'unspent' ? node.output.block : null
  return block !== null && block.hash === outputBlock?.hash ? indexProof : null
}

function awayAuthority({ node }: Evidence, { reason }: Verdict): 'node' | 'index' | null {
  if (node.status === 'unavailable') return 'node'
  return INDEX_AWAY.has(reason) ? 'index' : null
}
