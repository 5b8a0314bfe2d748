import { afterAll, beforeAll, expect, test } from 'vitest'
import { readExposure } from '../../../src/gateway/exposure/read-exposure.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OutpointText } from '../../../src/schemas/scalars.ts'
import { nodeWith } from '../../support/chain/scripted-authorities.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'
import { toOutpointText } from '../../support/ids.ts'
import {
  AT,
  askClaim,
  bidClaim,
  evidenceOf,
  hash,
  MISSING,
  nodeAway,
  nodeSays,
  PREVOUT,
  spendBlock,
  spendBy,
  spentBy,
  unspent,
} from '../../support/orders/evidence.ts'
import { orderOf } from '../../support/orders/orders.ts'
import { viewsOf } from '../../support/orders/view-orders.ts'

// What no real node says on demand, and more asks of one output than other tests make.

let it: TestApp
let evidence: Evidence
beforeAll(async () => {
  const examineProof = async () => evidence
  it = await openTestApp({
    ports: { node: nodeWith(), inspections: { examine: examineProof, examineProof } },
  })
})
afterAll(() => it.close())

const placeOf = (name: string) => toOutpointText(`${hash(name)}:0`)

function ask(
  outpoint: OutpointText,
  sats: number,
  changes: Partial<OrderRecord> = {},
  locktime = 0,
) {
  const payouts = [{ valueSats: String(sats), scriptHex: PREVOUT.scriptHex }]
  const claim = askClaim({ wrapper: `${outpoint} ${sats}`, offer: { outpoint, payouts, locktime } })
  return orderOf({ id: hash(`${outpoint} ${sats}`), proved: true, ...changes }, claim)
}

async function exposed(outpoint: OutpointText, ...orders: OrderRecord[]) {
  if (orders.length > 0) await viewsOf(it.gateway.views).put(...orders)
  const signal = AbortSignal.timeout(10_000)
  return readExposure(it.gateway, it.gateway.views, outpoint, { limit: 50 }, signal)
}

test('what was closed to make room is kept: when, why, and at what price', async () => {
  evidence = evidenceOf({ node: nodeSays({ output: unspent() }) })
  const outpoint = placeOf('crowded')
  const closed = ask(outpoint, 9_000, {
    state: 'WITHDRAWN',
    reason: 'made_room',
    withdrawal: { withdrawnAt: AT, reason: 'room was made for a newer order of the output' },
    closedAt: AT,
  })
  const found = await exposed(outpoint, closed, ask(outpoint, 12_000, { state: 'LIVE' }))
  expect(found.authorisations.find(({ orderId }) => orderId === closed.id)).toEqual({
    orderId: closed.id,
    state: 'WITHDRAWN',
    reason: 'made_room',
    signedPriceSats: '9000',
    digest: closed.kept.inspection.digest,
    hidden: false,
    firstSeenAt: AT,
    lastSeenAt: AT,
    closedAt: AT,
    takeable: 'NOW',
    notBefore: null,
    version: 2,
    locktime: 0,
    sequence: 0xfffffffd,
  })
  expect(found.lowest.now).toMatchObject({ orderId: closed.id, signedPriceSats: '9000' })
})

test('a spend that the node cannot find any more is known from the log of the orders', async () => {
  const outpoint = placeOf('long ago')
  const spend = spendBy('purchase', { block: spendBlock() })
  const settled = ask(outpoint, 9_000, { state: 'SETTLED', reason: 'settled', spend })
  const { time: _time, ...block } = spendBlock()
  for (const output of [MISSING, spentBy(null, true)]) {
    evidence = evidenceOf({ node: nodeSays({ output }) })
    const found = await exposed(outpoint, settled)
    expect(found.output).toMatchObject({ status: 'SPENT', spentBy: { txid: spend.txid, block } })
    expect(found.authorisations[0]?.takeable).toBe('ENDED')
    expect(found.lowest).toEqual({ now: null, ever: null, complete: true })
  }
})

test('an output that is not found may come back, and so may its authorisations', async () => {
  evidence = evidenceOf({ node: nodeSays({ output: MISSING }) })
  const outpoint = placeOf('evicted')
  const found = await exposed(outpoint, ask(outpoint, 9_000, { state: 'REJECTED' }))
  expect(found.output.status).toBe('UNKNOWN')
  expect(found.authorisations[0]).toMatchObject({ takeable: 'LATER', notBefore: null })
  expect(found.lowest).toMatchObject({ now: null, ever: { signedPriceSats: '9000' } })
})

test('of many cheaper asks that cannot be taken yet not all are read, and the answer says so', async () => {
  evidence = evidenceOf({ node: nodeSays({ output: unspent() }) })
  const outpoint = placeOf('locked')
  const locked = Array.from({ length: 200 }, (_, n) => ask(outpoint, 1_000 + n, {}, 400_000_000))
  const found = await exposed(outpoint, ...locked, ask(outpoint, 50_000))
  expect(found.total).toBe(201)
  expect(found.lowest).toMatchObject({
    now: null,
    ever: { signedPriceSats: '1000', notBefore: { height: 400_000_001 } },
    complete: false,
  })
})

test('a time lock is shown as a time', async () => {
  evidence = evidenceOf({ node: nodeSays({ output: unspent() }) })
  const outpoint = placeOf('until a day')
  const found = await exposed(outpoint, ask(outpoint, 1_000, {}, 2_000_000_000))
  expect(found.lowest.ever?.notBefore).toEqual({ medianTime: 2_000_000_001 })
})

test('of the bids that an output pays for, the newest 50 and how many there are', async () => {
  evidence = evidenceOf({ node: nodeSays({ output: unspent() }) })
  const outpoint = placeOf('a purse')
  const bids = Array.from({ length: 51 }, (_, n) => {
    const claim = bidClaim({ wrapper: `bid ${n}`, offer: { funding: [outpoint] } })
    const createdAt = new Date(Date.parse(AT) + n).toISOString()
    const more = { id: hash(`bid ${n}`), proved: true, side: 'BID', createdAt } as const
    return orderOf(more, claim)
  })
  const found = await exposed(outpoint, ...bids)
  expect(found.bids.total).toBe(51)
  const expected = bids
    .slice(1)
    .map(({ id }) => id)
    .reverse()
  expect(found.bids.newest.map(({ orderId }) => orderId)).toEqual(expected)
  expect(found).toMatchObject({ authorisations: [], lowest: { now: null, complete: true } })
})

test('while the node is unavailable nothing is answered', async () => {
  evidence = evidenceOf({ node: nodeAway('node_in_ibd') })
  await expect(exposed(placeOf('any'))).rejects.toMatchObject({
    code: 'NODE_UNAVAILABLE',
    message: 'the node gives no answer: node_in_ibd',
  })
})
