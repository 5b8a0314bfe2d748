import { runesHeld } from '../../domain/assets/runes-held.ts'
import { marketRules } from '../../domain/catalog/market-rules.ts'
import { claimProblems, tagPointer } from '../../domain/inspection/claim-problems.ts'
import { problemOf } from '../../domain/inspection/problem.ts'
import { purchaseFlow } from '../../domain/inspection/purchase-flow.ts'
import type { Material } from '../../domain/inspection/read-material.ts'
import { adviceFor, reasonProblems } from '../../domain/inspection/verdict-problems.ts'
import type { InspectionReason } from '../../domain/reasons/inspection-reasons.ts'
import type { ShownReason } from '../../domain/reasons/reasons.ts'
import { utxoOf } from '../../domain/verdict/funding.ts'
import { signedPrice } from '../../domain/verdict/payout.ts'
import { provedInspection, signatureIn } from '../../domain/verdict/proved-class.ts'
import { validationOf } from '../../domain/verdict/validation.ts'
import { judge, reasonsAgainst, refusalOf } from '../../domain/verdict/verdict.ts'
import type {
  InspectedVerdict,
  InspectRequest,
  InspectResult,
} from '../../schemas/api/inspection.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { lookUp, orderOf } from '../order/read-order.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { examineOffer } from './examine-offer.ts'
import { statementOfImport } from './import-order.ts'
import { sayingOfEvent } from './import-portable-event.ts'
import { type NamedClaim, nameClaim } from './submit-claim.ts'

/**
 * What is wrong with an artifact, all of it at once, and what an import of it would become now
 * (docs/adr/0063-an-inspection-collects.md). Node and index are asked in the lane of an import;
 * nothing is stored. An unavailable authority is a problem like any other.
 *
 * @throws RefusalError STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export async function inspectOrder(
  gateway: Pick<Gateway, 'views' | 'artifacts' | 'inspections' | 'pool' | 'clock' | 'settings'>,
  request: InspectRequest,
  signal: AbortSignal,
): Promise<InspectResult> {
  const { network } = gateway.settings
  const material = await gateway.artifacts.readMaterial({ request, network })
  const named = namedClaims(gateway, request, material)
  const now = gateway.clock.now()
  if (named === null) return { network, ...shown(material), ...unread(request, material, now) }
  return await inWaitingTime(gateway, signal, async (deadline) => {
    const known = await lookUp(gateway, named.sent.orderId)
    const { outpoint } = named.sent.claim.offer
    const claims = judgeable(named)
    const asked = { offers: gateway.inspections }
    const evidence = await examineOffer(asked, outpoint, claims, deadline)
    const found = { material, named, evidence, known: known && orderOf(known), now }
    return { network, ...shown(material), ...findings(request, found) }
  })
}

type ShownMaterial = Pick<InspectResult, 'kind' | 'form' | 'refusedAs' | 'inspection'>

const shown = ({ kind, form, refusedAs, inspected }: Material): ShownMaterial => ({
  kind,
  form,
  refusedAs,
  inspection: inspected?.inspection ?? null,
})

type InspectionFindings = Omit<InspectResult, keyof ShownMaterial | 'network'> &
  Partial<ShownMaterial>

/** No PSBT can be read: no authority is asked. */
const unread = (
  request: InspectRequest,
  { problems, sale }: Material,
  now: number,
): InspectionFindings => ({
  order: null,
  problems: [...problems, ...claimProblems(request, sale, null, now)],
  verdict: null,
  repaired: null,
  flow: null,
})

interface NamedClaims {
  sent: NamedClaim
  /** The claim with its bytes mended. */
  mended: NamedClaim | null
}

function namedClaims(
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  request: InspectRequest,
  { inspected, mended, sale }: Material,
): NamedClaims | null {
  if (!inspected) return null
  const saying = sale
    ? sayingOfEvent(gateway, sale, inspected)
    : statementOfImport(gateway, request, inspected)
  return {
    sent: nameClaim(gateway, { inspected, saying }),
    mended: mended && nameClaim(gateway, { inspected: mended.inspected, saying }),
  }
}

/**
 * The wrappers that an authority can judge. With the mended one the index is also asked: what the
 * output holds is then reported together with what is wrong with the signature.
 */
const judgeable = ({ sent, mended }: NamedClaims): OfferClaim[] =>
  [mended, sent].flatMap((one) =>
    one && refusalOf(one.claim.inspection) === null ? [one.claim] : [],
  )

interface Found {
  material: Material
  named: NamedClaims
  evidence: Evidence
  known: OrderRecord | null
  /** Unix milliseconds. */
  now: number
}

