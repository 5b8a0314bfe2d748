import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hideOrder } from '../../src/gateway/commands/hide-order.ts'
import { operatorWithdraw } from '../../src/gateway/commands/operator-withdraw.ts'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { OutputsChecked } from '../../src/schemas/api/outputs/check.ts'
import { Exposure } from '../../src/schemas/api/outputs/exposure.ts'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import { toTxid } from '../support/ids.ts'
import { completeAsk } from '../support/market/buyer.ts'
import { addressOf } from '../support/market/listing.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { type AskOptions, makeAsk, makeBid } from '../support/orders/psbt-orders.ts'

const buyer = walletOf('p2wpkh', 'buyer of the exposed')
const mia = { operator: 'mia', reason: 'reported' }
const WORDS = 'WORDSOFASENDER'

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.end())
afterEach(() => devnetOf(market).startNode())

const text = ({ txid, vout }: Outpoint) => `${txid}:${vout}`
const signal = () => AbortSignal.timeout(10_000)

let coins = 0
/** A coin of a seller's own. */
function ownCoin() {
  coins += 1
  const seed = `exposed ${coins}`
  const seller = walletOf('p2tr', seed)
  const outpoint = devnetOf(market).fund(addressOf(seller), 10_000n)
  return { seed, seller, outpoint }
}
type OwnCoin = ReturnType<typeof ownCoin>

const askOf = ({ seed, seller, outpoint }: OwnCoin, sats: number, more: AskOptions = {}) =>
  makeAsk({
    seed,
    prevout: { ...outpoint, valueSats: '10000' },
    payout: { scriptHex: seller.scriptHex, valueSats: String(sats) },
    ...more,
  })

