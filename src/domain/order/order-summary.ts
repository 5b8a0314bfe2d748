import type { Watermark } from '../../schemas/log.ts'
import type {
  OrderSummary,
  PsbtInspection,
  Settlement,
  VerificationView,
} from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Actionability, BlockRef, OrderState } from '../../schemas/scalars.ts'
import { runesHeld } from '../assets/runes-held.ts'
import type { ShownReason } from '../reasons/reasons.ts'
import { type Continuity, heldUnder, isContinuous, type Renewable } from './continuity.ts'

/** An order with its partition's progress since; null before the first watermark that covers. */
export interface Observed<Order> {
  order: Order
  freshness: (Continuity & { watermark: Watermark }) | null
}
export type ObservedOrder = Observed<OrderRecord>

/** The fields of an order that decide what its summary shows at a moment. */
export interface JudgedOrder extends Renewable {
  kept: { inspection: Pick<PsbtInspection, 'orderClass' | 'safety'> }
  spend: { block: Pick<BlockRef, 'height'> | null } | null
  validation: Pick<OrderRecord['validation'], 'checkedAt'>
  settlement?: Pick<Settlement, 'confirmations'>
  protocolId?: string
  hidden?: object
}

/** What the moment decides in a summary. */
export interface ShownAt {
  actionability: Actionability
  checkedAt: string
  /** Confirmations of a settled order. */
  confirmations: number | undefined
}

/**
 * How far the clocks of two hosts may differ. A verification of a later time than that has no known
 * age: the clock was set back.
 */
export const CLOCK_SKEW_MS = 60_000

/** When an order is shown, and how old a verification may be then. */
export interface FreshnessTerms {
  /** Unix milliseconds. */
  now: number
  maxAgeSeconds: number
}

export interface SummaryTerms extends FreshnessTerms {
  /** True for an operator: the text of a hidden order is included. */
  showsHidden?: boolean
  /** What a catalog market can do with an order; null for an unknown one. */
  capabilityOf(protocolId: string): string | null
}

/** States in which nothing can be done with an order. */
export const BLOCKED: ReadonlySet<OrderState> = new Set([
  'SPENT',
  'SETTLED',
  'REJECTED',
  'WITHDRAWN',
])

/**
 * The order as it is shown at one moment (gateway spec 2.2, 3.4;
 * docs/design/freshness.md#freshness-by-continuity).
 */
export function toSummary(
  observed: ObservedOrder,
  terms: SummaryTerms,
): { summary: OrderSummary; verification: VerificationView } {
  const { order } = observed
  const verification = verificationOf(observed, terms)
  const { checkedAt } = verification
  const confirmations = confirmationsOf(observed)
  const settlement = order.settlement &&
    confirmations !== undefined && { ...order.settlement, confirmations }
  const summary: OrderSummary = {
    id: order.id,
    network: order.network,
    inspection: order.kept.inspection,
    assets: order.assets,
    sources: order.sources,
    state: order.state,
    actionability: actionabilityOf(order, verification.stale, terms),
    validation: { ...order.validation, checkedAt, reasons: reasonsOf(order) },
    ...(order.sellerScriptHex === undefined ? {} : { sellerScriptHex: order.sellerScriptHex }),
    ...(settlement ? { settlement } : {}),
    ...(order.protocolId === undefined ? {} : { protocolId: order.protocolId }),
    ...(order.token === undefined ? {} : { token: order.token }),
    ...(order.side === undefined ? {} : { side: order.side }),
    ...(order.quotedPriceSats === undefined ? {} : { quotedPriceSats: order.quotedPriceSats }),
    ...(order.withdrawal === undefined ? {} : { withdrawal: order.withdrawal }),
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
  }
  const isWithheld = order.hidden !== undefined && !terms.showsHidden
  return { summary: isWithheld ? withoutText(summary) : summary, verification }
}

/** Omits client-supplied text and arbitrary bytes: what was proved remains. */
function withoutText({ protocolId, token, ...summary }: OrderSummary): OrderSummary {
  const { inspection, withdrawal } = summary
  return {
    ...summary,
    inspection: {
      ...inspection,
      inputWitnessUtxos: inspection.inputWitnessUtxos.map(() => null),
      outputScriptsHex: [],
    },
    sources: [],
    ...(withdrawal && { withdrawal: { withdrawnAt: withdrawal.withdrawnAt } }),
  }
}

/** What can be done with the order at this moment, as in its summary. */
export const actionabilityAt = (
  observed: ObservedOrder,
  terms: FreshnessTerms & Pick<SummaryTerms, 'capabilityOf'>,
): Actionability => actionabilityOf(observed.order, verificationOf(observed, terms).stale, terms)

