import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HealthReport } from '../../src/schemas/api/health.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { QUICK, Scraper } from '../support/alerts/scraper.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { txOut } from '../support/chain/wallet.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

const MAX_AGE_SECONDS = 5
const ALERT_MS = 60_000

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({
    payments: 120,
    variables: { MAX_VERIFICATION_AGE_SECONDS: String(MAX_AGE_SECONDS) },
  })
})
afterAll(() => book?.close())

const standing = ({ state, validation }: OrderSummary) => [state, ...validation.reasons]
const becomes = (id: string, wanted: OrderState) =>
  book.market.orderUntil(id, ({ state }) => state === wanted)
const isReady = ({ actionability }: OrderSummary) => actionability === 'HANDOFF_READY'
const isStale = ({ state, actionability }: OrderSummary) =>
  state === 'LIVE' && actionability === 'REVIEW_ONLY'
const bornLive = ['PENDING_NODE', 'LIVE'] as const
const readiness = async () =>
  ((await book.market.get('health')).body as HealthReport).listingReadiness

/** News of the node's last block would repeat a question while the index hangs. */
async function isFollowed(): Promise<boolean> {
  const { tip } = await book.chain.node.chain()
  const partitions = [...(await book.market.stores.views.freshness()).values()]
  return (
    partitions.length === book.market.stores.log.partitions &&
    partitions.every(({ watermark }) => watermark.tip.hash === tip.hash)
  )
}

/** A LIVE order over an inscription. */
async function inscribed() {
  const ask = await inscribedAsk()
  await book.chain.syncIndex()
  const { id, state, assets } = await book.imported(ask.psbt, ask.saying)
  expect([state, assets.length]).toEqual(['LIVE', 1])
  return { ...ask, id }
}

/** An ask over a confirmed inscription, whether the index has seen it or not. */
async function inscribedAsk() {
  const seed = book.name()
  const { scriptHex } = walletOf('p2tr', seed)
  const { ids, coin } = await inscribe(book.chain, book.miner, txOut(scriptHex, 10_000n))
  await book.chain.mine(1)
  const ask = makeAsk({ seed, prevout: { ...coin.outpoint, valueSats: '10000' } })
  const saying = { asset: { inscriptionId: ids[0], outpoint: ask.outpoint } }
  return { ...ask, saying }
}

async function recheck(id: string) {
  const { status, body } = await book.market.post(`orders/${id}/revalidate`)
  return { status, code: (body as { code?: string }).code }
}

describe('an index that is stopped', () => {
  test('keeps new orders PENDING_ASSET and displaces no LIVE one', async () => {
    const old = await inscribed()
    const fresh = await inscribedAsk()
    await book.chain.syncIndex()
    const bare = await book.ask()
    await book.chain.stopIndex()
    const away = ['PENDING_ASSET', 'asset_index_unreachable']
    const order = await book.imported(fresh.psbt, fresh.saying)
    expect(standing(order)).toEqual(away)
    expect(order.validation).toMatchObject({ nodeStatus: 'READY', assetStatus: 'UNAVAILABLE' })
    const undeclared = await book.imported(bare.psbt)
    expect(standing(undeclared)).toEqual(away)
    expect(await recheck(old.id)).toEqual({ status: 503, code: 'ASSET_INDEX_UNAVAILABLE' })
    await book.market.orderUntil(old.id, isStale)
    expect((await book.market.get(`orders/${old.id}/artifact`)).status).toBe(503)
    expect(await readiness()).toMatchObject({ ready: false, reason: 'asset_index_unreachable' })

    await book.chain.startIndex()
    await becomes(order.id, 'LIVE')
    await becomes(undeclared.id, 'LIVE')
    await book.market.orderUntil(old.id, isReady)
    await book.hasPassed(old.id, bornLive)
  })

  test('hides no spend: the node alone reports it', async () => {
    const sold = await inscribed()
    const purchase = await book.purchase(sold)
    await book.chain.stopIndex()
    const txid = await book.chain.submit(purchase)
    await becomes(sold.id, 'MEMPOOL_CONFLICTED')
    await book.chain.mine(1)
    expect((await becomes(sold.id, 'SETTLED')).settlement?.txid).toBe(txid)
    await book.chain.startIndex()
  })

  test('by a signal: as if it were gone', async () => {
    const old = await inscribed()
    const fresh = await inscribedAsk()
    await book.chain.syncIndex()
    await waitUntil('the orders have got its block', isFollowed)
    book.chain.ord.kill('SIGSTOP')
    let order: OrderSummary
    try {
      order = await book.imported(fresh.psbt, fresh.saying)
      expect(standing(order)).toEqual(['PENDING_ASSET', 'asset_index_unreachable'])
      expect(await recheck(old.id)).toEqual({ status: 503, code: 'ASSET_INDEX_UNAVAILABLE' })
    } finally {
      book.chain.ord.kill('SIGCONT')
    }
    await becomes(order.id, 'LIVE')
    await book.market.orderUntil(old.id, isReady)
    await book.hasPassed(old.id, bornLive)
  })
})

