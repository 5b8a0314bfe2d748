import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CATALOG } from '../../src/domain/catalog/catalog.ts'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { BuildAskResult } from '../../src/schemas/api/listing.ts'
import { type AssetClaim, OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import type { Answer } from '../support/market/api-client.ts'
import {
  addressOf,
  built,
  inscribedFor,
  listingOf,
  signedByBitcoinjs,
} from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { outpointOf } from '../support/orders/psbt-orders.ts'

// Requests that are almost right, against the whole service: a listing, or 400 with its reason.

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 120)
const owner = walletOf('p2wpkh', 'fuzzed')

let market: Market
let asset: AssetClaim
let half: Uint8Array
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  asset = inscribedFor(market, owner)
  const { psbt } = await built(market, listingOf(asset, owner))
  half = Buffer.from(signedByBitcoinjs(psbt, owner), 'base64')
})
afterAll(() => market.end())

function isRefusal({ status, body }: Answer): boolean {
  if (status < 400) return false
  const { statusCode, message } = ErrorResponse.parse(body)
  expect(statusCode).toBe(400)
  expect([message].flat().length).toBeGreaterThan(0)
  return true
}

test('a build of any market, output, price and address is a listing or 400', async () => {
  const plain = devnetOf(market).fund(addressOf(owner), 9_000n)
  const mostly = <T>(good: fc.Arbitrary<T>, ...bad: unknown[]) =>
    fc.oneof({ weight: 4, arbitrary: good }, fc.constantFrom<unknown>(...bad))
  const requests = fc.record(
    {
      protocolId: mostly(fc.constantFrom(...CATALOG.map(({ id }) => id)), 'nowhere', '', 7),
      token: mostly(fc.constantFrom('PUNK', 'été', '𝔘'), 'a\u0000', 'x'.repeat(65), null),
      quotedPriceSats: mostly(
        fc.integer({ min: 540, max: 1_000_000 }),
        '0',
        '293',
        '2100000000000000',
        1e21,
        0.1,
        -1,
        '１',
      ),
      sellerPaymentAddress: mostly(
        fc.constantFrom(
          ...(['p2wpkh', 'p2tr', 'p2sh-p2wpkh', 'p2wsh-other'] as const).map((kind) =>
            addressOf(walletOf(kind, 'payout')),
          ),
        ),
        'bcrt1pfeesnyr2tx',
        '',
        {},
      ),
      asset: mostly(
        fc.constant(asset),
        { ...asset, outpoint: plain },
        { ...asset, inscriptionId: `${'ab'.repeat(32)}i4294967295` },
        { inscriptionId: asset.inscriptionId },
      ),
      outpoint: mostly(
        fc.constantFrom(asset.outpoint, plain),
        outpointOf('ghost'),
        { txid: '00'.repeat(32), vout: 0xffffffff },
        { txid: 'AB'.repeat(32), vout: 0 },
        [],
      ),
    },
    { requiredKeys: ['protocolId', 'token', 'quotedPriceSats', 'sellerPaymentAddress'] },
  )
  let listings = 0
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const answer = await market.post('orders/build', request)
      if (isRefusal(answer)) return
      const { inspection, protocolId } = BuildAskResult.parse(answer.body)
      expect([protocolId, inspection.inputCount, inspection.outputCount]).toEqual([
        request.protocolId,
        1,
        1,
      ])
      expect(inspection.outputValuesSats).toEqual([String(request.quotedPriceSats)])
      listings += 1
    }),
    { numRuns: RUNS * 2 },
  )
  expect(listings).toBeGreaterThan(0)
})

test('a signed half with any bytes changed is the same order, or 400 and none at all', async () => {
  const changes = fc.array(fc.tuple(fc.nat(half.length - 1), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 3,
  })
  const first = await market.post('orders/publish', { psbt: Buffer.from(half).toString('hex') })
  const { id } = OrderSummary.parse(first.body)
  await fc.assert(
    fc.asyncProperty(changes, fc.boolean(), async (flips, isCut) => {
      const bytes = Uint8Array.from(half)
      for (const [at, bits] of flips) bytes[at] = (bytes[at] ?? 0) ^ bits
      const text = Buffer.from(isCut ? bytes.slice(0, -1) : bytes).toString('base64')
      const answer = await market.post('orders/publish', { psbt: text })
      if (!isRefusal(answer)) expect(OrderSummary.parse(answer.body).id).toBe(id)
    }),
    { numRuns: RUNS },
  )
  const { body } = await market.get('orders?includeWithdrawn=true&limit=200&search=PUNK')
  expect((body as { orders: { id: string }[] }).orders.map((order) => order.id)).toEqual([id])
  expect(await market.order(id)).toMatchObject({ state: 'LIVE', token: 'PUNK' })
})
