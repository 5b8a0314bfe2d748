import { setup } from 'xstate'
import { isExactPayout } from '../domain/payout.ts'
import type { VerdictState } from '../domain/verdict.ts'
import type { ErrorCode } from '../schemas/errors.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import * as change from './order-changes.ts'
import type { OrderEvent, OrderEventOf } from './order-events.ts'

type EventType = OrderEvent['type']

const isEvent = <T extends EventType>(
  event: OrderEvent,
  types: readonly T[],
): event is OrderEventOf<T> => (types as readonly EventType[]).includes(event.type)

const orders = setup({
  types: {
    context: {} as { order: OrderRecord },
    events: {} as OrderEvent,
    input: {} as { order: OrderRecord },
  },
  guards: {
    // An unsupported wrapper offers nothing that the authorities could decide; a closed order is final.
    isOver: ({ context: { order } }) =>
      order.kept.inspection.orderClass === 'UNSUPPORTED' || order.closedAt !== null,
    isDecided: ({ context: { order }, event }) =>
      event.type === 'IMPORT' &&
      (change.isKnownClaim(order, event.claim) ||
        (order.metadataFixed && order.state === 'LIVE')) &&
      order.pending === null &&
      order.state !== 'PENDING_NODE',
    hasTooManyClaims: ({ context: { order } }) => change.hasTooManyClaims(order),
    isDiscarded: ({ event }) => event.type === 'EVIDENCE' && event.judgement.kind === 'discarded',
    isAway: ({ event }) => event.type === 'EVIDENCE' && event.judgement.kind === 'away',
    verdictIs: ({ event }, { state }: { state: VerdictState }) =>
      event.type === 'EVIDENCE' &&
      event.judgement.kind === 'verdict' &&
      event.judgement.verdict.state === state,
    isOldNews: ({ context: { order }, event }) =>
      'spend' in event && change.isOldNews(order, event.spend),
    isExactPayout: ({ context: { order }, event }) =>
      'spend' in event && isExactPayout(order.kept.offer, event.spend),
    isOurSpend: ({ context: { order }, event }) =>
      'spend' in event && order.spend?.txid === event.spend.txid,
    isSameBlock: ({ context: { order }, event }) =>
      'block' in event && event.block?.hash === order.outputBlock?.hash,
  },
  actions: {
    // Effects: returned to the host, never run here.
    askForEvidence: () => undefined,
    answerDone: () => undefined,
    answerVerdict: () => undefined,
    refuse: (_, _refusal: { code: ErrorCode; message: string }) => undefined,
  },
})

/** An action that changes the order by one reducer, for the events named. */
const fold = <T extends EventType>(
  types: readonly T[],
  reduce: (order: OrderRecord, event: OrderEventOf<T>) => OrderRecord,
) =>
  orders.assign(({ context: { order }, event }) => ({
    order: isEvent(event, types) ? reduce(order, event) : order,
  }))

const PURPOSES = { IMPORT: 'import', CREATE: 'import', REVALIDATE: 'request' } as const

/** Puts the question; the effect goes out only when none is out already. */
const ask = orders.enqueueActions(({ context: { order }, event, enqueue }) => {
  const isOut = order.pending !== null
  enqueue.assign(({ context, event: cause }) => ({ order: putQuestion(context.order, cause) }))
  if (!isOut || event.type === 'EVIDENCE') enqueue('askForEvidence')
})

function putQuestion(order: OrderRecord, event: OrderEvent): OrderRecord {
  if (event.type === 'EVIDENCE') return change.askAgain(order, event)
  if (event.type === 'RECHECK') return change.ask(order, event, event.purpose)
  if (!isEvent(event, ['CREATE', 'IMPORT', 'REVALIDATE']))
    return change.ask(order, event, 'recheck')
  const kind = event.type === 'REVALIDATE' ? 'revalidate' : 'import'
  return change.ask(order, event, PURPOSES[event.type], { requestId: event.requestId, kind })
}

const refuseUnsupported = fold(['CREATE'], change.refuseUnsupported)
const noteSource = fold(['IMPORT'], change.noteSource)
const addClaim = fold(['IMPORT'], change.addClaim)
const foldVerdict = fold(['EVIDENCE'], change.foldVerdict)
const endCheck = fold(['EVIDENCE'], change.endCheck)
const noteSpend = fold(['SPEND_SEEN', 'SPEND_CONFIRMED'], change.noteSpend)
const noteOutputBlock = fold(['OUTPUT_CONFIRMED'], change.noteOutputBlock)
const loseOutput = fold(['OUTPUT_UNCONFIRMED', 'OUTPUT_GONE'], change.loseOutput)
const loseContinuity = fold(['CONTINUITY_LOST'], change.loseContinuity)
const withdraw = fold(['WITHDRAW'], change.withdraw)
const close = fold(['CLOSE'], change.close)
const touch = orders.assign(({ context: { order } }) => ({ order: change.touch(order) }))

const verdict = <S extends VerdictState>(state: S) => ({
  guard: { type: 'verdictIs' as const, params: { state } },
  target: `.${state}` as const,
  actions: ['answerVerdict' as const, foldVerdict],
})

