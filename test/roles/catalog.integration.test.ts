import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '../../src/devnet/people/wallet.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { CATALOG } from '../../src/domain/catalog/catalog.ts'
import { ProtocolCapabilities, type ProtocolTemplate } from '../../src/schemas/api/catalog.ts'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import { addressOf, inscribedFor, signedByBitcoinjs } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { coinOf } from '../support/market/trader.ts'

// What the catalog says of each market, compared with what the routes do.

let market: Market
beforeAll(async () => {
  market = await openMarket({ ...ORDERS_ONLY, RATE_LIMIT_QUOTE: '1000' })
})
afterAll(() => market.end())

const owner = walletOf('p2wpkh', 'catalog')
const account: Account = accountOf('catalog', 'p2wpkh')
const buyer: Account = accountOf('catalog buyer', 'p2wpkh')

type Capabilities = ProtocolTemplate['capabilities']

const build = (protocolId: string, offered: object) =>
  market.post('orders/build', {
    protocolId,
    token: 'T',
    quotedPriceSats: '50000',
    sellerPaymentAddress: addressOf(owner),
    ...offered,
  })

/** An import that names the market, and claims nothing. */
async function imported(protocolId: string, outpoint: Outpoint): Promise<OrderSummary> {
  const coin = { outpoint, scriptHex: account.scriptHex, valueSats: '10000' }
  const psbt = account.ask(coin, { scriptHex: account.scriptHex, valueSats: '50000' })
  const { status, body } = await market.post('orders/import', { psbt, protocolId })
  expect(status).toBe(201)
  return body
}

const inscribedOutput = () =>
  inscribedFor(market, { ...owner, scriptHex: account.scriptHex }).outpoint
const plainOutput = () => coinOf(market, account, 10_000n).outpoint

async function isListedIn(protocolId: string, id: string): Promise<boolean> {
  const page: OrderPage = (await market.get(`orders?protocol=${protocolId}&limit=200`)).body
  return page.orders.some((order) => order.id === id)
}

async function isQuoted({ id }: OrderSummary): Promise<boolean> {
  const padding = () => coinOf(market, buyer, 600n).outpoint
  const { status } = await market.post(`orders/${id}/quote`, {
    assetReceiveAddress: accountOf('catalog buyer', 'p2tr').address,
    paymentAddress: buyer.address,
    paddingUtxos: [padding(), padding()],
    fundingUtxos: [coinOf(market, buyer, 200_000n).outpoint],
  })
  return status === 201
}

/** Built, signed, published, LIVE and ready to be bought. */
async function canList({ id, assetRequirement }: ProtocolTemplate): Promise<boolean> {
  const asset = inscribedFor(market, owner)
  const { outpoint } =
    assetRequirement === 'OUTPOINT'
      ? { outpoint: coinOf(market, { ...account, address: addressOf(owner) }, 10_000n).outpoint }
      : asset
  const offered = assetRequirement === 'OUTPOINT' ? { outpoint } : { asset }
  const { status, body } = await build(id, offered)
  if (status !== 201) {
    expect(body).toMatchObject({ statusCode: 400, code: 'BUILD_REFUSED' })
    return false
  }
  const { psbt, builderProfile }: { psbt: string; builderProfile: string } = body
  expect(builderProfile).toBe('OPEN_ASK')
  const answer = await market.post('orders/publish', { psbt: signedByBitcoinjs(psbt, owner) })
  expect(answer.body).toMatchObject({ state: 'LIVE', protocolId: id })
  expect(await isListedIn(id, (answer.body as OrderSummary).id)).toBe(true)
  return true
}

/** Is what it offers shown as it was inscribed? */
async function isShown({ assets: [asset] }: OrderSummary): Promise<boolean> {
  const url = `${market.address}/api/market/inscriptions/${asset?.inscriptionId}/content`
  const answer = await fetch(url)
  return answer.status === 200 && (await answer.text()).length > 0
}

/** What the service does for a market, as observed. */
async function observed(entry: ProtocolTemplate): Promise<Capabilities> {
  const { id, assetRequirement } = entry
  const held = await imported(id, inscribedOutput())
  const empty = await imported(id, plainOutput())
  const sold = held.state === 'LIVE' && (await isQuoted(held))
  const artifact = await market.get(`orders/${held.id}/artifact`)
  return {
    // Its orders are found under it, and can be used.
    browse: sold && (await isListedIn(id, held.id)),
    createListing: await canList(entry),
    // An output without an inscription is not an order of this market.
    verifyAssetSemantics: empty.state === 'REJECTED',
    // A review-only order is shown, and its artifact is released.
    reviewOnlyHandoff: artifact.status === 200 && sold,
    // It is settled elsewhere: nothing of it is quoted.
    externalSettlement: !sold,
    sourceIngestion: sold,
    mediaResolution: assetRequirement === 'INSCRIPTION' && (await isShown(held)),
  }
}

describe('the capabilities of a market are what the routes do', () => {
  test.each(CATALOG)('$id', async (entry) => {
    const capabilities = await observed(entry)
    expect(Object.keys(capabilities).sort()).toEqual(Object.keys(ProtocolCapabilities.shape).sort())
    expect(capabilities).toEqual(entry.capabilities)
  })

  test('a market’s requirement applies to its builds, and to no other', async () => {
    for (const { id, assetRequirement } of CATALOG) {
      const { body } = await build(id, {})
      const reasons = [(body as { message: string | string[] }).message].flat().join()
      expect(reasons.includes('asset: is required'), id).toBe(assetRequirement === 'INSCRIPTION')
      expect(reasons.includes('outpoint: is required'), id).toBe(assetRequirement === 'OUTPOINT')
      expect(reasons.includes('is settled elsewhere'), id).toBe(assetRequirement === 'NONE')
    }
  })

  test('the list of each is at the route that it names', async () => {
    for (const { route } of CATALOG) expect((await market.get(route)).status).toBe(200)
  })
})
