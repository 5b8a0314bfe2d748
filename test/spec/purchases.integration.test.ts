import { networks, Psbt, Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import type { PreflightResult, Quote } from '../../src/schemas/api/purchase.ts'
import type { Market } from '../support/market/market.ts'
import {
  coinOf,
  devnetOf,
  type Listing,
  listInscription,
  signQuote,
} from '../support/market/trader.ts'
import { imported, newAsk, openSpecMarket } from './book.ts'
import {
  always,
  type Check,
  flag,
  integer,
  listOf,
  nullOr,
  object,
  oneOf,
  record,
  sats,
  sometimes,
  text,
  whenThere,
} from './types.ts'

// Spec 2.2 and 4.2: a quote and a preflight, field by field, as received over HTTP.

const buyer = accountOf('buyer', 'p2wpkh')
const receiver = accountOf('receiver', 'p2tr')
const seller = accountOf('seller', 'p2tr')

let market: Market
let listing: Listing
let paddings: WalletCoin[]
let funding: WalletCoin[]
/** Of an inscription, and of an output that holds nothing. */
let quote: Quote
let quotes: Quote[]
let signedPsbt: string
/** Of a valid purchase as a PSBT and as a transaction, and of one of an unknown order. */
let results: PreflightResult[]
let [ofPsbt, ofHex, refused]: PreflightResult[] = []

const request = () => ({
  assetReceiveAddress: receiver.address,
  paymentAddress: buyer.address,
  paddingUtxos: paddings.map(({ outpoint }) => outpoint),
  fundingUtxos: funding.map(({ outpoint }) => outpoint),
})
const ask = (id: string, action: string, body: object) =>
  market.post(`orders/${id}/${action}`, body)

async function quoted(id: string, changes: object = {}): Promise<Quote> {
  const { status, body } = await ask(id, 'quote', { ...request(), ...changes })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** The messages of a refused quote. */
async function refusedQuote(changes: object): Promise<string[]> {
  const { status, body } = await ask(listing.order.id, 'quote', { ...request(), ...changes })
  expect(status, JSON.stringify(body)).toBe(400)
  return [(body as ErrorResponse).message].flat()
}

async function preflight(id: string, body: object): Promise<PreflightResult> {
  const answer = await ask(id, 'preflight', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

beforeAll(async () => {
  market = await openSpecMarket()
  listing = await listInscription(market)
  paddings = [coinOf(market, buyer, 600n), coinOf(market, buyer, 700n)]
  funding = [coinOf(market, buyer, 100_000n), coinOf(market, buyer, 100_000n)]
  const plain = await imported(market, { psbt: newAsk(market).psbt })
  quote = await quoted(listing.order.id)
  quotes = [quote, await quoted(plain.id)]
  signedPsbt = signQuote(quote, buyer, [...paddings, ...funding]).toBase64()
  ofPsbt = await preflight(listing.order.id, { signedPsbt })
  ofHex = await preflight(listing.order.id, { finalTxHex: ofPsbt.finalTxHex })
  refused = await preflight(plain.id, { signedPsbt })
  results = [ofPsbt, ofHex, refused]
})
afterAll(() => market.end())

describe('a Quote', () => {
  test.each<[string, Check]>([
    ['orderId', text],
    ['network', oneOf('regtest')],
    ['psbt', text],
    ['sellerIndex', integer],
    ['asset', nullOr(record('AssetClaim'))],
    ['assetReceiveAddress', text],
    ['paymentAddress', text],
    ['sellerPaymentScriptHex', text],
    ['assetValueSats', sats],
    ['sellerProceedsSats', sats],
    ['marketplaceFeeSats', sats],
    ['creatorRoyaltySats', sats],
    ['networkFeeSats', sats],
    ['feeRateSatsPerVb', text],
    ['estimatedVbytes', text],
    ['changeSats', sats],
    ['paddingSats', sats],
    ['totalBuyerCostSats', sats],
    ['inputOutpoints', listOf(record('Outpoint'))],
    ['outputScriptsHex', listOf(text)],
    ['outputValuesSats', listOf(sats)],
    ['checkpoint', object],
    ['observedAt', text],
    ['expiresAt', text],
  ])('is of its types [spec 2.2 Quote.%s]', (field, check) => {
    always(quotes, field, check)
  })

  // Each is computed here from the parts of the purchase, and from the PSBT by another library.
  const transaction = () => Psbt.fromBase64(quote.psbt, { network: networks.regtest })
  const valueAt = (at: number) => transaction().txOutputs[at]?.value
  const scriptAt = (at: number) => hex(transaction().txOutputs[at]?.script)
  const hex = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString('hex')
  const fee = () => 201_300n + 10_000n - sum(transaction().txOutputs.map(({ value }) => value))
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)

  test.each<[string, () => unknown]>([
    ['orderId', () => listing.order.id],
    ['sellerIndex', () => 2],
    ['asset', () => ({ ...listing.order.assets[0] })],
    ['assetReceiveAddress', () => receiver.address],
    ['paymentAddress', () => buyer.address],
    ['sellerPaymentScriptHex', () => seller.scriptHex],
    ['assetValueSats', () => '10000'],
    ['sellerProceedsSats', () => '50000'],
    ['marketplaceFeeSats', () => '0'],
    ['creatorRoyaltySats', () => '0'],
    ['networkFeeSats', () => String(fee())],
    ['changeSats', () => String(valueAt(3))],
    ['paddingSats', () => '1300'],
    // The padding returns to the buyer: it is not part of the cost.
    ['totalBuyerCostSats', () => String(50_000n + fee())],
    ['inputOutpoints', () => inputsOf(transaction())],
    ['outputScriptsHex', () => transaction().txOutputs.map(({ script }) => hex(script))],
    ['outputValuesSats', () => transaction().txOutputs.map(({ value }) => String(value))],
  ])('says what the purchase is [spec 2.2 Quote.%s]', (field, expected) => {
    expect(quote[field as keyof Quote]).toEqual(expected())
  })

  test('only the seller has signed it [spec 2.2 Quote.psbt]', () => {
    const signed = transaction().data.inputs.map(
      ({ finalScriptWitness, partialSig, tapKeySig }) =>
        finalScriptWitness !== undefined || partialSig !== undefined || tapKeySig !== undefined,
    )
    expect(signed).toEqual([false, false, true, false, false])
  })

  test('the seller’s input and its payment share an index [spec 2.2 Quote.sellerIndex]', () => {
    const { sellerIndex } = quote
    expect(quote.inputOutpoints[sellerIndex]).toEqual(listing.offered.outpoint)
    expect([scriptAt(sellerIndex), valueAt(sellerIndex)]).toEqual([seller.scriptHex, 50_000n])
  })

  test('an output without an asset has none [spec 2.2 Quote.asset]', () => {
    expect(quotes[1]?.asset).toBeNull()
  })

  test('its fee is its rate by its size [spec 2.2 Quote.feeRateSatsPerVb] [spec 2.2 Quote.estimatedVbytes]', () => {
    const milli = BigInt(Math.round(Number(quote.feeRateSatsPerVb) * 1_000))
    const least = (BigInt(quote.estimatedVbytes) * milli + 999n) / 1_000n
    expect(BigInt(quote.networkFeeSats)).toBe(least)
    // The finished transaction is no larger, and smaller by at most a byte a signature.
    const spare = Number(quote.estimatedVbytes) - (ofPsbt?.vsize ?? 0)
    expect(spare).toBeGreaterThanOrEqual(0)
    expect(spare).toBeLessThanOrEqual(2)
  })

  test('is valid for a while from when it was observed, at a block [spec 2.2 Quote.checkpoint] [spec 2.2 Quote.observedAt] [spec 2.2 Quote.expiresAt]', async () => {
    const [{ height, hash }] = [(await devnetOf(market).node.chain()).tip]
    const { checkpoint } = await quoted(listing.order.id)
    expect(checkpoint).toMatchObject({ height, hash })
    expect(Date.parse(quote.expiresAt) - Date.parse(quote.observedAt)).toBe(300_000)
  })
})

const inputsOf = (psbt: Psbt) =>
  psbt.txInputs.map(({ hash, index }) => ({
    txid: Buffer.from(hash).reverse().toString('hex'),
    vout: index,
  }))

describe('a QuoteRequest', () => {
  test('the asset goes to assetReceiveAddress [spec 2.2 QuoteRequest.assetReceiveAddress]', async () => {
    expect(quote.outputScriptsHex[1]).toBe(receiver.scriptHex)
    expect(quote.outputValuesSats[1]).toBe(quote.assetValueSats)
    expect(await refusedQuote({ assetReceiveAddress: buyer.address })).toEqual([
      'assetReceiveAddress: must not be the payment address',
    ])
  })

  test('change and merged padding return to paymentAddress [spec 2.2 QuoteRequest.paymentAddress]', () => {
    expect([quote.outputScriptsHex[0], quote.outputScriptsHex[3]]).toEqual([
      buyer.scriptHex,
      buyer.scriptHex,
    ])
    expect([quote.outputValuesSats[0], quote.outputValuesSats[3]]).toEqual([
      quote.paddingSats,
      quote.changeSats,
    ])
  })

  test('paddings precede the offered output, funding follows it [spec 2.2 QuoteRequest.paddingUtxos] [spec 2.2 QuoteRequest.fundingUtxos]', () => {
    expect(quote.inputOutpoints).toEqual([
      ...paddings.map(({ outpoint }) => outpoint),
      listing.offered.outpoint,
      ...funding.map(({ outpoint }) => outpoint),
    ])
  })

  test('a fee rate is a string or a number, or the node’s own [spec 2.2 QuoteRequest.feeRateSatsPerVb]', async () => {
    for (const feeRateSatsPerVb of ['7.5', 7.5]) {
      const { feeRateSatsPerVb: rate } = await quoted(listing.order.id, { feeRateSatsPerVb })
      expect(rate).toBe('7.5')
    }
    expect(Number(quote.feeRateSatsPerVb)).toBeGreaterThan(0)
  })

  test.each([['assetReceiveAddress'], ['paymentAddress'], ['paddingUtxos'], ['fundingUtxos']])(
    'without it the quote is refused, and says so [spec 2.2 QuoteRequest.%s]',
    async (field) => {
      expect(await refusedQuote({ [field]: undefined })).toEqual([`${field}: is required`])
    },
  )

  test.each<[string, unknown]>([
    ['assetReceiveAddress', 1],
    ['paymentAddress', null],
    ['paddingUtxos', 'a:0'],
    ['fundingUtxos', [7]],
    ['feeRateSatsPerVb', true],
  ])('of another type is refused [spec 2.2 QuoteRequest.%s]', async (field, value) => {
    const [message] = await refusedQuote({ [field]: value })
    expect(message).toMatch(new RegExp(`^${field}`))
  })

  test('names its own outputs and nothing else: value and script are the node’s [spec 4.2 Quote]', async () => {
    const [own] = funding as [WalletCoin]
    const lying = { ...own.outpoint, valueSats: '999999999' }
    expect(await refusedQuote({ fundingUtxos: [lying] })).toEqual([
      'fundingUtxos.0.valueSats: unknown field',
    ])
    expect(await refusedQuote({ priceSats: '1' })).toEqual(['priceSats: unknown field'])
    const psbt = Psbt.fromBase64(quote.psbt, { network: networks.regtest })
    expect(psbt.data.inputs[3]?.witnessUtxo).toEqual({
      value: BigInt(own.valueSats),
      script: Uint8Array.from(Buffer.from(own.scriptHex, 'hex')),
    })
  })

  test('an output that holds an asset is not spare, an unexamined one is unknown [spec 4.2 Quote]', async () => {
    const devnet = devnetOf(market)
    const content = { contentType: 'text/plain', body: Buffer.from('mine'), postage: 9_000n }
    const { outpoint, inscriptionId } = devnet.inscribe(buyer.address, content)
    const at = `${outpoint.txid}:${outpoint.vout}`
    for (const field of ['fundingUtxos', 'paddingUtxos'] as const) {
      const named = request()[field].with(0, outpoint)
      expect(await refusedQuote({ [field]: named })).toEqual([
        `${at} holds the inscription ${inscriptionId}`,
      ])
    }
    devnet.holdIndex((await devnet.node.chain()).tip.height)
    const unseen = coinOf(market, buyer, 100_000n).outpoint
    const told = await refusedQuote({ fundingUtxos: [unseen] })
    devnet.holdIndex(null)
    expect(told).toEqual([`${unseen.txid}:${unseen.vout} is not examined by the index yet`])
  })
})

describe('a PreflightResult', () => {
  test.each<[string, typeof always, Check]>([
    ['finalTxHex', sometimes, text],
    ['orderId', always, text],
    ['allowed', always, flag],
    ['rejectReason', sometimes, text],
    ['txid', whenThere, text],
    ['vsize', whenThere, integer],
    ['feesSats', whenThere, sats],
    ['checkedAt', always, text],
  ])('is of its types [spec 2.2 PreflightResult.%s]', (field, holds, check) => {
    holds(results, field, check)
  })

  test('of a valid purchase: the exact bytes, and what they are [spec 2.2 PreflightResult.finalTxHex] [spec 2.2 PreflightResult.txid] [spec 2.2 PreflightResult.vsize] [spec 2.2 PreflightResult.feesSats] [spec 2.2 PreflightResult.allowed]', () => {
    const made = Psbt.fromBase64(signedPsbt, { network: networks.regtest })
    const transaction = made.extractTransaction(true)
    expect(ofPsbt).toMatchObject({
      allowed: true,
      orderId: listing.order.id,
      finalTxHex: transaction.toHex(),
      txid: transaction.getId(),
      vsize: transaction.virtualSize(),
      feesSats: quote.networkFeeSats,
    })
    expect(ofPsbt).not.toHaveProperty('rejectReason')
    expect(ofHex).toMatchObject({ allowed: true, txid: transaction.getId() })
  })

  test('of a purchase of another order: no bytes, and why [spec 2.2 PreflightResult.rejectReason]', () => {
    expect(refused).toMatchObject({ allowed: false, rejectReason: 'offered_output_not_spent' })
    expect(refused).not.toHaveProperty('finalTxHex')
  })
})

describe('a preflight', () => {
  test('takes a transaction or a PSBT, one of the two [spec 2.2 PreflightRequest] [spec 4.2 Preflight]', async () => {
    expect([ofPsbt?.allowed, ofHex?.allowed]).toEqual([true, true])
    for (const body of [{}, { signedPsbt, finalTxHex: ofPsbt?.finalTxHex }, { finalTxHex: 1 }]) {
      expect((await ask(listing.order.id, 'preflight', body)).status).toBe(400)
    }
  })

  test('adds to a PSBT nothing but the final form of what was signed [spec 4.2 Preflight]', () => {
    const final = Transaction.fromHex(ofPsbt?.finalTxHex ?? '')
    const unsigned = Psbt.fromBase64(signedPsbt).data.getTransaction()
    for (const input of final.ins) expect(input.witness.length).toBeGreaterThan(0)
    for (const input of final.ins) input.witness = []
    expect(final.toHex()).toBe(Buffer.from(unsigned).toString('hex'))
  })

  test('an unsigned input is an error [spec 4.2 Preflight]', async () => {
    const { status, body } = await ask(listing.order.id, 'preflight', { signedPsbt: quote.psbt })
    expect([status, body]).toMatchObject([400, { message: 'input 0 is not signed' }])
  })

  test('broadcasts nothing [spec 4.2 Preflight] [spec 1 rule 4]', async () => {
    const sent = await devnetOf(market).node.mempoolSpenders([listing.offered.outpoint])
    expect(sent).toEqual([null])
    expect((await market.order(listing.order.id)).state).toBe('LIVE')
  })
})
