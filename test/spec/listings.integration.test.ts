import { Psbt, Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOfScript } from '../../src/domain/script/address.ts'
import type { BuildAskResult } from '../../src/schemas/api/listing.ts'
import type { AssetClaim, OrderSummary } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import {
  built,
  inscribedFor,
  listingOf,
  published,
  refused,
  signedByBitcoinjs,
} from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { forgedAsk, openSpecMarket } from './book.ts'
import { always, type Check, object, oneOf, record, text } from './types.ts'

// Spec 2.2 and 4.2: a listing that is built here, signed by its seller and published.

const seller = walletOf('p2tr', 'seller')
const paid = walletOf('p2wpkh', 'paid')
const addressOf = (scriptHex: string) => addressOfScript(scriptHex, 'regtest') ?? ''

let market: Market
let asset: AssetClaim
/** Of an inscription, and of an output in a market of outputs. */
let results: BuildAskResult[]
let [ofAsset, ofOutput]: BuildAskResult[] = []
let order: OrderSummary

const anOutput = (): Outpoint => devnetOf(market).fund(addressOf(seller.scriptHex), 10_000n)
const request = (changes: object = {}) => ({
  ...listingOf(asset, seller, { sellerPaymentAddress: addressOf(paid.scriptHex) }),
  ...changes,
})
const messages = async (route: 'build' | 'publish', body: object): Promise<string[]> => {
  const { statusCode, message } = await refused(market, route, body)
  expect(statusCode).toBe(400)
  return [message].flat()
}

beforeAll(async () => {
  market = await openSpecMarket()
  asset = inscribedFor(market, seller)
  ofAsset = await built(market, request())
  const { asset: _none, ...rest } = request()
  const outpoint = anOutput()
  ofOutput = await built(market, { ...rest, protocolId: 'rare-sats', outpoint })
  results = [ofAsset, ofOutput]
  order = await published(market, signedByBitcoinjs(ofAsset.psbt, seller))
})
afterAll(() => market.end())

test.each<[string, Check]>([
  ['psbt', text],
  ['inspection', record('PsbtInspection')],
  ['outpoint', record('Outpoint')],
  ['nodeTip', object],
  ['protocolId', text],
  ['builderProfile', oneOf('OPEN_ASK', 'EXTERNAL_PSBT', 'EXTERNAL_SETTLEMENT')],
])('a BuildAskResult has its %s [spec 2.2 BuildAskResult]', (field, check) => {
  always(results, field, check)
})

describe('a BuildAskRequest', () => {
  test('names a market, and the listing is in it [spec 2.2 BuildAskRequest.protocolId]', () => {
    expect([ofAsset?.protocolId, ofOutput?.protocolId]).toEqual(['inscriptions', 'rare-sats'])
    expect(order.protocolId).toBe('inscriptions')
  })

  test('names a token, and the listing has it [spec 2.2 BuildAskRequest.token]', () => {
    expect(order.token).toBe('PUNK')
  })

  test('its price is a string or a number: the payout [spec 2.2 BuildAskRequest.quotedPriceSats] [spec 8 rule 5]', async () => {
    for (const quotedPriceSats of ['60000', 60_000]) {
      const { inspection } = await built(market, request({ quotedPriceSats }))
      expect(inspection.outputValuesSats).toEqual(['60000'])
    }
    expect(order.quotedPriceSats).toBe('50000')
  })

  test('names the address that is paid [spec 2.2 BuildAskRequest.sellerPaymentAddress]', async () => {
    expect(ofAsset?.inspection.outputScriptsHex).toEqual([paid.scriptHex])
    expect(await messages('build', request({ sellerPaymentAddress: 'nowhere' }))).toEqual([
      expect.stringMatching(/^sellerPaymentAddress: /),
    ])
  })

  test('names an asset where the market sells assets [spec 2.2 BuildAskRequest.asset]', async () => {
    const { asset: _none, ...rest } = request()
    expect(ofAsset?.outpoint).toEqual(asset.outpoint)
    expect(order.assets).toMatchObject([asset])
    expect((await messages('build', rest)).join()).toContain('asset')
  })

  test('names an outpoint where the market sells outputs [spec 2.2 BuildAskRequest.outpoint]', async () => {
    const { asset: _none, ...rest } = request({ protocolId: 'rare-sats' })
    const outpoint = anOutput()
    expect((await built(market, { ...rest, outpoint })).outpoint).toEqual(outpoint)
    expect((await messages('build', rest)).join()).toContain('outpoint')
  })

  test.each<[string, unknown]>([
    ['protocolId', 1],
    ['token', null],
    ['quotedPriceSats', '01'],
    ['sellerPaymentAddress', {}],
    ['asset', 'an inscription'],
    ['outpoint', 'a:0'],
  ])('of another type is refused [spec 2.2 BuildAskRequest.%s]', async (field, value) => {
    for (const message of await messages('build', request({ [field]: value }))) {
      expect(message).toMatch(new RegExp(`^${field}`))
    }
  })

  test.each([['protocolId'], ['token'], ['quotedPriceSats'], ['sellerPaymentAddress']])(
    'is required [spec 2.2 BuildAskRequest.%s]',
    async (field) => {
      expect(await messages('build', request({ [field]: undefined }))).toEqual([
        `${field}: is required`,
      ])
    },
  )
})

