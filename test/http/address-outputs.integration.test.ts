import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { AddressOutputs, MAX_OWNED } from '../../src/schemas/api/outputs/owned.ts'
import { walletOf } from '../support/chain/keys.ts'
import { addressOf, inscribedFor } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'

const owner = walletOf('p2tr', 'seller of the owned')
const address = addressOf(owner)

interface Answer {
  status: number
  body: { code?: string; message?: string; id?: string }
}

let market: Market
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
})
afterAll(() => market.end())
afterEach(() => {
  vi.restoreAllMocks()
  devnetOf(market).startNode()
  devnetOf(market).startIndex()
})

const ask = (of = address) => market.get(`addresses/${of}/outputs`)
const read = async (of = address): Promise<AddressOutputs> => {
  const { status, body } = await ask(of)
  expect(status, JSON.stringify(body)).toBe(200)
  return AddressOutputs.parse(body)
}

test('an address without outputs has none, and what is no address is refused', async () => {
  expect(await read(addressOf(walletOf('p2wpkh', 'never paid')))).toMatchObject({
    outputs: [],
    total: 0,
  })
  const { status, body }: Answer = await ask('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  expect([status, body.message]).toEqual([400, 'address: is not an address of regtest'])
})

test('what can be sold is first, then what pays most; each is examined', async () => {
  const devnet = devnetOf(market)
  const small = devnet.fund(address, 600n)
  const large = devnet.fund(address, 90_000n)
  devnet.fund(address, 70_000n, { confirm: false })
  const { inscriptionId, outpoint } = inscribedFor(market, owner)
  const found = await read()
  expect(found.total).toBe(4)
  const [first, second] = found.outputs
  expect(first).toMatchObject({
    outpoint,
    safe: false,
    troubles: [{ code: 'holds_inscription', subject: inscriptionId }],
  })
  expect(second).toMatchObject({ outpoint: large, safe: true, troubles: [] })
  expect(found.outputs.at(-1)?.outpoint).toEqual(small)

  const prevout = { ...outpoint, valueSats: '10000' }
  const { psbt } = makeAsk({ seed: 'seller of the owned', prevout })
  const { body: order }: Answer = await market.post('orders/import', { psbt })
  const [listed] = (await read()).outputs
  expect(listed?.troubles).toMatchObject([
    { code: 'offered', subject: order.id },
    { code: 'holds_inscription' },
  ])
})

test('of many outputs the most useful are examined, and all counted', async () => {
  const { index } = market.gateway
  if (!index) throw new Error('the devnet has an index')
  const { txid } = devnetOf(market).fund(address, 1_000n)
  const many = Array.from({ length: 3 * MAX_OWNED }, (_, vout) => ({
    outpoint: { txid, vout },
    valueSats: `${1_000 + vout}`,
    holdsInscriptions: vout === 7,
  }))
  vi.spyOn(index, 'outputsOf').mockResolvedValue(many)
  const found = await read()
  expect(found.total).toBe(3 * MAX_OWNED)
  expect(found.outputs).toHaveLength(MAX_OWNED)
  expect(found.outputs.map(({ outpoint: { vout } }) => vout).slice(0, 2)).toEqual([7, 299])
})

test('of an address with many inscriptions, half of what is examined may pay', async () => {
  const { index } = market.gateway
  if (!index) throw new Error('the devnet has an index')
  const { txid } = devnetOf(market).fund(address, 1_000n)
  const owned = (paying: number) =>
    Array.from({ length: 2 * MAX_OWNED }, (_, vout) => ({
      outpoint: { txid, vout },
      valueSats: `${1_000 + vout}`,
      holdsInscriptions: vout >= paying,
    }))
  const places = async () => (await read()).outputs.map(({ outpoint: { vout } }) => vout)
  const outputsOf = vi.spyOn(index, 'outputsOf').mockResolvedValue(owned(2))
  expect((await places()).slice(-3)).toEqual([102, 1, 0])
  outputsOf.mockResolvedValue(owned(MAX_OWNED))
  const half = MAX_OWNED / 2
  expect((await places()).slice(half - 1, half + 1)).toEqual([150, 99])
})

test('without node or index it says so, and when to come back', async () => {
  const { index } = market.gateway
  if (!index) throw new Error('the devnet has an index')
  devnetOf(market).stopIndex()
  const away: Answer & { headers: Headers } = await ask()
  expect([away.status, away.body.code]).toEqual([503, 'ASSET_INDEX_UNAVAILABLE'])
  expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0)
  devnetOf(market).startIndex()
  vi.spyOn(index, 'outputsOf').mockResolvedValue(null)
  const { body }: Answer = await ask()
  expect(body.message).toContain('--index-addresses')
  vi.restoreAllMocks()
  devnetOf(market).stopNode()
  expect((await ask()).status).toBe(503)
})
