import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { txOut } from '../support/chain/wallet.ts'
import { type OpenIntake, openIntake, ordersFrom } from '../support/market/intake.ts'
import { acceptBid } from '../support/market/seller.ts'
import { makeAsk, makeBid } from '../support/orders/psbt-orders.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

const SOURCE = 'asset-offers'

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 40 })
  await book.chain.ord.stop()
  await book.chain.ord.start(['--accept-offers'])
  await book.chain.syncIndex()
})
afterAll(() => book?.close())

let intake: OpenIntake | null = null
afterEach(async () => {
  await intake?.close()
  intake = null
})
async function follow(): Promise<OpenIntake> {
  intake = await openIntake(book.market, { OFFERS_URL: book.chain.ord.url })
  return intake
}

/** As `ord wallet offer submit` submits one: with ord's own wallet. */
async function offer(psbt: string): Promise<number> {
  return (await fetch(`${book.chain.ord.url}/offer`, { method: 'POST', body: psbt })).status
}

/** A bid with confirmed coins for an inscription in a confirmed output. */
async function bidForInscription() {
  const seller = walletOf('p2tr', book.name())
  const { ids, coin } = await inscribe(book.chain, book.miner, txOut(seller.scriptHex, 10_000n))
  const seed = book.name()
  const funding = await book.miner.fund(walletOf('p2wpkh', seed).scriptHex, 100_000n)
  await book.mine()
  const { outpoint, output } = funding
  const bid = makeBid({
    seller,
    prevout: { ...coin.outpoint, valueSats: '10000' },
    funding: [{ seed, outpoint, valueSats: output.valueSats }],
  })
  return { bid, seller, inscriptionId: ids[0] }
}

describe('the offers of ord', () => {
  test('a bid for an inscription is an order, proved by node and index, and its seller can take it', async () => {
    const { bid, seller, inscriptionId } = await bidForInscription()
    expect(await offer(bid.psbt)).toBe(200)
    await follow()
    const [found] = await ordersFrom(book.market, SOURCE, 1)
    const order = await book.market.orderUntil(found?.id ?? '', ({ state }) => state === 'LIVE')
    expect(order).toMatchObject({
      side: 'BID',
      quotedPriceSats: '50000',
      inspection: { orderClass: 'BID_FULLY_FUNDED', signatureStatus: 'VALID' },
      assets: [{ inscriptionId }],
      sources: [{ source: SOURCE, sourceId: order.inspection.digest }],
    })
    const txid = await book.chain.submit(acceptBid(bid, seller))
    await book.mine()
    const settled = await book.market.orderUntil(order.id, ({ state }) => state === 'SETTLED')
    expect(settled.settlement).toMatchObject({ txid })
  })

  test('everything else it accepted is counted, and hides no order', async () => {
    const before = (await ordersFrom(book.market, SOURCE, 0)).length
    const unsigned = makeAsk({ seed: book.name(), unsigned: true }).psbt
    const ask = await book.ask()
    const huge = makeBid({
      funding: Array.from({ length: 100 }, (_, n) => ({ seed: `${n}` })),
    }).psbt
    for (const psbt of [unsigned, huge, ask.psbt]) expect(await offer(psbt)).toBe(200)
    expect(await offer('no PSBT')).toBe(400)
    const { counted, following } = await follow()
    const orders = await ordersFrom(book.market, SOURCE, before + 1)
    await following()
    const asks = orders.filter(({ side }) => side === 'ASK')
    expect(asks).toHaveLength(1)
    expect(await Promise.all(['unsupported_order', 'psbt_too_large'].map(counted))).toEqual([1, 1])
    await book.market.orderUntil(asks[0]?.id ?? '', ({ state }) => state === 'LIVE')
  })

  test('is found while it is followed, though ord was down, and imported once', async () => {
    const { counted, paused, following, states } = await follow()
    await following()
    expect(await counted('imported')).toBe(0)
    await book.chain.ord.stop()
    await waitUntil('ord is missed', async () => (await paused('unreachable')) > 0)
    expect([...states().values()]).toMatchObject([{ state: 'paused', trouble: 'unreachable' }])
    await book.chain.ord.start(['--accept-offers'])
    await book.chain.syncIndex()
    const { bid } = await bidForInscription()
    for (let n = 0; n < 3; n += 1) expect(await offer(bid.psbt)).toBe(200)
    const of = ({ inspection }: OrderSummary) => inspection.inputOutpoints[0]?.txid
    await waitUntil('the bid is an order', async () =>
      (await ordersFrom(book.market, SOURCE, 0)).some((order) => of(order) === bid.outpoint.txid),
    )
    expect(await counted('imported')).toBe(1)
  })

  test('by an ord that accepts no offers: the list is empty, which is not a fault', async () => {
    await book.chain.ord.stop()
    await book.chain.ord.start()
    const { following, paused } = await follow()
    await following()
    expect(await paused('declined')).toBe(0)
  })
})

test('every invariant holds on what was stored', async () => {
  await book.chain.syncIndex()
  expect(await book.audit()).toEqual([])
})
