import { createHash } from 'node:crypto'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { completeAsk, makeBid } from '../../src/devnet/people/trade.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { changeOf } from '../../src/domain/dispute/bundle-change.ts'
import { verifyBundle } from '../../src/domain/dispute/verify-bundle.ts'
import type { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import type { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { toTxid } from '../support/ids.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import {
  coinOf,
  devnetOf,
  type Listing,
  listInscription,
  spendAll,
} from '../support/market/trader.ts'
import { signedBy } from '../support/orders/withdrawals.ts'

const TOKEN = '0defaced'.repeat(8)
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const VARIABLES = {
  RATE_LIMIT_OPERATOR: '100000',
  OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
}

/** The history follows the changes on its own, on a busy machine seconds later. */
const PATIENCE = { timeout: 40_000, interval: 500 }

let market: Market
beforeAll(async () => {
  market = await openMarket(VARIABLES)
})
afterAll(() => market.end())

const ask = (id: string, asOperator = false): Promise<Response> => {
  const path = `/api/market/${asOperator ? 'admin/' : ''}orders/${id}/bundle`
  return fetch(`${market.address}${path}`, { headers: asOperator ? OPERATOR : {} })
}

/** The key that the service publishes. */
async function bundleKey(): Promise<string> {
  const { safety } = (await market.get('protocol')).body as ProtocolContract
  return safety.bundleKey ?? expect.fail('the service has no key')
}

interface Received {
  text: string
  bundle: DisputeBundle
}

async function received(id: string, asOperator = false): Promise<Received> {
  const { answer, text } = await vi.waitFor(async () => {
    const tried = await ask(id, asOperator)
    const body = await tried.text()
    expect(body).not.toContain('"HISTORY_UNAVAILABLE"')
    return { answer: tried, text: body }
  }, PATIENCE)
  expect(answer.status, text).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const bundle = DisputeBundle.parse(JSON.parse(text))
  expect(verifyBundle(text, ecc, await bundleKey())).toMatchObject({ failed: [], isSigned: true })
  return { text, bundle }
}

async function asOperator(id: string, act: string, body: object): Promise<void> {
  const answer = await market.post(`admin/orders/${id}/${act}`, body, OPERATOR)
  expect(answer.status).toBe(201)
}

/** Buys it, in the mempool. */
async function buy(id: string): Promise<string> {
  const buyer = accountOf('buyer', 'p2wpkh')
  const { psbt } = (await market.get(`orders/${id}/artifact`)).body as { psbt: string }
  const hex = completeAsk({
    ask: psbt,
    buyer,
    paddings: [coinOf(market, buyer, 600n), coinOf(market, buyer, 600n)],
    funding: coinOf(market, buyer, 1_000_000n),
    receiveScriptHex: accountOf('buyer', 'p2tr').scriptHex,
  })
  return devnetOf(market).submit(hex)
}

const reaches = (id: string, wanted: OrderSummary['state']) =>
  market.orderUntil(id, ({ state }) => state === wanted)

const withheldOf = ({ changes }: DisputeBundle) =>
  changes.map((change) => ('record' in change ? null : change.withheld))

describe('the bundle of an order', () => {
  let sale: Listing
  let live: Received
  let settled: Received
  let whole: Received
  beforeAll(async () => {
    sale = await listInscription(market)
    const { id } = sale.order
    live = await received(id)
    await buy(id)
    await reaches(id, 'MEMPOOL_CONFLICTED')
    devnetOf(market).mine(1)
    await reaches(id, 'SETTLED')
    settled = await received(id)
    whole = await received(id, true)
  })

  test('that is LIVE has its artifact, and every change in full', () => {
    const { bundle, text } = live
    expect(bundle.artifact.withheld).toBeNull()
    expect(withheldOf(bundle).filter((why) => why !== null)).toEqual([])
    expect(bundle.proofs.output?.block).toEqual(bundle.order.outputBlock)
    const { proved } = verifyBundle(text, ecc)
    expect(proved).toContain('the order is the fold of all its changes')
    expect(proved).toContain('the order id names what the artifact authorises')
    expect(proved).toContain('the signature of the artifact is VALID for its prevout')
    expect(proved.at(-1)).toMatch(/^[1-9] verdicts follow from their evidence/)
  })

  test('that is settled proves its sale, and has an artifact only for an operator', async () => {
    const { bundle, text } = settled
    expect(bundle.artifact).toMatchObject({ psbt: null, withheld: 'not_live' })
    expect(text).not.toContain('cHNid')
    expect([withheldOf(bundle)[0], withheldOf(bundle).at(-1)]).toEqual(['artifact', null])
    const { proved, claimed } = verifyBundle(text, ecc, await bundleKey())
    expect(proved).toContain('it pays exactly what the order asked')
    expect(claimed.filter((fact) => fact.includes('spent the offered output'))).toHaveLength(1)
    expect(withheldOf(whole.bundle).filter((why) => why !== null)).toEqual([])
    expect(whole.bundle.artifact.psbt).toBe(live.bundle.artifact.psbt)
    // On mainnet only the last two: anyone makes blocks of regtest.
    const { claimed: only } = verifyBundle(whole.text, ecc, await bundleKey())
    expect(only).toHaveLength(7)
    expect(only.filter((fact) => !/\b(?:block|blocks|headers)\b/.test(fact))).toHaveLength(1)
  })

  test('is the same until the order changes, by its ETag too', async () => {
    const [one, other] = await Promise.all([ask(sale.order.id), ask(sale.order.id)])
    expect(await one.text()).toBe(await other.text())
    expect(one.headers.get('etag')).toBe(other.headers.get('etag'))
    expect(one.headers.get('etag')).not.toBeNull()
  })
})

test('a sale that a reorganisation reverted is in the changes of the order', async () => {
  const { order } = await listInscription(market)
  await buy(order.id)
  devnetOf(market).mine(1)
  await reaches(order.id, 'SETTLED')
  devnetOf(market).reorg(1)
  const now = await market.orderUntil(order.id, ({ state }) => state !== 'SETTLED')
  const { bundle } = await received(order.id, true)
  expect(bundle.order.state).toBe(now.state)
  expect(bundle.changes.map((change) => changeOf(change).toState)).toContain('SETTLED')
  await received(order.id)
})

test('operators’ texts are withheld, and a hidden order has no bundle', async () => {
  const { order } = await listInscription(market)
  await asOperator(order.id, 'hide', { reason: 'a very bad word' })
  const hidden = await ask(order.id)
  expect([hidden.status, ((await hidden.json()) as { code: string }).code]).toEqual([
    404,
    'ORDER_HIDDEN',
  ])
  const { text } = await received(order.id, true)
  expect(text).toContain('a very bad word')
  expect(text).toContain('"operator":"mia"')
  expect(verifyBundle(text, ecc).claimed.filter((fact) => fact.endsWith('withdrew it'))).toEqual([])
  await asOperator(order.id, 'unhide', {})
  await asOperator(order.id, 'withdraw', { reason: 'stolen' })
  await reaches(order.id, 'WITHDRAWN')
  const shown = await received(order.id)
  expect(shown.text).not.toContain('a very bad word')
  expect(shown.text).not.toContain('mia')
  expect(withheldOf(shown.bundle)).toContain('operator')
  const nameless = 'an operator, whose name is withheld, withdrew it'
  expect(verifyBundle(shown.text, ecc).claimed).toContain(nameless)
  const whole = await received(order.id, true)
  expect(verifyBundle(whole.text, ecc).claimed).toContain('operator mia withdrew it')
})

test('a withdrawal is shown with the proof of its seller, which anyone can verify again', async () => {
  const { order } = await listInscription(market)
  const seller = accountOf('seller', 'p2tr')
  const { body } = await market.get(`orders/${order.id}/ownership-challenge`)
  const { message } = body as OwnershipChallenge
  const signature = signedBy(seller, message)
  await market.post(`orders/${order.id}/withdraw`, { address: seller.address, signature })
  await reaches(order.id, 'WITHDRAWN')
  const { bundle, text } = await received(order.id)
  expect(bundle.changes.at(-1)).toMatchObject({ record: { proof: { message, signature } } })
  const fact = `the owner of ${seller.address} signed that this order be withdrawn`
  expect(verifyBundle(text, ecc).proved).toContain(fact)
  // Whoever makes it, and whatever it is hashed to: another's signature is found.
  const thief = signedBy(accountOf('a thief', 'p2tr'), message)
  const forged = text.replaceAll(signature, thief)
  expect(verifyBundle(forged, ecc).failed).toContain(`not so: ${fact}`)
})

describe('each verdict is given again by what the order had at the time', () => {
  test('under the label of an import that another one replaced', async () => {
    const seller = accountOf('seller', 'p2tr')
    const coin = coinOf(market, seller, 10_000n)
    const psbt = seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: '50000' })
    const { body } = await market.post('orders/import', { psbt, protocolId: 'inscriptions' })
    const refused: OrderSummary = body
    expect(refused.validation.reasons).toEqual(['asset_missing'])
    await market.post('orders/import', { psbt })
    await reaches(refused.id, 'LIVE')
    await received(refused.id)
    await received(refused.id, true)
  })

  test('by the earlier answer of an index that was away, though a reorganisation voided it', async () => {
    const devnet = devnetOf(market)
    const { order, offered } = await listInscription(market)
    const seller = accountOf('seller', 'p2tr')
    const fee = coinOf(market, seller, 5_000n)
    const elsewhere = [{ scriptHex: seller.scriptHex, valueSats: '10000' }]
    const txid = devnet.submit(spendAll([offered, fee], seller, elsewhere))
    await reaches(order.id, 'MEMPOOL_CONFLICTED')
    devnet.stopIndex()
    devnet.evict(txid)
    await reaches(order.id, 'LIVE')
    devnet.startIndex()
    devnet.reorg(2)
    await reaches(order.id, 'PENDING_ASSET')
    const { bundle } = await received(order.id, true)
    const index = bundle.changes.map((change) => changeOf(change).evidence?.index.status)
    expect(index).toContain('unavailable')
    await received(order.id)
  })
})