/**
 * An order's life. A verdict of the authorities may lead to any state but WITHDRAWN. News of the
 * chain moves an order at once where it alone decides, and asks for a verdict where it does not.
 * First match wins. No step awaits: time is an event, effects go back to the host.
 */
export const orderMachine = orders.createMachine({
  id: 'order',
  initial: 'PENDING_NODE',
  context: ({ input }) => ({ order: input.order }),
  on: {
    IMPORT: [
      { guard: 'isOver', actions: [noteSource, 'answerDone'] },
      { guard: 'isDecided', actions: [noteSource, 'answerDone'] },
      {
        guard: 'hasTooManyClaims',
        actions: {
          type: 'refuse',
          params: {
            code: 'TOO_MANY_CLAIMS',
            message: 'too many wrappers of this order wait to be verified: try again later',
          },
        },
      },
      { actions: [noteSource, addClaim, ask] },
    ],
    REVALIDATE: [{ guard: 'isOver', actions: 'answerDone' }, { actions: ask }],
    RECHECK: [{ guard: 'isOver' }, { actions: ask }],
    EVIDENCE: [
      { guard: 'isDiscarded', actions: ask },
      { guard: 'isAway', actions: ['answerVerdict', endCheck] },
      verdict('PENDING_NODE'),
      verdict('PENDING_ASSET'),
      verdict('LIVE'),
      verdict('MEMPOOL_CONFLICTED'),
      verdict('SPENT'),
      verdict('SETTLED'),
      verdict('REJECTED'),
    ],
    SPEND_SEEN: [
      { guard: 'isOver' },
      { guard: 'isOldNews', actions: touch },
      { target: '.MEMPOOL_CONFLICTED', actions: [noteSpend, touch] },
    ],
    SPEND_CONFIRMED: [
      { guard: 'isOver' },
      { guard: 'isOldNews', actions: touch },
      { guard: 'isExactPayout', target: '.SETTLED', actions: [noteSpend, touch] },
      { target: '.SPENT', actions: [noteSpend, touch] },
    ],
    SPEND_DROPPED: [{ guard: 'isOver' }, { guard: 'isOurSpend', actions: ask }, { actions: touch }],
    SPEND_UNCONFIRMED: [
      { guard: 'isOver' },
      { guard: 'isOurSpend', actions: ask },
      { actions: touch },
    ],
    OUTPUT_SEEN: [{ guard: 'isOver' }, { actions: touch }],
    OUTPUT_CONFIRMED: [
      { guard: 'isOver' },
      { guard: 'isSameBlock' },
      { actions: [noteOutputBlock, ask] },
    ],
    OUTPUT_UNCONFIRMED: [{ guard: 'isOver' }, { actions: ask }],
    OUTPUT_GONE: [{ guard: 'isOver' }, { actions: ask }],
    CONTINUITY_LOST: [{ guard: 'isOver' }, { actions: [loseContinuity, ask] }],
    WITHDRAW: { target: '.WITHDRAWN', actions: [withdraw, 'answerDone'] },
    CLOSE: { actions: close },
  },
  states: {
    PENDING_NODE: {
      on: {
        CREATE: [
          { guard: 'isOver', target: 'REJECTED', actions: [refuseUnsupported, 'answerDone'] },
          { actions: ask },
        ],
        OUTPUT_SEEN: { actions: ask },
      },
    },
    PENDING_ASSET: {
      on: { OUTPUT_GONE: { target: 'REJECTED', actions: [loseOutput, ask] } },
    },
    LIVE: {
      on: {
        OUTPUT_UNCONFIRMED: { target: 'PENDING_ASSET', actions: [loseOutput, ask] },
        OUTPUT_GONE: { target: 'REJECTED', actions: [loseOutput, ask] },
      },
    },
    MEMPOOL_CONFLICTED: {},
    SPENT: { on: { WITHDRAW: { actions: notWithdrawable('spent') } } },
    SETTLED: { on: { WITHDRAW: { actions: notWithdrawable('settled') } } },
    REJECTED: { on: { OUTPUT_SEEN: [{ guard: 'isOver' }, { actions: ask }] } },
    // Nothing leaves it. The output is still watched: what becomes of it is recorded.
    WITHDRAWN: {
      on: {
        IMPORT: { actions: [noteSource, 'answerDone'] },
        WITHDRAW: { actions: 'answerDone' },
        EVIDENCE: [
          { guard: 'isDiscarded', actions: ask },
          { guard: 'isAway', actions: ['answerVerdict', endCheck] },
          { actions: ['answerVerdict', foldVerdict] },
        ],
        SPEND_SEEN: [{ guard: 'isOver' }, { guard: 'isOldNews' }, { actions: [noteSpend, touch] }],
        SPEND_CONFIRMED: [
          { guard: 'isOver' },
          { guard: 'isOldNews' },
          { actions: [noteSpend, touch] },
        ],
      },
    },
  },
})

function notWithdrawable(how: string) {
  return {
    type: 'refuse' as const,
    params: {
      code: 'ORDER_NOT_WITHDRAWABLE' as const,
      message: `the offered output is ${how}: there is nothing left to withdraw`,
    },
  }
}