async function imported(psbt: string): Promise<OrderSummary> {
  const claims = { token: WORDS, sourceId: WORDS }
  const { status, body } = await market.post('orders/import', { psbt, ...claims })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const offered = (coin: OwnCoin, sats: number, more: AskOptions = {}) =>
  imported(askOf(coin, sats, more).psbt)

async function exposure(outpoint: Outpoint, query = ''): Promise<Exposure> {
  const { status, body } = await market.get(`outpoints/${text(outpoint)}${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(JSON.stringify(body)).not.toContain(WORDS)
  return Exposure.parse(body)
}
const noticed = ({ notices }: Exposure) => notices.map(({ code }) => code)

describe('the exposure of an output', () => {
  test('has every authorisation, withdrawn and hidden ones too, and the lowest price of all', async () => {
    const coin = ownCoin()
    const dear = await offered(coin, 90_000)
    const withdrawn = await offered(coin, 60_000)
    const hidden = await offered(coin, 30_000)
    await operatorWithdraw(market.gateway, withdrawn.id, mia, signal())
    await hideOrder(market.gateway, hidden.id, 'hide', mia, signal())
    const found = await exposure(coin.outpoint)
    expect(found).toMatchObject({
      outpoint: text(coin.outpoint),
      network: 'regtest',
      output: { status: 'UNSPENT', output: { valueSats: '10000' }, spentBy: null },
      lowest: {
        now: { orderId: hidden.id, signedPriceSats: '30000', notBefore: null },
        ever: { orderId: hidden.id },
        complete: true,
      },
      unproved: [],
      total: 3,
      hasMore: false,
    })
    const shown = new Map(found.authorisations.map((one) => [one.orderId, one]))
    expect(shown.get(dear.id)).toMatchObject({ state: 'LIVE', hidden: false, takeable: 'NOW' })
    expect(shown.get(withdrawn.id)).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_operator',
      signedPriceSats: '60000',
      digest: withdrawn.inspection.digest,
      takeable: 'NOW',
    })
    expect(shown.get(hidden.id)).toMatchObject({ hidden: true, takeable: 'NOW' })
    expect(noticed(found)).toEqual(['ENDS_WHEN_SPENT'])

    const first = await exposure(coin.outpoint, '?limit=2')
    expect(first).toMatchObject({ total: 3, limit: 2, hasMore: true, lowest: found.lowest })
    const rest = await exposure(coin.outpoint, `?limit=2&cursor=${first.nextCursor}`)
    expect(rest).toMatchObject({ total: 3, hasMore: false, nextCursor: '', lowest: found.lowest })
    expect([...first.authorisations, ...rest.authorisations]).toEqual(found.authorisations)
    const elsewhere = `outpoints/${'ab'.repeat(32)}:0?cursor=${first.nextCursor}`
    const refused: ErrorResponse = (await market.get(elsewhere)).body
    expect([refused.statusCode, refused.code]).toEqual([400, 'INVALID_CURSOR'])
  })

  test('has no price for what is signed as one whole transaction, until its ask is signed', async () => {
    const coin = ownCoin()
    const whole = await offered(coin, 20_000, { sighash: 0x00 })
    expect(whole.state).toBe('REJECTED')
    const before = await exposure(coin.outpoint)
    expect(before).toMatchObject({ authorisations: [], lowest: { now: null, ever: null } })
    expect(before.unproved).toMatchObject([{ orderId: whole.id, takeable: 'UNPROVED' }])
    const ask = await offered(coin, 20_000)
    expect(ask).toMatchObject({ id: whole.id, state: 'LIVE' })
    const after = await exposure(coin.outpoint)
    expect(after.authorisations).toMatchObject([{ orderId: ask.id, takeable: 'NOW' }])
    expect(after).toMatchObject({ unproved: [], lowest: { now: { orderId: ask.id } } })
  })

  test('distinguishes a price that can be taken later from one that can be taken now', async () => {
    const coin = ownCoin()
    const now = await offered(coin, 50_000)
    const { height } = (await exposure(coin.outpoint)).nodeTip
    const later = await offered(coin, 12_000, { locktime: height + 900, sequence: 0xfffffffe })
    const found = await exposure(coin.outpoint)
    expect(found.lowest).toEqual({
      now: { orderId: now.id, signedPriceSats: '50000', notBefore: null },
      ever: {
        orderId: later.id,
        signedPriceSats: '12000',
        notBefore: { height: height + 901 },
      },
      complete: true,
    })
    const shown = found.authorisations.find(({ orderId }) => orderId === later.id)
    expect(shown).toMatchObject({
      takeable: 'LATER',
      notBefore: { height: height + 901 },
      locktime: height + 900,
      sequence: 0xfffffffe,
      version: 2,
    })
  })

  test('shows what proved nothing apart, and never as a price', async () => {
    const coin = ownCoin()
    const forged = await offered({ ...coin, seed: 'somebody else' }, 1_000)
    expect(forged.state).toBe('REJECTED')
    const found = await exposure(coin.outpoint)
    expect(found.authorisations).toEqual([])
    expect(found.lowest).toEqual({ now: null, ever: null, complete: true })
    expect(found.unproved).toMatchObject([
      { orderId: forged.id, state: 'REJECTED', signedPriceSats: '1000', takeable: 'UNPROVED' },
    ])
  })

  test('leaves out what an inspection refuses, and says that it does', async () => {
    const coin = ownCoin()
    const open = await offered(coin, 20_000, { sighash: 0x82 })
    expect(open.inspection.orderClass).toBe('UNSUPPORTED')
    const found = await exposure(coin.outpoint)
    expect(found).toMatchObject({ authorisations: [], unproved: [], lowest: { ever: null } })
    expect(found.notices[0]?.message).toContain('or that an inspection refused')
  })

  test('excludes bids: the owner signed none of them', async () => {
    const coin = ownCoin()
    const funds = devnetOf(market).fund(addressOf(walletOf('p2wpkh', 'bidder')), 100_000n)
    const bid = makeBid({
      seller: coin.seller,
      prevout: { ...coin.outpoint, valueSats: '10000' },
      funding: [{ outpoint: funds }],
    })
    expect((await imported(bid.psbt)).side).toBe('BID')
    const none = { newest: [], total: 0 }
    const expected = { authorisations: [], bids: none, unproved: [] }
    expect(await exposure(coin.outpoint)).toMatchObject(expected)
  })

  test('of an output that pays for bids has these, apart, and no check calls it safe', async () => {
    const coin = ownCoin()
    const funds = devnetOf(market).fund(addressOf(walletOf('p2wpkh', 'bidder')), 100_000n)
    const bidder = (priceSats: string) =>
      makeBid({
        seller: coin.seller,
        prevout: { ...coin.outpoint, valueSats: '10000' },
        priceSats,
        funding: [{ outpoint: funds }],
      })
    const [low, high] = [bidder('20000'), bidder('30000')]
    const { id } = await imported(low.psbt)
    const dear = await imported(high.psbt)
    await hideOrder(market.gateway, dear.id, 'hide', mia, signal())
    const found = await exposure(funds)
    expect(found).toMatchObject({ authorisations: [], unproved: [], bids: { total: 2 } })
    const shown = new Map(found.bids.newest.map((one) => [one.orderId, one]))
    expect(shown.get(id)).toMatchObject({
      state: 'LIVE',
      outpoint: text(coin.outpoint),
      signedPriceSats: '20000',
      hidden: false,
      closedAt: null,
    })
    expect(shown.get(dear.id)).toMatchObject({ signedPriceSats: '30000', hidden: true })
    const checked = async () => {
      const { body } = await market.post('outpoints/check', { outpoints: [funds] })
      return OutputsChecked.parse(body).outputs[0]?.troubles
    }
    expect(await checked()).toMatchObject([{ code: 'pays_for_bid' }])
    for (const bid of [id, dear.id]) await operatorWithdraw(market.gateway, bid, mia, signal())
    expect(await checked()).toEqual([])
    expect((await exposure(funds)).bids.total).toBe(2)
  })

  test('continues while a purchase is in the mempool, and ends with its block', async () => {
    const coin = ownCoin()
    const cheap = await offered(coin, 15_000)
    const dear = askOf(coin, 40_000)
    const { id } = await imported(dear.psbt)
    const paid = (sats: bigint) => ({
      outpoint: devnetOf(market).fund(addressOf(buyer), sats),
      output: { scriptHex: buyer.scriptHex, valueSats: sats.toString() },
      wallet: buyer,
    })
    const hex = completeAsk({
      psbt: dear.psbt,
      prevout: dear.prevout,
      paddings: [paid(600n), paid(600n)],
      funding: [paid(100_000n)],
      receiveScriptHex: walletOf('p2tr', 'receiver').scriptHex,
      changeScriptHex: buyer.scriptHex,
    })
    const txid = devnetOf(market).submit(hex)
    const during = await exposure(coin.outpoint)
    expect(during.output).toMatchObject({
      status: 'SPENT_IN_MEMPOOL',
      spentBy: { txid, block: null },
    })
    expect(during.lowest.now?.orderId).toBe(cheap.id)
    expect(noticed(during)).toEqual(['ENDS_WHEN_SPENT', 'SPENT_IN_MEMPOOL'])

    const [hash] = devnetOf(market).mine(1)
    const after = await exposure(coin.outpoint)
    expect(after.output).toMatchObject({ status: 'SPENT', spentBy: { txid, block: { hash } } })
    expect(after.lowest).toEqual({ now: null, ever: null, complete: true })
    expect(after.authorisations.map(({ takeable }) => takeable)).toEqual(['ENDED', 'ENDED'])
    expect(after.authorisations.map(({ orderId }) => orderId).sort()).toEqual([cheap.id, id].sort())
    expect(noticed(after)).toEqual(['ENDED_BY_SPEND'])
  })

  test('of an unknown output is empty, and says so', async () => {
    const found = await exposure({ txid: toTxid('ab'.repeat(32)), vout: 0xffffffff })
    expect(found).toMatchObject({
      output: { status: 'UNKNOWN', output: null, block: null, spentBy: null },
      lowest: { now: null, ever: null, complete: true },
      authorisations: [],
      total: 0,
    })
    expect(noticed(found)).toEqual(['OUTPUT_UNKNOWN'])
  })

  test('of an unconfirmed output says so', async () => {
    const { scriptHex } = walletOf('p2tr', 'unconfirmed')
    const outpoint = devnetOf(market).fund(scriptHex, 10_000n, { confirm: false })
    expect((await exposure(outpoint)).output).toMatchObject({ status: 'UNCONFIRMED', block: null })
  })

  test('is named in hex of either case', async () => {
    const { body } = await market.get(`outpoints/${'AB'.repeat(32)}:0`)
    expect(body).toMatchObject({ outpoint: `${'ab'.repeat(32)}:0` })
  })

  test.each([
    ['no outpoint', 'outpoints/nothing'],
    ['a short txid', `outpoints/${'ab'.repeat(31)}:0`],
    ['no index', `outpoints/${'ab'.repeat(32)}`],
    ['an index of too many bits', `outpoints/${'ab'.repeat(32)}:4294967296`],
    ['a limit beyond the most', `outpoints/${'ab'.repeat(32)}:0?limit=201`],
  ])('%s is a refusal', async (_name, path) => {
    const { body } = await market.get(path)
    expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
  })

  test('an offset, and a foreign cursor, are refusals', async () => {
    const path = `outpoints/${'ab'.repeat(32)}:0`
    expect((await market.get(`${path}?offset=1`)).body).toMatchObject({
      code: 'OFFSET_NOT_SUPPORTED',
    })
    expect((await market.get(`${path}?cursor=abc`)).body).toMatchObject({ code: 'INVALID_CURSOR' })
  })

  test('is not answered while the node is unavailable', async () => {
    const { outpoint } = ownCoin()
    devnetOf(market).stopNode()
    const { status, headers, body } = await market.get(`outpoints/${text(outpoint)}`)
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(body).toMatchObject({ code: 'NODE_UNAVAILABLE' })
  })
})

describe('the orders of an address', () => {
  const list = async (address: string, query = ''): Promise<OrderPage> => {
    const { status, body } = await market.get(`addresses/${address}/orders${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  test('are those of its outputs, withdrawn ones by a parameter, page by page', async () => {
    const coin = ownCoin()
    const address = addressOf(coin.seller)
    const [one, two] = [await offered(coin, 30_000), await offered(coin, 40_000)]
    await offered(ownCoin(), 50_000)
    await operatorWithdraw(market.gateway, two.id, mia, signal())
    expect((await list(address)).orders.map(({ id }) => id)).toEqual([one.id])
    const all = await list(address, '?includeWithdrawn=true&sort=price_desc&limit=1')
    expect([all.total, all.orders.map(({ id }) => id)]).toEqual([2, [two.id]])
    const query = `?includeWithdrawn=true&sort=price_desc&limit=1&cursor=${all.nextCursor}`
    expect((await list(address, query)).orders.map(({ id }) => id)).toEqual([one.id])
    expect((await list(address, '?state=WITHDRAWN')).total).toBe(1)
    const nobody = addressOf(walletOf('p2wpkh', 'nobody'))
    expect(await list(nobody)).toMatchObject({ orders: [], total: 0, hasMore: false })
  })

  test.each([
    ['of mainnet', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'WRONG_NETWORK'],
    ['of signet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'WRONG_NETWORK'],
    ['of nothing', 'bcrt1qnothing', 'VALIDATION_FAILED'],
    ['that is a script', `5120${'ab'.repeat(32)}`, 'VALIDATION_FAILED'],
    ['without an owner', 'bcrt1pfeesnyr2tx', 'VALIDATION_FAILED'],
    ['too long', 'a'.repeat(129), 'VALIDATION_FAILED'],
  ])('an address %s is a refusal', async (_name, address, code) => {
    const { body } = await market.get(`addresses/${address}/orders`)
    expect(body).toMatchObject({ statusCode: 400, code })
  })
})
