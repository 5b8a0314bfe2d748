import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type CheckedOutput, OutputsChecked } from '../../src/schemas/api/outputs/check.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import { indexWith } from '../support/chain/scripted-authorities.ts'
import { openTestApp } from '../support/http/http.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { addressOf, inscribedFor } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { signedHex } from '../support/market/sign-all.ts'
import { devnetOf } from '../support/market/trader.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'

const owner = walletOf('p2wpkh', 'owner of the checked')

let market: Market
let plain: Outpoint
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  plain = devnetOf(market).fund(addressOf(owner), 10_000n)
})
afterAll(() => market.end())
afterEach(() => {
  vi.restoreAllMocks()
  devnetOf(market).startNode()
  devnetOf(market).startIndex()
  devnetOf(market).holdIndex(null)
})

async function check(...outpoints: Outpoint[]): Promise<OutputsChecked> {
  const { status, body } = await market.post('outpoints/check', { outpoints })
  expect(status, JSON.stringify(body)).toBe(201)
  return OutputsChecked.parse(body)
}
async function checked(outpoint: Outpoint): Promise<CheckedOutput> {
  const [one] = (await check(outpoint)).outputs
  if (!one) throw new Error('no answer')
  return one
}
const codes = ({ troubles }: CheckedOutput) => troubles.map(({ code }) => code)
const text = ({ txid, vout }: Outpoint) => `${txid}:${vout}`

test('an empty coin is safe', async () => {
  const found = await check(plain)
  expect(found.outputs).toEqual([
    {
      outpoint: plain,
      safe: true,
      output: { valueSats: '10000', scriptHex: owner.scriptHex },
      height: found.nodeTip.height,
      troubles: [],
    },
  ])
  expect(found.indexTip).toEqual(found.nodeTip)
})

test('what does not exist, or not yet', async () => {
  const nowhere = { txid: toTxid('ab'.repeat(32)), vout: 0xffffffff }
  const unconfirmed = devnetOf(market).fund(addressOf(owner), 9_000n, { confirm: false })
  const { outputs } = await check(nowhere, unconfirmed, plain)
  expect(outputs.map(({ safe, output, height }) => [safe, output !== null, height])).toEqual([
    [false, false, null],
    [false, true, null],
    [true, true, expect.any(Number)],
  ])
  expect(outputs.map(codes)).toEqual([['spent_or_unknown'], ['unconfirmed'], []])
  devnetOf(market).mine(1)
})

test('what a transaction of the mempool spends, and then a block', async () => {
  const seller = walletOf('p2wpkh', 'spender')
  const outpoint = devnetOf(market).fund(addressOf(seller), 50_000n)
  const { body } = await market.post(`outpoints/${text(outpoint)}/self-spend`, {
    destinationAddress: addressOf(owner),
    feeRateSatsPerVb: '2',
  })
  const { psbt }: { psbt: string } = body
  const hex = signedHex(psbt, seller)
  const txid = devnetOf(market).submit(hex)
  expect(await checked(outpoint)).toMatchObject({
    safe: false,
    troubles: [{ code: 'spent_in_mempool', subject: txid }],
  })
  devnetOf(market).mine(1)
  expect(codes(await checked(outpoint))).toEqual(['spent_or_unknown'])
})

test('an inscription, and an order that offers it', async () => {
  const seller = walletOf('p2tr', 'seller of the checked')
  const { inscriptionId, outpoint } = inscribedFor(market, seller)
  expect(await checked(outpoint)).toMatchObject({
    safe: false,
    troubles: [{ code: 'holds_inscription', subject: inscriptionId }],
  })
  const { psbt } = makeAsk({
    seed: 'seller of the checked',
    prevout: { ...outpoint, valueSats: '10000' },
  })
  const { body } = await market.post('orders/import', { psbt })
  const { id }: { id: string } = body
  const found = await checked(outpoint)
  expect(codes(found)).toEqual(['offered', 'holds_inscription'])
  expect(found.troubles[0]?.subject).toBe(id)
})

test('a coinbase output that is not mature, and a script whose spend has no known size', async () => {
  const [hash = ''] = devnetOf(market).mine(1, { coinbaseScriptHex: owner.scriptHex })
  const block = await market.gateway.node?.block(toBlockHash(hash))
  const coinbase = { txid: block?.transactions[0]?.txid ?? toTxid(''), vout: 0 }
  const anchor = { txid: devnetOf(market).pay([{ script: ANCHOR, valueSats: 1_000n }]), vout: 0 }
  const { outputs } = await check(coinbase, anchor)
  expect(outputs.map(codes)).toEqual([['coinbase_immature'], ['spend_size_unknown']])
})
const ANCHOR = Uint8Array.from(Buffer.from('51024e73', 'hex'))