describe('an index that is behind', () => {
  test('has not examined what is younger; what is older stays LIVE and fresh', async () => {
    const old = await inscribed()
    const { metricsAddress } = book.market
    await using scraper = Scraper.of([{ name: 'market', role: 'all', metricsAddress }], QUICK)
    await scraper.until(['MarketIndexBehind'], false, ALERT_MS)
    await book.chain.freezeIndex()
    const fresh = await inscribedAsk()
    await book.chain.mine(3)
    const order = await book.imported(fresh.psbt, fresh.saying)
    expect(standing(order)).toEqual(['PENDING_ASSET', 'asset_index_behind'])
    expect(await readiness()).toMatchObject({
      ready: false,
      reason: 'asset_index_behind',
      lagBlocks: 4,
    })
    // Longer than a verification lasts: the watermark keeps it fresh.
    await Promise.all([
      new Promise((resolve) => setTimeout(resolve, (MAX_AGE_SECONDS + 1) * 1_000)),
      scraper.until(['MarketIndexBehind'], true, ALERT_MS),
    ])
    expect(isReady(await book.market.order(old.id))).toBe(true)
    expect((await recheck(old.id)).status).toBe(201)
    expect((await book.market.order(order.id)).state).toBe('PENDING_ASSET')

    await book.chain.thawIndex()
    await becomes(order.id, 'LIVE')
    await book.hasPassed(old.id, bornLive)
    await book.hasPassed(order.id, ['PENDING_NODE', 'PENDING_ASSET', 'LIVE'])
    await scraper.until(['MarketIndexBehind'], false, ALERT_MS)
  })

  test('by itself: a false claim is not detected before it has caught up', async () => {
    const { ids } = await inscribe(book.chain, book.miner, txOut(book.miner.scriptHex, 10_000n))
    await book.mine()
    await book.chain.freezeIndex()
    const seed = book.name()
    const { outpoint } = await book.miner.fund(walletOf('p2tr', seed).scriptHex, 10_000n)
    await book.chain.mine(1)
    const { psbt } = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })
    const saying = { asset: { inscriptionId: ids[0], outpoint } }
    const { id, state } = await book.imported(psbt, saying)
    expect(state).toBe('PENDING_ASSET')
    await book.chain.thawIndex()
    const order = await becomes(id, 'REJECTED')
    expect(standing(order)).toEqual(['REJECTED', 'asset_mismatch'])
  })
})

describe('an index that is rebuilt', () => {
  // An order asked about individually before the new index has reached its block waits for it.
  const WAIT = ['PENDING_ASSET', 'LIVE'] as const
  const comesBack = (id: string) =>
    book.hasPassed(id, bornLive, [...bornLive, ...WAIT], [...bornLive, ...WAIT, ...WAIT])

  test('counts again when it has read the chain; what was LIVE is LIVE again', async () => {
    const old = await inscribed()
    await book.chain.ord.stop()
    await book.chain.ord.forget()
    await book.chain.ord.start()
    await book.chain.syncIndex()
    await book.market.orderUntil(old.id, isReady)
    await comesBack(old.id)
  })

  test('without runes: LIVE, with a note that they were not examined', async () => {
    const old = await inscribed()
    await book.chain.ord.stop()
    await book.chain.ord.forget()
    await book.chain.ord.start([], { runes: false })
    await book.chain.syncIndex()
    await book.market.orderUntil(old.id, ({ validation }) =>
      validation.reasons.includes('runes_not_examined'),
    )
    await book.chain.ord.stop()
    await book.chain.ord.forget()
    await book.chain.ord.start()
    await book.chain.syncIndex()
    await book.market.orderUntil(old.id, ({ validation }) => validation.reasons.length === 0)
    await comesBack(old.id)
  })
})

describe('an index that a reorg was too deep for', () => {
  test('does not answer until it is rebuilt; the node is still followed', async () => {
    const old = await inscribed()
    const sold = await inscribed()
    const purchase = await book.purchase(sold)
    await book.mine(30)
    const young = await inscribed()
    const { tip } = await book.chain.node.chain()
    await book.chain.invalidate((await book.chain.node.blockHash(tip.height - 25)) ?? '')
    for (let blocks = 0; blocks < 28; blocks++) await book.chain.mineExactly([])
    await waitUntil(
      'ord gives up',
      async () => (await book.chain.index.status()).unrecoverablyReorged,
    )

    await becomes(young.id, 'PENDING_ASSET')
    expect(standing(await book.market.order(old.id))).toEqual(['LIVE'])
    expect(await recheck(old.id)).toEqual({ status: 503, code: 'ASSET_INDEX_UNAVAILABLE' })
    await book.market.orderUntil(old.id, isStale)
    const fresh = await inscribedAsk()
    const order = await book.imported(fresh.psbt, fresh.saying)
    expect(standing(order)).toEqual(['PENDING_ASSET', 'asset_index_reorged'])
    const txid = await book.chain.submit(purchase)
    await book.chain.mine(1)
    expect((await becomes(sold.id, 'SETTLED')).settlement?.txid).toBe(txid)

    await book.chain.ord.stop()
    await book.chain.ord.forget()
    await book.chain.ord.start()
    await book.chain.syncIndex()
    await becomes(order.id, 'LIVE')
    await becomes(young.id, 'LIVE')
    await book.market.orderUntil(old.id, isReady)
    await book.hasPassed(old.id, bornLive)
  })
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
