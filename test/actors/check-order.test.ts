import { describe, expect, test } from 'vitest'
import { orderCheck } from '../../src/actors/check-order.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import {
  askClaim,
  evidenceOf,
  indexAway,
  indexSays,
  inscriptionAt,
  MISSING,
  nodeAway,
  nodeSays,
  proved,
  signatureOf,
  spendBlock,
  spendBy,
  spentBy,
} from '../support/orders/evidence.ts'
import { evidenceEvent, Life, marketOf } from '../support/orders/life.ts'
import { revalidated } from '../support/orders/order-events.ts'
import { liveOrder } from '../support/orders/orders.ts'

// A check outside the log says what a revalidation in the log would have said.

const LATER = '2030-01-01T00:01:00.000Z'
const claim = askClaim({ protocolId: 'inscriptions' })
const order = liveOrder({}, claim)
const holding = { index: indexSays({ inscriptions: [inscriptionAt()] }) }
const signed = [signatureOf(claim)]

const check = async (known: OrderRecord, evidence: Evidence) => {
  const asked: unknown[][] = []
  const examine = async (...question: unknown[]) => {
    asked.push(question)
    return evidence
  }
  const checked = await orderCheck({ examiner: { examine }, marketOf }).check(known, LATER)
  return { checked, asked }
}

/** What a revalidation in the log makes of the same answers. */
function inLog(known: OrderRecord, evidence: Evidence) {
  const life = new Life(known)
  life.tell({ ...revalidated('asked'), at: LATER })
  life.tell({ ...evidenceEvent(life.order, evidence), at: LATER })
  return { order: life.order, outcome: life.outcomeOf('asked') }
}

test('an order that is still LIVE has the verdict that a revalidation would have given', async () => {
  const evidence = evidenceOf({
    node: nodeSays({ signatures: signed }),
    ...holding,
    askedAt: LATER,
  })
  const { checked, asked } = await check(order, evidence)
  const logged = inLog(order, evidence)
  expect(logged.outcome).toMatchObject({ status: 'done' })
  if (checked.status !== 'live') throw new Error(checked.status)
  expect(checked.order.state).toBe('LIVE')
  expect(checked.order.validation).toEqual(logged.order.validation)
  expect(checked.order.validation.checkedAt).toBe(LATER)
  expect(checked.order.verifiedAt).toBe(LATER)
  expect(checked.order.assets).toEqual(logged.order.assets)
  expect(checked.order.pending).toBeNull()
  expect(asked).toEqual([[order.outpoint, [order.kept], undefined]])
})

describe.each<[what: string, evidence: Partial<Evidence>]>([
  ['the node is away', { node: nodeAway() }],
  ['the index is away', { node: nodeSays({ signatures: signed }), index: indexAway() }],
  [
    'the index was reorganised',
    { node: nodeSays({ signatures: signed }), index: indexAway('asset_index_reorged') },
  ],
])('%s', (_what, evidence) => {
  test('refuses as a revalidation does', async () => {
    const { checked } = await check(order, evidenceOf(evidence))
    const { outcome } = inLog(order, evidenceOf(evidence))
    expect(checked.status).toBe('refused')
    expect(checked).toEqual(outcome)
  })
})

const byThief = (block: ReturnType<typeof spendBlock> | null) =>
  nodeSays({ output: spentBy(spendBy('thief', { block })), signatures: signed })

describe.each<[what: string, evidence: Partial<Evidence>]>([
  ['spent in the mempool', { node: byThief(null), ...holding }],
  ['spent in a block', { node: byThief(spendBlock()), ...holding }],
  ['unknown to the node', { node: nodeSays({ output: MISSING, signatures: signed }), ...holding }],
  ['without the asset', { node: nodeSays({ signatures: signed }) }],
  [
    'signed by nobody',
    { node: nodeSays({ signatures: [signatureOf(claim, 'INVALID')] }), ...holding },
  ],
  [
    'not examined by the index',
    { node: nodeSays({ signatures: signed }), index: indexSays({ indexed: false }) },
  ],
])('an output that is %s', (_what, evidence) => {
  test('is for the log to judge', async () => {
    const { checked } = await check(order, evidenceOf(evidence))
    expect(checked).toEqual({ status: 'changed' })
    expect(inLog(order, evidenceOf(evidence)).order.state).not.toBe('LIVE')
  })
})

test('what the index once proved does not stand for its answer now', async () => {
  const evidence = evidenceOf({
    node: nodeSays({ signatures: signed }),
    index: indexSays({ indexed: false }),
  })
  const before = liveOrder({ indexProof: proved(holding.index) }, claim)
  expect((await check(before, evidence)).checked).toEqual({ status: 'changed' })
  expect(inLog(before, evidence).order.state).toBe('LIVE')
})

test('a question that the log has open is not answered by this one', async () => {
  const asked = new Life(order)
  asked.tell(revalidated('before'))
  const { checked } = await check(
    asked.order,
    evidenceOf({ node: nodeSays({ signatures: signed }), ...holding }),
  )
  expect(checked).toEqual({ status: 'changed' })
})