describe('POST /orders/build', () => {
  test('composes one input and one output, unsigned, for SINGLE|ANYONECANPAY [spec 4 POST /orders/build] [spec 4.2 Build]', async () => {
    const { status, body } = await market.post('orders/build', request())
    const { psbt }: BuildAskResult = body
    expect(status).toBe(201)
    const half = Psbt.fromBase64(psbt)
    expect([half.txInputs.length, half.txOutputs.length]).toEqual([1, 1])
    const { SIGHASH_SINGLE, SIGHASH_ANYONECANPAY } = Transaction
    const [input] = half.data.inputs
    expect(input?.sighashType).toBe(SIGHASH_SINGLE | SIGHASH_ANYONECANPAY)
    expect([input?.tapKeySig, input?.partialSig, input?.finalScriptWitness]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('verifies outpoint and asset first: 400 with the reason [spec 4 POST /orders/build] [spec 4.2 Build] [spec 7 400]', async () => {
    const elsewhere = { ...asset, outpoint: anOutput() }
    const missing = { ...asset, outpoint: { txid: 'ab'.repeat(32), vout: 0 } }
    for (const wrong of [elsewhere, missing]) {
      expect(await messages('build', request({ asset: wrong }))).not.toEqual([])
    }
  })

  test.each<[string, (one: Market) => void, (one: Market) => void]>([
    ['the node', (one) => devnetOf(one).stopNode(), (one) => devnetOf(one).startNode()],
    ['the index', (one) => devnetOf(one).stopIndex(), (one) => devnetOf(one).startIndex()],
  ])(
    'asks %s: while it is unavailable nothing is composed [spec 4.2 Build]',
    async (_who, stop, start) => {
      stop(market)
      const { status } = await market.post('orders/build', request())
      start(market)
      expect(status).toBe(503)
    },
  )
})

describe('POST /orders/publish', () => {
  const half = async (): Promise<string> => {
    const own = inscribedFor(market, seller)
    return (await built(market, listingOf(own, seller))).psbt
  }

  test('takes the signed half, and answers the order as verified [spec 4 POST /orders/publish] [spec 4.2 Publish] [spec 2.2 PublishAskRequest]', async () => {
    const psbt = signedByBitcoinjs(await half(), seller)
    const { status, body } = await market.post('orders/publish', { psbt })
    expect(status).toBe(201)
    record('OrderSummary')(body)
    expect(body).toMatchObject({
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
      validation: { nodeStatus: 'READY', assetStatus: 'VERIFIED' },
    })
    const { id } = body as OrderSummary
    expect((await market.order(id)).state).toBe('LIVE')
  })

  test('refuses what the seller has not signed, and what is not a PSBT [spec 4 POST /orders/publish] [spec 2.2 PublishAskRequest] [spec 7 400]', async () => {
    expect(await messages('publish', { psbt: await half() })).toEqual([
      expect.stringContaining('unsigned'),
    ])
    expect(await messages('publish', { psbt: 'not a PSBT' })).toHaveLength(1)
    expect(await messages('publish', {})).toEqual(['psbt: is required'])
    expect(await messages('publish', { psbt: 1 })).toEqual(['psbt: must be a string'])
  })

  test('refuses what does not verify, and stores nothing of it [spec 4.2 Publish]', async () => {
    const psbt = forgedAsk(signedByBitcoinjs(await half(), seller))
    const before = await total()
    expect(await messages('publish', { psbt })).not.toEqual([])
    expect(await total()).toBe(before)
  })

  const total = async () => ((await market.get('orders')).body as { total: number }).total
})

describe('429: as soon as a route is asked too often', () => {
  let strict: Market
  beforeAll(async () => {
    strict = await openMarket({ ...ORDERS_ONLY, RATE_LIMIT_BUILD: '1', RATE_LIMIT_PUBLISH: '1' })
  })
  afterAll(() => strict.end())

  test.each([['build'], ['publish']])(
    'with its code [spec 4 POST /orders/%s] [spec 7 429] [spec 8 rule 1]',
    async (route) => {
      expect((await strict.post(`orders/${route}`, {})).status).toBe(400)
      const { status, body } = await strict.post(`orders/${route}`, {})
      expect([status, body]).toMatchObject([429, { code: 'MARKET_RATE_LIMITED' }])
    },
  )
})
