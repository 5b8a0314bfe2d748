import { setup } from 'xstate'
import { isProved } from '../../domain/order/proved.ts'
import { isExactPayout } from '../../domain/verdict/payout.ts'
import { refusalOf, type VerdictState } from '../../domain/verdict/verdict.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderEvent, OrderEventOf } from '../events/order-events.ts'
import * as checks from './changes/checks.ts'
import * as endings from './changes/endings.ts'
import * as imports from './changes/imports.ts'
import * as moderation from './changes/moderation.ts'
import { recall, refuseWrapper } from './changes/new-order.ts'
import * as news from './changes/news.ts'
import * as verdicts from './changes/verdicts.ts'

type EventType = OrderEvent['type']

const isEvent = <T extends EventType>(
  event: OrderEvent,
  types: readonly T[],
): event is OrderEventOf<T> => (types as readonly EventType[]).includes(event.type)

const orders = setup({
  types: {
    context: {} as { order: OrderRecord },
    events: {} as OrderEvent,
  },
  guards: {
    // A wrapper that offers nothing is decided by its inspection, unless another waits to be judged;
    // a closed order is final.
    isOver: ({ context: { order } }) =>
      order.closedAt !== null ||
      (refusalOf(order.kept.inspection) !== null && order.pending === null),
    isAsked: ({ context: { order } }) => order.pending !== null,
    isProved: ({ context: { order } }) => isProved(order),
    isDecided: ({ context: { order }, event }) =>
      event.type === 'IMPORT' && imports.isDecided(order, event.claim),
    hasTooManyClaims: ({ context: { order }, event }) =>
      event.type === 'IMPORT' && imports.hasTooManyClaims(order, event.claim),
    isDiscarded: ({ event }) => event.type === 'EVIDENCE' && event.judgement.kind === 'discarded',
    isAhead: ({ event }) => event.type === 'EVIDENCE' && event.judgement.kind === 'ahead',
    awaitsChain: ({ context: { order } }) => order.pending?.awaitsChain === true,
    isAway: ({ event }) => event.type === 'EVIDENCE' && event.judgement.kind === 'away',
    verdictIs: ({ event }, { state }: { state: VerdictState }) =>
      event.type === 'EVIDENCE' &&
      event.judgement.kind === 'verdict' &&
      event.judgement.verdict.state === state,
    // A state from before the order was logged: it must precede everything the log saw of it.
    recalls: ({ context: { order }, event }, { state }: { state: VerdictState }) =>
      event.type === 'RECALL' &&
      event.state === state &&
      order.state !== state &&
      order.verifiedAt === null,
    isOldSpend: ({ context: { order }, event }) =>
      'spend' in event && news.isOldSpend(order, event.spend),
    isKnownSpend: ({ context: { order }, event }) =>
      'spend' in event && news.isKnownSpend(order, event.spend),
    isUnnamedSpend: ({ context: { order } }) => order.spend === null && order.closedAt === null,
    isExactPayout: ({ context: { order }, event }) =>
      'spend' in event && isExactPayout(order.kept.offer, event.spend),
    isKnownBlock: ({ context: { order }, event }) =>
      'block' in event && news.isKnownBlock(order, event.block),
    isOtherBlock: ({ context: { order }, event }) =>
      'block' in event && !news.isKnownBlock(order, event.block),
  },
  actions: {
    // Effects: returned to the host, never run here.
    askForEvidence: () => undefined,
    answerDone: () => undefined,
    answerVerdict: () => undefined,
    answerWaiting: () => undefined,
    refuseClaim: () => undefined,
    refuseWithdrawal: () => undefined,
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

/** Asks the question; the effect is emitted only if none is pending already. */
const ask = orders.enqueueActions(({ context: { order }, enqueue }) => {
  enqueue.assign(({ context, event }) => ({ order: putQuestion(context.order, event) }))
  if (order.pending === null) enqueue('askForEvidence')
})

function putQuestion(order: OrderRecord, event: OrderEvent): OrderRecord {
  switch (event.type) {
    case 'CREATE':
    case 'IMPORT':
      return checks.ask(order, event, 'import', { requestId: event.requestId, kind: 'import' })
    case 'REVALIDATE':
      return checks.ask(order, event, 'request', { requestId: event.requestId, kind: 'revalidate' })
    case 'RECHECK':
      return checks.ask(order, event, event.purpose)
    default:
      return checks.ask(order, event, 'recheck')
  }
}

/** Ends the question; the effect is emitted for requests that came after it. */
const endCheck = orders.enqueueActions(({ context: { order }, enqueue }) => {
  enqueue.assign(({ context, event }) => ({ order: checks.end(context.order, event) }))
  if (checks.hasLate(order)) enqueue('askForEvidence')
})

const askAgain = fold(['EVIDENCE', 'RECHECK'], checks.askAgain)
const awaitChain = orders.assign(({ context: { order } }) => ({ order: checks.awaitChain(order) }))
const deferRecheck = orders.assign(({ context: { order } }) => ({
  order: checks.deferRecheck(order),
}))
const touch = orders.assign(({ context: { order } }) => ({ order: checks.touch(order) }))
const loseContinuity = fold(['CONTINUITY_LOST'], checks.loseContinuity)
const foldVerdict = fold(['EVIDENCE'], verdicts.foldVerdict)
const refuseOffer = fold(['CREATE'], refuseWrapper)
const recallState = fold(['RECALL'], recall)
const noteSource = fold(['IMPORT'], imports.noteSource)
const addClaim = fold(['IMPORT'], imports.addClaim)
const noteSpend = fold(['SPEND_SEEN', 'SPEND_CONFIRMED', 'SPEND_UNCONFIRMED'], news.noteSpend)
const noteOutputBlock = fold(['OUTPUT_CONFIRMED'], news.noteOutputBlock)
const forgetBlock = fold(['OUTPUT_UNCONFIRMED'], news.forgetBlock)
const loseOutput = fold(['OUTPUT_UNCONFIRMED', 'OUTPUT_GONE'], news.loseOutput)
const withdraw = fold(['WITHDRAW'], endings.withdraw)
const hide = fold(['HIDE'], moderation.hide)
const unhide = fold(['UNHIDE'], moderation.unhide)
const close = fold(['CLOSE'], endings.close)
const giveWay = fold(['MAKE_ROOM'], endings.giveWay)
const refuseForRoom = fold(['MAKE_ROOM'], endings.refuseForRoom)
const closeForRoom = fold(['MAKE_ROOM'], endings.closeForRoom)

const verdict = <S extends VerdictState>(state: S) => ({
  guard: { type: 'verdictIs' as const, params: { state } },
  target: `.${state}` as const,
  actions: ['answerVerdict' as const, foldVerdict, endCheck],
})

const recalled = <S extends VerdictState>(state: S) => ({
  guard: { type: 'recalls' as const, params: { state } },
  target: state,
  actions: recallState,
})

const unused = [
  { guard: 'isDiscarded' as const, actions: [askAgain, 'askForEvidence' as const] },
  { guard: 'isAhead' as const, actions: awaitChain },
  { guard: 'isAway' as const, actions: ['answerVerdict' as const, deferRecheck, endCheck] },
]

/** The states that may be recalled while nothing about the order is proved. */
const recallable = {
  RECALL: [
    recalled('PENDING_NODE'),
    recalled('MEMPOOL_CONFLICTED'),
    recalled('SPENT'),
    recalled('SETTLED'),
    recalled('REJECTED'),
  ],
}
/** An order that is over, or was never proved, only closes; waiting requests are answered. */
const closedForRoom = { actions: [closeForRoom, 'answerWaiting' as const] }

/** A closed order gets no news, so its state must not keep asserting something about the output. */
const refusedForRoom = [
  {
    guard: 'isProved' as const,
    target: 'WITHDRAWN' as const,
    actions: [giveWay, 'answerWaiting' as const],
  },
  { target: 'REJECTED' as const, actions: [refuseForRoom, 'answerWaiting' as const] },
]

/** While the output is in a block: without one, no index can vouch for its contents. */
const outputLost = {
  OUTPUT_UNCONFIRMED: [
    { guard: 'isOtherBlock' as const, actions: touch },
    { target: 'PENDING_ASSET' as const, actions: [loseOutput, ask] },
  ],
  OUTPUT_GONE: { target: 'REJECTED' as const, actions: [loseOutput, ask] },
}

/** A block spends the output: only the loss of that same block reopens it. */
const spentInBlock = {
  MAKE_ROOM: closedForRoom,
  WITHDRAW: { actions: 'refuseWithdrawal' as const },
  SPEND_UNCONFIRMED: [
    { guard: 'isOver' as const },
    {
      guard: 'isKnownSpend' as const,
      target: 'MEMPOOL_CONFLICTED' as const,
      actions: [noteSpend, ask],
    },
    { actions: touch },
  ],
}

/** No answer named what spends the output in a block: any spend that is undone may be that one. */
const unnamedSpend = { guard: 'isUnnamedSpend' as const, actions: ask }

/**
 * An order's life. A verdict of the authorities may lead to any state but WITHDRAWN. News of the
 * chain moves an order at once where it alone decides, and asks for a verdict where it does not.
 * First match wins. No step awaits: time is an event, effects go back to the host.
 */
export const orderMachine = orders.createMachine({
  id: 'order',
  initial: 'PENDING_NODE',
  // Never started: each step resolves the state named in the order's record.
  context: {} as { order: OrderRecord },
  on: {
    IMPORT: [
      { guard: 'isDecided', actions: [noteSource, 'answerDone'] },
      { guard: 'hasTooManyClaims', actions: 'refuseClaim' },
      { actions: [noteSource, addClaim, ask] },
    ],
    REVALIDATE: [{ guard: 'isOver', actions: 'answerDone' }, { actions: ask }],
    RECHECK: [
      { guard: 'isOver' },
      { guard: 'awaitsChain', actions: [askAgain, 'askForEvidence'] },
      { actions: ask },
    ],
    EVIDENCE: [
      ...unused,
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
      { guard: 'isOldSpend', actions: touch },
      { target: '.MEMPOOL_CONFLICTED', actions: [noteSpend, touch] },
    ],
    SPEND_CONFIRMED: [
      { guard: 'isOver' },
      { guard: 'isOldSpend', actions: touch },
      { guard: 'isExactPayout', target: '.SETTLED', actions: [noteSpend, touch] },
      { target: '.SPENT', actions: [noteSpend, touch] },
    ],
    SPEND_DROPPED: [
      { guard: 'isOver' },
      { guard: 'isKnownSpend', actions: ask },
      { actions: touch },
    ],
    SPEND_UNCONFIRMED: [{ guard: 'isOver' }, { actions: touch }],
    OUTPUT_SEEN: [{ guard: 'isOver' }, { actions: touch }],
    OUTPUT_CONFIRMED: [
      { guard: 'isOver' },
      { guard: 'isKnownBlock' },
      { actions: [noteOutputBlock, ask] },
    ],
    OUTPUT_UNCONFIRMED: [
      { guard: 'isOver' },
      { guard: 'isOtherBlock', actions: touch },
      { actions: [forgetBlock, ask] },
    ],
    OUTPUT_GONE: [{ guard: 'isOver' }, { actions: ask }],
    CONTINUITY_LOST: [{ guard: 'isOver' }, { actions: [loseContinuity, ask] }],
    WITHDRAW: { target: '.WITHDRAWN', actions: [withdraw, 'answerDone'] },
    // Whether an order is shown is independent of its state.
    HIDE: { actions: [hide, 'answerDone'] },
    UNHIDE: { actions: [unhide, 'answerDone'] },
    CLOSE: [{ guard: 'isAsked' }, { actions: close }],
    MAKE_ROOM: [
      { guard: 'isProved', target: '.WITHDRAWN', actions: [giveWay, 'answerWaiting'] },
      closedForRoom,
    ],
  },
  states: {
    PENDING_NODE: {
      on: {
        ...recallable,
        CREATE: [
          { guard: 'isOver', target: 'REJECTED', actions: [refuseOffer, 'answerDone'] },
          { actions: ask },
        ],
        OUTPUT_SEEN: { actions: ask },
        MAKE_ROOM: refusedForRoom,
      },
    },
    PENDING_ASSET: { on: outputLost },
    LIVE: { on: outputLost },
    MEMPOOL_CONFLICTED: { on: { ...recallable, MAKE_ROOM: refusedForRoom } },
    SPENT: {
      on: {
        ...recallable,
        ...spentInBlock,
        SPEND_DROPPED: unnamedSpend,
        SPEND_UNCONFIRMED: [unnamedSpend, ...spentInBlock.SPEND_UNCONFIRMED],
      },
    },
    SETTLED: {
      on: { ...recallable, ...spentInBlock, SPEND_SEEN: [{ guard: 'isOver' }, { actions: touch }] },
    },
    REJECTED: { on: { ...recallable, OUTPUT_SEEN: [{ guard: 'isOver' }, { actions: ask }] } },
    // Terminal. The output is still watched: what happens to it is recorded.
    WITHDRAWN: {
      on: {
        IMPORT: { actions: [noteSource, 'answerDone'] },
        WITHDRAW: { actions: 'answerDone' },
        MAKE_ROOM: closedForRoom,
        EVIDENCE: [...unused, { actions: ['answerVerdict', foldVerdict, endCheck] }],
        SPEND_SEEN: [
          { guard: 'isOver' },
          { guard: 'isOldSpend', actions: touch },
          { actions: [noteSpend, touch] },
        ],
        SPEND_CONFIRMED: [
          { guard: 'isOver' },
          { guard: 'isOldSpend', actions: touch },
          { actions: [noteSpend, touch] },
        ],
        SPEND_UNCONFIRMED: [
          { guard: 'isOver' },
          { guard: 'isKnownSpend', actions: [noteSpend, ask] },
          { actions: touch },
        ],
      },
    },
  },
})