test('a bid has the prevouts of its funding in its evidence, which alone says what they hold', async () => {
  const { order, offered } = await listInscription(market)
  const buyer = accountOf('bidder', 'p2wpkh')
  const psbt = makeBid({
    wanted: offered,
    seller: accountOf('seller', 'p2tr'),
    buyer,
    funding: coinOf(market, buyer, 200_000n),
    priceSats: 80_000n,
  })
  const { body } = await market.post('orders/import', { psbt })
  const bid: OrderSummary = body
  expect(bid).toMatchObject({ state: 'LIVE', side: 'BID' })
  expect(bid.id).not.toBe(order.id)
  const { text } = await received(bid.id)
  const { proved, claimed } = verifyBundle(text, ecc)
  expect(claimed).toContain(
    'the signature of the artifact is VALID for the prevouts that evidence names',
  )
  expect(claimed.filter((fact) => fact.startsWith('that the order existed: '))).toHaveLength(1)
  expect(proved).not.toContain('the order is the fold of all its changes')
  const byKey = verifyBundle(text, ecc, await bundleKey()).proved
  expect(byKey).toContain('the order is the fold of all its changes')
})

test('of an unknown order, and of an unproved one, there is none', async () => {
  for (const id of ['0'.repeat(64), 'nothing']) expect((await ask(id)).status).toBe(404)
  const seller = accountOf('nobody', 'p2tr')
  const offered = {
    ...coinOf(market, seller, 10_000n),
    outpoint: { txid: toTxid('ab'.repeat(32)), vout: 0 },
  }
  const psbt = seller.ask(offered, { scriptHex: seller.scriptHex, valueSats: '5000' })
  const { body } = await market.post('orders/import', { psbt })
  const unproved: OrderSummary = body
  const answer = await ask(unproved.id)
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    400,
    'ORDER_NOT_PROVED',
  ])
  const versions = await market.get(`orders/${unproved.id}/history`)
  expect(versions.status).toBe(200)
})

test('is for operators only in its full form', async () => {
  const answer = await fetch(`${market.address}/api/market/admin/orders/${'0'.repeat(64)}/bundle`)
  expect(answer.status).toBe(401)
})
