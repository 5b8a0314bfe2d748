import type { OfferExaminer } from '../authorities/offer-examiner.ts'
import type { CheckedOrder, OrderCheck } from '../ports/authorities/order-check.ts'
import { judgeOrder, type MarketOf } from './events/judge-order.ts'
import { NO_CAUSE, UNFOLLOWED } from './judge-unproved.ts'
import { stepOrder } from './order/step-order.ts'

export interface CheckingParts {
  examiner: Pick<OfferExaminer, 'examine'>
  marketOf: MarketOf
}

const REQUEST = 'check'

/**
 * Steps a LIVE order by the same statechart as a revalidation in the log: the same answers give the
 * same state, reason and refusal.
 */
export const orderCheck = ({ examiner, marketOf }: CheckingParts): OrderCheck => ({
  async check(known, at, signal): Promise<CheckedOrder> {
    const moment = { at, watermark: null }
    const request = { type: 'REVALIDATE', requestId: REQUEST, ...moment } as const
    const { order } = stepOrder(known, known, request, NO_CAUSE)
    const evidence = await examiner.examine(order.outpoint, [order.kept, ...order.claims], signal)
    const judgement = judgeOrder(order, evidence, { marketOf, ...UNFOLLOWED })
    const answer = { type: 'EVIDENCE', evidence, judgement, ...moment } as const
    const { order: checked, outcomes } = stepOrder(order, order, answer, NO_CAUSE)
    const outcome = outcomes.find(({ requestId }) => requestId === REQUEST)?.outcome
    if (outcome?.status === 'refused') return outcome
    return outcome?.status === 'done' && checked.state === 'LIVE'
      ? { status: 'live', order: checked }
      : { status: 'changed' }
  },
})