test('runes, where the index follows them', async () => {
  const spied = market.gateway.index
  if (!spied) throw new Error('there is no index')
  const contents = vi.spyOn(spied, 'contents')
  contents.mockImplementation(
    indexWith({
      contents: async (outpoints) =>
        outpoints.map(() => ({
          indexed: true,
          spent: false,
          inscriptionIds: [],
          runes: [{ name: 'UNCOMMON•GOODS', amount: '1' }],
        })),
    }).contents,
  )
  const found = await check(plain)
  expect(found.outputs[0]).toMatchObject({
    safe: false,
    troubles: [{ code: 'holds_runes', subject: 'UNCOMMON•GOODS' }],
  })
  expect(found.notices).toEqual([])
  contents.mockImplementation(async (outpoints) => outpoints.map(() => null))
  expect(codes(await checked(plain))).toEqual(['not_examined'])
})

test('while the index lags or is unavailable, what it has not examined is not safe', async () => {
  const { height } = (await check(plain)).nodeTip
  devnetOf(market).holdIndex(height)
  const young = devnetOf(market).fund(addressOf(owner), 8_000n)
  const behind = await check(plain, young)
  expect(behind.outputs.map(codes)).toEqual([[], ['index_behind']])
  expect(behind.indexTip?.height).toBe(height)

  devnetOf(market).stopIndex()
  const away = await check(plain)
  expect(away.outputs[0]).toMatchObject({
    safe: false,
    troubles: [{ code: 'index_unavailable', subject: 'asset_index_unreachable' }],
  })
  expect(away.indexTip).toBeNull()
})

test('while the node is unavailable, nothing is answered', async () => {
  devnetOf(market).stopNode()
  const { status, headers, body } = await market.post('outpoints/check', { outpoints: [plain] })
  expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  expect(body).toMatchObject({ code: 'NODE_UNAVAILABLE' })
})

test('a hundred outputs are a few queries to node and index', async () => {
  const { node, index } = market.gateway
  if (!node || !index) throw new Error('an authority is missing')
  const many = [
    vi.spyOn(node, 'outputs'),
    vi.spyOn(node, 'mempoolSpenders'),
    vi.spyOn(index, 'contents'),
  ]
  const single = [vi.spyOn(node, 'output'), vi.spyOn(index, 'output')]
  const txid = devnetOf(market).pay(
    Array.from({ length: 99 }, () => ({
      script: Uint8Array.from(Buffer.from(owner.scriptHex, 'hex')),
      valueSats: 1_000n,
    })),
  )
  const coins = Array.from({ length: 99 }, (_, vout) => ({ txid, vout }))
  const { outputs } = await check(plain, ...coins)
  expect(outputs.map(({ outpoint }) => text(outpoint))).toEqual([plain, ...coins].map(text))
  expect(outputs.every(({ safe }) => safe)).toBe(true)
  // Repeated for each tip that comes meanwhile; others ask at the same time, about fewer outputs.
  for (const spy of many) {
    const calls = spy.mock.calls.filter(([outpoints]) => outpoints.length === 100)
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.length).toBeLessThanOrEqual(3)
  }
  const asked = single.flatMap((spy) => spy.mock.calls.map(([outpoint]) => outpoint.txid))
  expect(asked).not.toContain(txid)
})

test.each([
  ['none', []],
  ['101', Array.from({ length: 101 }, (_, vout) => ({ txid: 'ab'.repeat(32), vout }))],
  [
    'the same one twice',
    [
      { txid: 'ab'.repeat(32), vout: 1 },
      { txid: 'ab'.repeat(32), vout: 1 },
    ],
  ],
  ['one of a short txid', [{ txid: 'ab', vout: 0 }]],
  ['one of a large index', [{ txid: 'ab'.repeat(32), vout: 2 ** 32 }]],
  ['one as text', [`${'ab'.repeat(32)}:0`]],
])('%s of outputs is a refusal', async (_name, outpoints) => {
  const { body } = await market.post('outpoints/check', { outpoints })
  expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
})

test('checks are counted separately; without a node each is 503', async () => {
  const it = await openTestApp({ http: { rateLimits: { outpointCheck: 1, outpoint: 1 } } })
  try {
    const outpoints = [{ txid: 'ab'.repeat(32), vout: 0 }]
    const path = `/api/market/outpoints/${'ab'.repeat(32)}:0`
    const send = async () => (await it.post('/api/market/outpoints/check', { outpoints })).json()
    const read = async () => (await it.get(path)).json()
    const spend = async () => (await it.post(`${path}/self-spend`, { destinationAddress })).json()
    const destinationAddress = addressOf(owner)
    expect([await send(), await send()]).toMatchObject([
      { statusCode: 503, code: 'NODE_UNAVAILABLE' },
      { statusCode: 429, code: 'MARKET_RATE_LIMITED' },
    ])
    expect([await read(), await spend()]).toMatchObject([
      { statusCode: 503, code: 'NODE_UNAVAILABLE' },
      { statusCode: 429, code: 'MARKET_RATE_LIMITED' },
    ])
  } finally {
    await it.close()
  }
})
