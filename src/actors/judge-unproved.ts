import type { OfferExaminer, OrderExaminer } from '../authorities/offer-examiner.ts'
import { leavesNothingOpen } from '../domain/order/leaves-nothing-open.ts'
import { isProved } from '../domain/order/proved.ts'
import type { JudgedOffer, OfferJudge, OfferToJudge } from '../ports/feeds/offer-judge.ts'
import type { Evidence } from '../schemas/evidence.ts'
import type { Cause, ChangeRecord, RefusedOutcome } from '../schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import type { UnprovedChange } from '../schemas/unproved.ts'
import { outranksKept } from './events/competing-claims.ts'
import { type JudgedBy, judgeOrder, type MarketOf } from './events/judge-order.ts'
import type { OrderEvent } from './events/order-events.ts'
import { isWaiting } from './order/changes/imports.ts'
import { newOrder } from './order/changes/new-order.ts'
import { stepOrder } from './order/step-order.ts'

export interface JudgingParts {
  /** For new offers, and for rechecks, which come last. */
  offers: Record<
    'incoming' | 'again',
    Pick<OfferExaminer & OrderExaminer, 'examineProof' | 'examineOrder'>
  >
  network: Network
  marketOf: MarketOf
}

const REQUEST = 'unproved'

/**
 * Steps an order that is in no log by the same statechart as logged ones: the same wrapper with the
 * same answers gets the same state and reason.
 */
export const offerJudge = (parts: JudgingParts): OfferJudge => ({
  async judge(offer, signal): Promise<JudgedOffer> {
    const life = new Life(offer.known)
    const refused = bring(life, offer, parts.network)
    const judged = await look(life, offer, parts, signal)
    if (refused === null) return judged
    // What the node could judge by now has made room.
    const still = bring(life, offer, parts.network)
    return still ? { ...judged, refused: still } : await look(life, offer, parts, signal)
  },
  bringsNews,
})

/**
 * The order is as the views have it, which show no pending question: a wrapper that waits to be judged
 * is news until it was.
 */
function bringsNews(known: OrderRecord, claim: OfferClaim): boolean {
  const mayBeJudged = !known.metadataFixed || outranksKept(known, claim)
  if (mayBeJudged && isWaiting(known, claim)) return true
  const event = { requestId: REQUEST, at: claim.source.observedAt, watermark: null }
  const { change, outcomes } = stepOrder(
    known,
    known,
    { type: 'IMPORT', claim, ...event },
    NO_CAUSE,
  )
  // It has no outcome while it waits for a verdict, and a refusal is the log's to give.
  return change !== null || outcomes.every(({ outcome }) => outcome.status !== 'done')
}

const momentOf = ({ at }: OfferToJudge) => ({ at, watermark: null })

/** Brings the wrapper, if there is one; a refusal if the order has no room for it. */
function bring(life: Life, offer: OfferToJudge, network: Network): RefusedOutcome | null {
  const event = { requestId: REQUEST, ...momentOf(offer) }
  if (offer.known === null) {
    const made = newOrder(offer.orderId, network, offer)
    return life.step(made, { type: 'CREATE', ...event })
  }
  const { claim } = offer
  return claim && life.step(life.order, { type: 'IMPORT', claim, ...event })
}

/** Has the node judge all wrappers of the order. */
async function look(
  life: Life,
  offer: OfferToJudge,
  { offers, marketOf }: JudgingParts,
  signal?: AbortSignal,
): Promise<JudgedOffer> {
  const moment = momentOf(offer)
  if (life.order.pending === null) {
    life.step(life.order, { type: 'RECHECK', purpose: 'recheck', ...moment })
  }
  const { order, changes } = life
  // Nothing is asked about a wrapper that its inspection refused.
  if (order.pending === null) return { order, changes, isProved: isProved(order) }
  const claims = [order.kept, ...order.claims]
  const examiner = offer.claim ? offers.incoming : offers.again
  const { isSigned, evidence } = offer.begun
    ? await examiner.examineOrder(order.outpoint, claims, offer.begun, signal)
    : proofOf(await examiner.examineProof(order.outpoint, claims, signal))
  if (isSigned || !evidence) return { order, changes, isProved: true, ...settled(evidence) }
  const judgement = judgeOrder(order, evidence, { marketOf, ...UNFOLLOWED })
  life.step(order, { type: 'EVIDENCE', evidence, judgement, ...moment })
  return { order: life.order, changes, isProved: isProved(life.order), ...awayIn(evidence) }
}

const proofOf = (said: Evidence | 'signed') =>
  said === 'signed' ? { isSigned: true, evidence: null } : { isSigned: false, evidence: said }

const settled = (evidence: Evidence | null): Pick<JudgedOffer, 'evidence'> =>
  evidence && leavesNothingOpen(evidence) ? { evidence } : {}

const awayIn = ({ node }: Evidence): Pick<JudgedOffer, 'away'> =>
  node.status === 'unavailable' ? { away: node.reason } : {}

/** One order through several events, and the changes of its state. */
class Life {
  readonly changes: UnprovedChange[] = []
  #order: OrderRecord | null

  constructor(known: OrderRecord | null) {
    this.#order = known
  }

  get order(): OrderRecord {
    if (this.#order === null) throw new Error('an order is made by its first event')
    return this.#order
  }

  /** Why the event was refused; null: it was not. */
  step(order: OrderRecord, event: OrderEvent): RefusedOutcome | null {
    const { order: stepped, change, outcomes } = stepOrder(this.#order, order, event, NO_CAUSE)
    this.#order = stepped
    if (change?.kind === 'transition') this.changes.push(changeOf(change))
    const refusals = outcomes.flatMap(({ outcome }) =>
      outcome.status === 'refused' ? [outcome] : [],
    )
    return refusals[0] ?? null
  }
}

const changeOf = ({
  fromState,
  toState,
  reason,
  actor,
  observedAt,
}: ChangeRecord): UnprovedChange => ({ fromState, toState, reason, actor, observedAt })

/** No watermark applies to an answer that is in no partition. */
export const UNFOLLOWED: Pick<JudgedBy, 'isContinuousSince' | 'followed'> = {
  isContinuousSince: () => false,
  followed: () => null,
}

/** What happens outside the log has no log record as its cause. */
export const NO_CAUSE: Cause = { partition: 0, offset: 0, kind: 'command' }
