import { describe, expect, test } from 'vitest'
import { fromTransition } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import type { OrderEvent } from '../../../src/actors/events/order-events.ts'
import { ORDER_EDGES } from '../../../src/actors/order/order-edges.ts'
import { isProved } from '../../../src/domain/order/proved.ts'
import { NOTED_REASONS } from '../../../src/domain/reasons/noted-reasons.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { OrderState } from '../../../src/schemas/scalars.ts'
import {
  askClaim,
  blockAt,
  evidenceOf,
  indexAway,
  indexSays,
  MISSING,
  nodeAway,
  nodeSays,
  OUTPUT_BLOCK,
  signatureOf,
  spendBlock,
  spendBy,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../../support/orders/evidence.ts'
import { checkedStep, evidenceEvent, moment } from '../../support/orders/life.ts'
import { withdrawn } from '../../support/orders/order-events.ts'
import { orderOf } from '../../support/orders/orders.ts'

// The chart is walked by stepping real records through `stepOrder`, never by setting its state: an
// edge counts only when a sequence of events leads to it.

const good = askClaim()
const broken = askClaim({ wrapper: 'broken' })
const unsupported = askClaim({ inspection: { orderClass: 'UNSUPPORTED', reasons: ['unsigned'] } })
const signatures = [signatureOf(good), signatureOf(broken, 'INVALID')]
const buyer = spendBy('buyer', { block: spendBlock() })
const thief = spendBy('thief', { block: spendBlock(), pairedOutput: null })
const inMempool = (spend: typeof buyer) => ({ ...spend, block: null })
const lockedBlock = unspent({ block: blockAt(TIP_HEIGHT), coinbase: true })

const ANSWERS: Record<string, Evidence> = {
  away: evidenceOf({ node: nodeAway(), index: indexAway('asset_index_not_asked') }),
  'index away': evidenceOf({ node: nodeSays({ signatures }), index: indexAway() }),
  'index behind': evidenceOf({
    node: nodeSays({ signatures }),
    index: indexSays({ at: { ...blockAt(OUTPUT_BLOCK.height - 9), version: 'ord 1' } }),
  }),
  live: evidenceOf({ node: nodeSays({ signatures }) }),
  unconfirmed: evidenceOf({
    node: nodeSays({ signatures, output: unspent({ block: null }) }),
    index: indexAway('asset_index_not_asked'),
  }),
  immature: evidenceOf({ node: nodeSays({ signatures, output: lockedBlock }) }),
  missing: evidenceOf({ node: nodeSays({ output: MISSING, signatures: [] }) }),
  conflict: evidenceOf({ node: nodeSays({ signatures, output: spentBy(inMempool(thief)) }) }),
  settled: evidenceOf({ node: nodeSays({ signatures, output: spentBy(buyer) }) }),
  spent: evidenceOf({ node: nodeSays({ signatures, output: spentBy(thief) }) }),
  unnamed: evidenceOf({ node: nodeSays({ signatures, output: spentBy(null, true) }) }),
}

const EVENTS: OrderEvent[] = [
  ...[good, broken].map((claim) => ({
    type: 'IMPORT' as const,
    claim,
    requestId: 'import',
    ...moment(),
  })),
  { type: 'REVALIDATE', requestId: 'revalidate', ...moment() },
  withdrawn,
  ...(['SPEND_SEEN', 'SPEND_DROPPED'] as const).flatMap((type) =>
    [buyer, thief].map((spend) => ({ type, spend: inMempool(spend), ...moment() })),
  ),
  ...(['SPEND_CONFIRMED', 'SPEND_UNCONFIRMED'] as const).flatMap((type) =>
    [buyer, thief].map((spend) => ({ type, spend, ...moment() })),
  ),
  { type: 'OUTPUT_SEEN', block: null, ...moment() },
  { type: 'OUTPUT_CONFIRMED', block: OUTPUT_BLOCK, ...moment() },
  { type: 'OUTPUT_UNCONFIRMED', block: OUTPUT_BLOCK, ...moment() },
  { type: 'OUTPUT_GONE', block: null, ...moment() },
  { type: 'RECHECK', purpose: 'recheck', ...moment() },
  { type: 'CONTINUITY_LOST', ...moment() },
  { type: 'CLOSE', ...moment() },
  ...(['PENDING_NODE', 'MEMPOOL_CONFLICTED', 'SPENT', 'SETTLED', 'REJECTED'] as const).map(
    (state) => ({ type: 'RECALL' as const, state, reason: `was in ${state}`, ...moment() }),
  ),
  { type: 'MAKE_ROOM', ...moment() },
]

type World = { order: OrderRecord; isBorn: boolean }

/** Every edge that was taken, as the chart names them. */
const walked = new Set<string>()
const noted = new Set<string>()
let steps = 0

const life = fromTransition(
  ({ order, isBorn }: World, event: OrderEvent): World => {
    const step = checkedStep(order, event, steps++)
    if (step.order.state !== order.state) {
      walked.add(`${order.state} ${event.type} ${step.order.state}`)
    }
    if (step.change?.kind === 'noted') noted.add(`${event.type} ${step.change.reason}`)
    return { order: step.order, isBorn: isBorn || event.type === 'CREATE' }
  },
  ({ input }: { input: World }) => input,
)

/** The events an order may receive in its state: evidence only while a question is open. */
function eventsFor({ order, isBorn }: World): OrderEvent[] {
  if (!isBorn) return [{ type: 'CREATE', requestId: 'create', ...moment() }]
  const answers = order.pending ? Object.values(ANSWERS) : []
  return [...EVENTS, ...answers.map((evidence) => evidenceEvent(order, evidence))]
}

/** Orders that no event can distinguish are one. */
function serializeState({ context: { order, isBorn } }: { context: World }): string {
  const { state, pending, spend, outputBlock, closedAt, metadataFixed, claims, reason } = order
  return JSON.stringify([
    isBorn,
    state,
    reason.startsWith('not_final') || reason === 'spender_unknown',
    pending && [pending.touched, pending.purpose === 'request'],
    spend && [spend.txid, spend.block?.hash],
    outputBlock?.hash,
    closedAt !== null,
    metadataFixed,
    isProved(order),
    claims.length > 0,
    order.kept.inspection.orderClass,
  ])
}

const serializeEvent = (event: OrderEvent): string =>
  JSON.stringify([
    event.type,
    'claim' in event && event.claim.inspection.digest,
    'spend' in event && event.spend.txid,
    'evidence' in event && Object.values(ANSWERS).indexOf(event.evidence),
  ])

const options = (claim = good) => ({
  input: { order: orderOf({}, claim), isBorn: false },
  events: ({ context }: { context: World }) => eventsFor(context),
  serializeState,
  serializeEvent,
  limit: 500_000,
})

describe('the order machine, walked by generated paths', () => {
  // Each traversal sends every event to an order in every situation that it reaches.
  const paths = getShortestPaths(life, options())
  const refused = getShortestPaths(life, options(unsupported))

  test('every state is reached, and every change on the way is sound [spec 3 rule 1]', () => {
    const states = [...paths, ...refused].map(({ state }) => state.context.order.state)
    expect([...new Set(states)].sort()).toEqual([...OrderState.options].sort())
    expect(steps).toBeGreaterThan(5_000)
  })

  test('every edge of the chart is taken by some path, and no other', () => {
    const edges = ORDER_EDGES.map(({ from, event, to }) => `${from} ${event} ${to}`)
    expect([...walked].sort()).toEqual([...new Set(edges)].sort())
  })

  test('every reason to note a change is given by some path', () => {
    // Hiding is tested in test/actors/order-moderation.test.ts, in every state.
    const { HIDE: _hide, UNHIDE: _unhide, ...ofChain } = NOTED_REASONS
    const reasons = Object.entries(ofChain).map(([type, { reason }]) => `${type} ${reason}`)
    expect([...noted].sort()).toEqual(reasons.sort())
  })

  test('the shortest path to a situation, walked again, ends in the same order', () => {
    for (const { state, steps: path } of paths.filter((_, at) => at % 10 === 0)) {
      let world = options().input
      for (const { event } of path.slice(1)) {
        world = { order: checkedStep(world.order, event, 0).order, isBorn: true }
      }
      expect(serializeState({ context: world })).toBe(serializeState(state))
    }
  })
})