function findings(request: InspectRequest, found: Found): InspectionFindings {
  const { material, named, evidence, known, now } = found
  const { orderId, claim: sent } = named.sent
  const claim = { ...sent, inspection: provedInspection(sent.inspection, evidence) }
  const prevout = prevoutOf(evidence) ?? claim.claimedPrevout
  const flow = purchaseFlow(claim, evidence)
  const pointer = material.pointer
  const withdrawn =
    known?.state === 'WITHDRAWN' ? [problemOf('order_withdrawn', 'NOT_LIVE', { pointer })] : []
  const problems = [
    ...material.problems,
    ...reasonProblems({
      claim,
      evidence,
      reasons: allReasons(found, claim),
      pointers: { artifact: pointer, asset: assetPointer(request) },
    }),
    ...withdrawn,
    ...claimProblems(request, material.sale, { offer: claim.offer, prevout }, now),
    ...adviceFor(claim, prevout, pointer),
  ]
  const mendable = mendableOf(found, claim)
  return {
    inspection: claim.inspection,
    order: { id: orderId, exists: known !== null, state: known?.state ?? null },
    problems,
    verdict: verdictOn(claim, found),
    repaired: repairedOf(found),
    flow: flow ?? (mendable && purchaseFlow(mendable.claim, evidence)),
  }
}

const assetPointer = ({ event, asset }: InspectRequest): string => {
  if (event) return tagPointer(event.tags, 'i')
  return asset ? '/asset' : '/protocolId'
}

const prevoutOf = ({ node }: Evidence): TxOut | null =>
  node.status === 'ready' ? utxoOf(node.output) : null

const questionOf = (claim: OfferClaim, evidence: Evidence) => ({
  claim,
  evidence,
  market: marketRules(claim.protocolId),
  indexProof: null,
})

const DEFAULT_SIGHASH: InspectionReason = 'sighash_default'

/** What speaks against what was sent, then what would speak against it mended. */
function allReasons(found: Found, claim: OfferClaim): string[] {
  const { evidence } = found
  const mended = mendableOf(found, claim)
  const reasons = reasonsAgainst(questionOf(claim, evidence))
  const { digest, reasons: inspected } = claim.inspection
  const isJudged = signatureIn(evidence, digest) !== null
  // No authority could say whether only the byte is missing.
  const unjudged = inspected.filter((reason) => reason === DEFAULT_SIGHASH && !isJudged)
  const further = mended ? reasonsAgainst(questionOf(mended.claim, evidence)) : []
  return [...new Set([...reasons, ...unjudged, ...further])]
}

/** What is validly signed as no ask lacks no byte. */
const mendableOf = ({ named: { sent, mended } }: Found, claim: OfferClaim): NamedClaim | null =>
  claim.inspection.orderClass === sent.claim.inspection.orderClass ? mended : null

const PRICE_DIFFERS: ShownReason = 'price_claim_differs'
const HOLDS_RUNE: ShownReason = 'holds_rune'

/** As an import would show it if it were the first of its order; a withdrawal remains in force. */
function verdictOn(claim: OfferClaim, { evidence, known }: Found): InspectedVerdict {
  const verdict = judge(questionOf(claim, evidence))
  const { index } = evidence
  const validation = validationOf(verdict, evidence, evidence.answeredAt)
  const price = signedPrice(claim.offer, verdict.prevout)
  const claimed = claim.source.claimedPriceSats
  const differs = claimed !== undefined && price !== null && claimed !== price
  const runes = verdict.state === 'LIVE' && index.status === 'ready' ? (index.runes ?? []) : []
  const withdrawn = known?.state === 'WITHDRAWN' ? known : null
  return {
    state: withdrawn?.state ?? verdict.state,
    validation: {
      ...validation,
      reasons: [
        ...(withdrawn ? [withdrawn.reason] : []),
        ...validation.reasons,
        ...runesHeld(runes).map((text) => `${HOLDS_RUNE} ${text}`),
        ...claim.notes,
        ...(differs ? [PRICE_DIFFERS] : []),
      ],
    },
    indexTip: index.status === 'ready' ? { height: index.at.height, hash: index.at.hash } : null,
    assets: verdict.assets,
  }
}

/** Mended bytes are a repair once their signature is valid; another form of the text always is. */
function repairedOf(found: Found): InspectResult['repaired'] {
  const { material, named, evidence } = found
  const { textMends, mended } = material
  const isValid =
    mended !== null && signatureIn(evidence, mended.inspected.digest)?.status === 'VALID'
  const bytes = isValid ? named.mended : null
  const repaired = bytes ?? (textMends.length > 0 ? named.sent : null)
  if (!repaired) return null
  const { orderId, claim } = repaired
  return {
    orderId,
    psbt: claim.artifact,
    digest: claim.inspection.digest,
    mends: [...textMends, ...(bytes && mended ? mended.mends : [])],
    verdict: verdictOn(claim, found),
  }
}
