import type { OfferExaminer, OrderExaminer } from '../authorities/offer-examiner.ts'
import { leavesNothingOpen } from '../domain/order/leaves-nothing-open.ts'
import { isProved } from '../domain/order/proved.ts'
import type { JudgedOffer, OfferJudge } from '../ports/feeds/offer-judge.ts'
import type { Evidence } from '../schemas/evidence.ts'
import type { Cause, ChangeRecord } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import type { UnprovedChange } from '../schemas/unproved.ts'
import { type JudgedBy, judgeOrder, type MarketOf } from './events/judge-order.ts'
import type { OrderEvent } from './events/order-events.ts'
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
export const offerJudge = ({ offers, network, marketOf }: JudgingParts): OfferJudge => ({
  async judge(offer, signal): Promise<JudgedOffer> {
    let away: Pick<JudgedOffer, 'away'> = {}
    const moment = { at: offer.at, watermark: null }
    const life = new Life(offer.known)
    if (offer.known === null) {
      const made = newOrder(offer.orderId, network, offer)
      life.step(made, { type: 'CREATE', requestId: REQUEST, ...moment })
    } else if (offer.claim !== null) {
      const { claim } = offer
      life.step(offer.known, { type: 'IMPORT', claim, requestId: REQUEST, ...moment })
    }
    if (life.order.pending === null) {
      life.step(life.order, { type: 'RECHECK', purpose: 'recheck', ...moment })
    }
    // Nothing is asked about a wrapper that its inspection refused.
    if (life.order.pending !== null) {
      const { order } = life
      const claims = [order.kept, ...order.claims]
      const examiner = offer.claim ? offers.incoming : offers.again
      const { outpoint } = order
      const { isSigned, evidence } = offer.begun
        ? await examiner.examineOrder(outpoint, claims, offer.begun, signal)
        : proofOf(await examiner.examineProof(outpoint, claims, signal))
      if (isSigned || !evidence)
        return { order, changes: life.changes, isProved: true, ...settled(evidence) }
      away = awayIn(evidence)
      const judgement = judgeOrder(order, evidence, { marketOf, ...UNFOLLOWED })
      life.step(order, { type: 'EVIDENCE', evidence, judgement, ...moment })
    }
    return { order: life.order, changes: life.changes, isProved: isProved(life.order), ...away }
  },
})

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

  step(order: OrderRecord, event: OrderEvent): void {
    const { order: stepped, change } = stepOrder(this.#order, order, event, NO_CAUSE)
    this.#order = stepped
    if (change?.kind === 'transition') this.changes.push(changeOf(change))
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
