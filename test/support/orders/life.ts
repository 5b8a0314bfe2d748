import { isDeepStrictEqual } from 'node:util'
import { judgeOrder } from '../../../src/actors/events/judge-order.ts'
import type { Moment, OrderEvent } from '../../../src/actors/events/order-events.ts'
import { isOrderEdge } from '../../../src/actors/order/order-edges.ts'
import { type OrderStep, stepOrder } from '../../../src/actors/order/step-order.ts'
import type { MarketRules } from '../../../src/domain/assets/asset-verdict.ts'
import { isSealed } from '../../../src/domain/order/change-chain.ts'
import { foldOrder } from '../../../src/domain/order/fold-order.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import { ChangeRecord, OutcomeRecord } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { watermark } from '../log/watermarks.ts'
import { AT, INSCRIPTIONS, NO_MARKET } from './evidence.ts'

/** The markets of these tests: orders of `inscriptions` must hold one. */
export const marketOf = (protocolId: string | undefined): MarketRules =>
  protocolId === 'inscriptions' ? INSCRIPTIONS : NO_MARKET

/** When an event's record was written, under the watermark of that number. */
export const moment = (n = 0): Moment => ({ at: AT, watermark: watermark(n) })

/** The authorities' answer, judged as the host judges it. */
export const evidenceEvent = (order: OrderRecord, evidence: Evidence, n = 0): OrderEvent => ({
  type: 'EVIDENCE',
  evidence,
  judgement: judgeOrder(order, evidence, {
    marketOf,
    isContinuousSince: () => true,
    followed: () => moment(n).watermark?.tip ?? null,
  }),
  ...moment(n),
})

/** An actor's open work, which the log does not carry. */
export const withoutWork = ({ attempt: _attempt, pending: _pending, ...order }: OrderRecord) =>
  order

/**
 * One step, checked against what must be true of every step: the records match their schema, a
 * change follows the last one by seq and hash, is sealed, goes along an edge of the chart, and
 * folds to the order (`foldOrder` reads it by its schema).
 */
export function checkedStep(order: OrderRecord, event: OrderEvent, offset: number): OrderStep {
  const isFirst = event.type === 'CREATE'
  const before = isFirst ? null : order
  const step = stepOrder(before, order, event, { partition: 0, offset, kind: event.type })
  for (const outcome of step.outcomes) OutcomeRecord.parse(outcome)
  const { change } = step
  const problems: string[] = []
  const expect = (holds: boolean, problem: string) => holds || problems.push(problem)
  if (change) {
    ChangeRecord.parse(change)
    expect(change.seq === (before?.seq ?? 0) + 1, `seq ${change.seq} after ${before?.seq}`)
    expect(change.prevHash === (before?.hash ?? null), 'prevHash is not the last hash')
    expect(isSealed(change), 'the change is not sealed')
    expect(change.fromState === (before?.state ?? null), 'fromState is not the last state')
    expect(isOrderEdge(change.fromState, change.toState), 'no edge of the chart')
    expect(
      isDeepStrictEqual(withoutWork(foldOrder(before, change)), withoutWork(step.order)),
      'the fold is not the order',
    )
  } else {
    const same = isDeepStrictEqual(withoutWork(step.order), withoutWork(order))
    expect(same, 'the order changed without a log record')
  }
  expect(step.asks === step.order.attempt > order.attempt, 'a question without its effect')
  if (problems.length > 0) {
    throw new Error(`${order.state} ${event.type}: ${problems.join('; ')}`)
  }
  return step
}

/** An order with all its records, stepped by one event after another. */
export class Life {
  order: OrderRecord
  readonly steps: OrderStep[] = []

  constructor(order: OrderRecord) {
    this.order = order
  }

  get states(): string[] {
    return this.steps.flatMap(({ change }) => (change?.kind === 'transition' ? change.toState : []))
  }

  get outcomes(): OutcomeRecord[] {
    return this.steps.flatMap(({ outcomes }) => outcomes)
  }

  outcomeOf(requestId: string): OutcomeRecord['outcome'] | undefined {
    return this.outcomes.find((one) => one.requestId === requestId)?.outcome
  }

  tell(event: OrderEvent): OrderStep {
    const step = checkedStep(this.order, event, this.steps.length)
    this.steps.push(step)
    this.order = step.order
    return step
  }

  answer(evidence: Evidence, n = 0): OrderStep {
    return this.tell(evidenceEvent(this.order, evidence, n))
  }
}