/** What a summary shows at this moment, of an order whose other fields are not at hand. */
export function shownAt(
  observed: Observed<JudgedOrder>,
  terms: FreshnessTerms & Pick<SummaryTerms, 'capabilityOf'>,
): ShownAt {
  const { checkedAt, stale } = verificationOf(observed, terms)
  const actionability = actionabilityOf(observed.order, stale, terms)
  return { actionability, checkedAt, confirmations: confirmationsOf(observed) }
}

/** An order that the authorities never judged is stale whatever its age. */
function verificationOf(
  observed: Observed<JudgedOrder>,
  { now, maxAgeSeconds }: FreshnessTerms,
): VerificationView {
  const { order } = observed
  const own = order.verifiedAt ?? order.validation.checkedAt
  const continued = continuedTo(observed)
  const checkedAt = continued === null ? own : laterKnown(own, continued, now)
  const ageMs = now - Date.parse(checkedAt)
  const ageSeconds = Math.max(0, ageMs) / 1_000
  const isUnknown = order.verifiedAt === null || ageMs < -CLOCK_SKEW_MS
  return { checkedAt, ageSeconds, maxAgeSeconds, stale: isUnknown || ageSeconds > maxAgeSeconds }
}

/** The later of two times, unless it is of a clock that was set back since. */
function laterKnown(a: string, b: string, now: number): string {
  const [earlier, later] = a < b ? [a, b] : [b, a]
  return Date.parse(later) - now > CLOCK_SKEW_MS ? earlier : later
}

/**
 * Until when the order's partition vouches for it: the assets of an unspent output do not move, so
 * an ask verified under an unbroken run of watermarks is as true as the last of them. So is a bid,
 * since watermarks name the changes of its funding.
 */
function continuedTo({ order, freshness }: Observed<JudgedOrder>): string | null {
  if (!freshness?.watermark.covers || heldUnder(order) === null) return null
  return isContinuous(order, freshness) ? freshness.watermark.at : null
}

// The settlement's own count dates from when it was seen; blocks have come since.
function confirmationsOf({ order, freshness }: Observed<JudgedOrder>): number | undefined {
  const height = order.spend?.block?.height
  if (!order.settlement || height === undefined || !freshness)
    return order.settlement?.confirmations
  const confirmations = freshness.watermark.tip.height - height + 1
  return confirmations > 0 ? confirmations : order.settlement.confirmations
}

function reasonsOf(order: OrderRecord): string[] {
  const { validation, notes, sources, quotedPriceSats, hidden } = order
  const differs = sources.some(
    ({ claimedPriceSats }) =>
      claimedPriceSats !== undefined &&
      quotedPriceSats !== undefined &&
      claimedPriceSats !== quotedPriceSats,
  )
  const claims = differs ? [shown('price_claim_differs')] : []
  const said = [...validation.reasons, ...runesOf(order), ...withdrawnReasons(order)]
  const moderation = hidden ? [shown('hidden_by_operator')] : []
  return [...new Set([...said, ...notes, ...claims, ...moderation])]
}

const shown = (reason: ShownReason, detail?: string): string =>
  detail === undefined ? reason : `${reason} ${detail}`

/** Which runes, and how many: shown to a buyer of runes before any quote. */
const runesOf = ({ state, indexProof }: OrderRecord): string[] =>
  state === 'LIVE'
    ? runesHeld(indexProof?.runes ?? []).map((text) => shown('holds_rune', text))
    : []

/**
 * Withdrawal affects discovery; it does not cancel (gateway spec 1.5): a valid signature stays
 * valid until a block spends the output.
 */
function withdrawnReasons({ state, kept, spend }: OrderRecord): string[] {
  const isGood = kept.inspection.signatureStatus === 'VALID'
  const isOpen = state === 'WITHDRAWN' && isGood && !spend?.block
  return isOpen ? [shown('still_spendable')] : []
}

function actionabilityOf(
  { state, kept, protocolId, hidden }: JudgedOrder,
  stale: boolean,
  { capabilityOf }: Pick<SummaryTerms, 'capabilityOf'>,
): Actionability {
  if (hidden || BLOCKED.has(state)) return 'BLOCKED'
  const capable = protocolId === undefined || capabilityOf(protocolId) === 'PSBT_HANDOFF'
  const ready = state === 'LIVE' && !stale && kept.inspection.safety === 'PUBLIC_RACEABLE'
  return ready && capable ? 'HANDOFF_READY' : 'REVIEW_ONLY'
}
