import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { PreflightResult, Quote } from '../../src/schemas/api/purchase.ts'
import { almost } from '../support/chain/byte-edits.ts'
import { walletOf } from '../support/chain/keys.ts'
import type { Answer } from '../support/market/api-client.ts'
import { type BuyerCoin, signOwnInputs } from '../support/market/buyer.ts'
import { addressOf } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf, type Listing, listInscription } from '../support/market/trader.ts'
import { outpointOf } from '../support/orders/psbt-orders.ts'

// Purchases that are almost right, against the whole service: a quote that conserves value, a
// preflight that allows only what was signed, or 400 with its reason.

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 80)
const buyer = walletOf('p2wpkh', 'fuzzed buyer')
const receiver = walletOf('p2tr', 'fuzzed receiver')

let market: Market
let listing: Listing
let coins: BuyerCoin[]
let good: { psbt: Uint8Array; hex: Uint8Array; txid: string }
beforeAll(async () => {
  market = await openMarket({
    ...ORDERS_ONLY,
    RATE_LIMIT_QUOTE: '100000',
    RATE_LIMIT_PREFLIGHT: '100000',
  })
  listing = await listInscription(market)
  coins = [600n, 600n, 200_000n, 40_000n].map((sats) => {
    const outpoint = devnetOf(market).fund(addressOf(buyer), sats)
    const output = { scriptHex: buyer.scriptHex, valueSats: sats.toString() }
    return { outpoint, wallet: buyer, output }
  })
  const quote = Quote.parse((await ask('quote', request())).body)
  const signedPsbt = signOwnInputs(quote.psbt, coins)
  const { finalTxHex = '', txid = '' } = PreflightResult.parse(
    (await ask('preflight', { signedPsbt })).body,
  )
  good = { psbt: Buffer.from(signedPsbt, 'base64'), hex: Buffer.from(finalTxHex, 'hex'), txid }
})
afterAll(() => market.end())

const ask = (action: string, body: unknown) =>
  market.post(`orders/${listing.order.id}/${action}`, body)

const outpoints = (...at: number[]) => at.flatMap((n) => coins[n]?.outpoint ?? [])
const request = () => ({
  assetReceiveAddress: addressOf(receiver),
  paymentAddress: addressOf(buyer),
  paddingUtxos: outpoints(0, 1),
  fundingUtxos: outpoints(2),
})

function isRefusal({ status, body }: Answer): boolean {
  if (status < 400) return false
  const { statusCode, message } = ErrorResponse.parse(body)
  expect(statusCode, JSON.stringify(body)).toBe(400)
  expect([message].flat().length).toBeGreaterThan(0)
  return true
}

const mostly = <T>(right: fc.Arbitrary<T>, ...wrong: unknown[]) =>
  fc.oneof({ weight: 4, arbitrary: right }, fc.constantFrom<unknown>(...wrong))

test('a quote of any outputs, addresses and rate conserves every sat, or is 400', async () => {
  const addresses = fc.constantFrom(
    ...(['p2wpkh', 'p2tr', 'p2sh-p2wpkh', 'p2wsh-other'] as const).map((kind) =>
      addressOf(walletOf(kind, 'anybody')),
    ),
  )
  const any = fc.constantFrom(...coins.map(({ outpoint }) => outpoint))
  const strange = [outpointOf('ghost'), { txid: 'AB', vout: -1 }, listing.offered.outpoint, null]
  const requests = fc.record({
    assetReceiveAddress: mostly(addresses, 'bcrt1pfeesnyr2tx', '', 7, 'bc1pfeessrawgf'),
    paymentAddress: mostly(fc.constant(addressOf(buyer)), addressOf(receiver), 'é', {}),
    paddingUtxos: mostly(fc.constant(outpoints(0, 1)), outpoints(0), outpoints(2, 3), strange),
    fundingUtxos: mostly(
      fc.uniqueArray(any, { minLength: 1, maxLength: 2 }),
      outpoints(2),
      outpoints(2, 3),
      [],
      strange,
      'all',
    ),
    feeRateSatsPerVb: mostly(fc.integer({ min: 1, max: 900 }), '1.5', '0', 1e9, '1e2', NaN, '-1'),
  })
  let quotes = 0
  await fc.assert(
    fc.asyncProperty(requests, async (body) => {
      const answer = await ask('quote', body)
      if (isRefusal(answer)) return
      quotes += 1
      const quote = Quote.parse(answer.body)
      const named = [...(body.paddingUtxos as object[]), ...(body.fundingUtxos as object[])]
      const own = coins.filter(({ outpoint }) => named.some((one) => sameOutpoint(one, outpoint)))
      expect(own).toHaveLength(named.length)
      const spent = own.reduce((sum, { output }) => sum + BigInt(output.valueSats), 0n)
      const back = BigInt(quote.changeSats) + BigInt(quote.paddingSats)
      expect(spent - back).toBe(BigInt(quote.totalBuyerCostSats))
      const made = quote.outputValuesSats.reduce((sum, sats) => sum + BigInt(sats), 0n)
      expect(made + BigInt(quote.networkFeeSats)).toBe(spent + BigInt(quote.assetValueSats))
      expect(quote.outputValuesSats.slice(1, 3)).toEqual(['10000', '50000'])
    }),
    { numRuns: RUNS * 2 },
  )
  expect(quotes).toBeGreaterThan(0)
})

test('a signed purchase with any bytes changed is never allowed as another one', async () => {
  const bodies = fc.oneof(
    almost([good.hex]).map((bytes) => ({ finalTxHex: Buffer.from(bytes).toString('hex') })),
    almost([good.psbt]).map((bytes) => ({ signedPsbt: Buffer.from(bytes).toString('base64') })),
    fc.record({ finalTxHex: fc.string() }),
    fc.anything(),
  )
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await ask('preflight', body)
      if (isRefusal(answer)) return
      const { allowed, txid, rejectReason } = PreflightResult.parse(answer.body)
      // A changed witness that is still valid is the same purchase; a changed input or output is
      // not.
      if (allowed) expect(txid).toBe(good.txid)
      else expect(rejectReason).toBeDefined()
    }),
    { numRuns: RUNS * 2 },
  )
})

const sameOutpoint = (one: object, { txid, vout }: BuyerCoin['outpoint']): boolean =>
  'txid' in one && 'vout' in one && one.txid === txid && one.vout === vout
