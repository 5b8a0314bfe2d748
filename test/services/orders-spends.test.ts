import { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderState, TxOut } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import { spend } from '../support/chain/spend.ts'
import { coinOf, txOut } from '../support/chain/wallet.ts'
import { toTxid } from '../support/ids.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import {
  askAgain,
  BUYER_COINS,
  coinOfSeller,
  type LiveAsk,
  openServiceBook,
  type ServiceBook,
} from '../support/services/service-book.ts'

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 140 })
})
afterAll(() => book?.close())

const idOf = (hex: string) => toTxid(Transaction.fromHex(hex).getId())
const elsewhere = (sats: bigint): TxOut => txOut(walletOf('p2tr', 'elsewhere').scriptHex, sats)
const becomes = (id: string, wanted: OrderState) =>
  book.market.orderUntil(id, ({ state }) => state === wanted)
const isSpentBy = (txid: string) => (order: OrderSummary) =>
  order.state === 'MEMPOOL_CONFLICTED' &&
  order.validation.reasons.includes(`mempool_conflict ${txid}`)

describe('a purchase', () => {
  test('is a conflict with 0 confirmations at once, and settled by its block', async () => {
    const ask = await book.live()
    const txid = await book.chain.submit(await book.purchase(ask))
    const seen = await book.market.orderUntil(ask.id, isSpentBy(txid))
    expect(seen).toMatchObject({
      settlement: { txid, confirmations: 0 },
      validation: { nodeStatus: 'OUTPOINT_SPENT' },
      actionability: 'REVIEW_ONLY',
    })
    expect((await book.market.get(`orders/${ask.id}/artifact`)).status).toBe(400)
    await book.mine()
    const settled = await becomes(ask.id, 'SETTLED')
    expect(settled).toMatchObject({
      settlement: { txid, confirmations: 1, confirmedAt: expect.any(String) },
      actionability: 'BLOCKED',
    })
    await book.mine(3)
    await book.market.orderUntil(ask.id, ({ settlement }) => settlement?.confirmations === 4)
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'])
  })

  test('that no mempool saw settles all the same', async () => {
    const ask = await book.live()
    await book.chain.mineExactly([await book.purchase(ask)])
    await becomes(ask.id, 'SETTLED')
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE', 'SETTLED'])
  })

  test('at one of two prices settles the one and spends the other', async () => {
    const ask = await book.live()
    const payout = txOut(ask.payout.scriptHex, 25_001n)
    const other = await book.imported(askAgain(ask, { payout }).psbt)
    expect(other.state).toBe('LIVE')
    const txid = await book.chain.submit(await book.purchase(ask))
    const conflicted = await book.market.orderUntil(other.id, isSpentBy(txid))
    expect(conflicted.settlement).toBeUndefined()
    await book.mine()
    await becomes(ask.id, 'SETTLED')
    await becomes(other.id, 'SPENT')
  })
})

describe('a spend by the seller itself', () => {
  // What the transaction pays decides, not whose signature it carries.
  const outputs: { title: string; pays: (ask: LiveAsk) => TxOut[]; ends: OrderState }[] = [
    { title: 'nothing of the payout', pays: () => [elsewhere(1_000n)], ends: 'SPENT' },
    { title: 'the exact payout', pays: ({ payout }) => [payout], ends: 'SETTLED' },
    {
      title: 'the payout at another index',
      pays: ({ payout }) => [elsewhere(1_000n), payout],
      ends: 'SPENT',
    },
    {
      title: 'a sat less',
      pays: ({ payout }) => [txOut(payout.scriptHex, 24_999n)],
      ends: 'SPENT',
    },
    { title: 'as much to another script', pays: () => [elsewhere(25_000n)], ends: 'SPENT' },
  ]
  test.each(outputs)('paying $title: $ends', async ({ pays, ends }) => {
    const ask = await book.live()
    const [coin] = await book.coins([50_000n])
    if (!coin) throw new Error('one coin was asked for')
    const inputs = [coinOfSeller(ask), coin]
    const txid = await book.chain.submit(spend({ inputs, outputs: pays(ask) }))
    const seen = await book.market.orderUntil(ask.id, isSpentBy(txid))
    expect(seen.settlement?.txid).toBe(ends === 'SETTLED' ? txid : undefined)
    await book.mine()
    const order = await becomes(ask.id, ends)
    expect(order.settlement?.txid).toBe(ends === 'SETTLED' ? txid : undefined)
  })
})

describe('a replaced spend', () => {
  test('by another purchase, and by the seller: each is named, the last one counts', async () => {
    const ask = await book.live()
    const [one, another] = [
      await book.purchase(ask),
      await book.purchase(ask, { feeSats: 20_000n }),
    ]
    const [coin] = await book.coins([100_000n])
    if (!coin) throw new Error('one coin was asked for')
    const first = await book.chain.submit(one)
    await book.market.orderUntil(ask.id, isSpentBy(first))
    const second = await book.chain.submit(another)
    const order = await book.market.orderUntil(ask.id, isSpentBy(second))
    expect(order.settlement).toMatchObject({ txid: second, confirmations: 0 })
    const inputs = [coinOfSeller(ask), coin]
    const third = await book.chain.submit(spend({ inputs, outputs: [elsewhere(10_000n)] }))
    const taken = await book.market.orderUntil(ask.id, isSpentBy(third))
    expect(taken.settlement).toBeUndefined()
    await book.mine()
    await becomes(ask.id, 'SPENT')
  })

  test('by one that leaves the output alone: LIVE again', async () => {
    const ask = await book.live()
    const coins = await book.coins(BUYER_COINS)
    const txid = await book.chain.submit(await book.purchase(ask, { coins }))
    await book.market.orderUntil(ask.id, isSpentBy(txid))
    await book.chain.submit(spend({ inputs: coins, outputs: [elsewhere(900_000n)] }))
    const order = await becomes(ask.id, 'LIVE')
    expect(order.settlement).toBeUndefined()
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'LIVE'])
  })

  test('after a block without it: the conflict stays until then', async () => {
    const ask = await book.live()
    const coins = await book.coins(BUYER_COINS)
    const first = await book.chain.submit(await book.purchase(ask, { coins }))
    await book.market.orderUntil(ask.id, isSpentBy(first))
    await book.chain.mineExactly([])
    await book.followed()
    expect(await book.market.order(ask.id)).toSatisfy(isSpentBy(first))
    const second = await book.chain.submit(await book.purchase(ask, { coins, feeSats: 20_000n }))
    await book.market.orderUntil(ask.id, isSpentBy(second))
    await book.mine()
    expect((await becomes(ask.id, 'SETTLED')).settlement?.txid).toBe(second)
  })

  test('by one that shares no input with it: a TRUC sibling', async () => {
    const ask = await book.live({ version: 3 })
    const [coin] = await book.coins([1_000_000n])
    if (!coin) throw new Error('one coin was asked for')
    const { wallet } = coin
    const to = (sats: bigint) => txOut(wallet.scriptHex, sats)
    const outputs = [to(600n), to(600n), to(400_000n), to(400_000n)]
    const parent = spend({ version: 3, inputs: [coin], outputs })
    const txid = await book.chain.submit(parent)
    const made = outputs.map((output, vout) => ({ outpoint: { txid, vout }, output, wallet }))
    const child = await book.chain.submit(await book.purchase(ask, { coins: made.slice(0, 3) }))
    await book.market.orderUntil(ask.id, isSpentBy(child))
    const sibling = { version: 3, inputs: made.slice(3), outputs: [elsewhere(300_000n)] }
    await book.chain.submit(spend(sibling))
    await becomes(ask.id, 'LIVE')
  })

  test('by a package: its parent alone would not have been taken', async () => {
    const ask = await book.live()
    const coins = await book.coins(BUYER_COINS)
    const txid = await book.chain.submit(await book.purchase(ask, { coins }))
    await book.market.orderUntil(ask.id, isSpentBy(txid))
    const [funding] = coins.slice(2)
    if (!funding) throw new Error('three coins were asked for')
    const output = txOut(funding.wallet.scriptHex, 1_000_000n)
    const parent = spend({ inputs: [funding], outputs: [output] })
    expect(await book.refusal(parent)).not.toBeNull()
    const made = { outpoint: { txid: idOf(parent), vout: 0 }, output, wallet: funding.wallet }
    const child = spend({ inputs: [made], outputs: [elsewhere(900_000n)] })
    await book.chain.core.rpc('submitpackage', [parent, child])
    await becomes(ask.id, 'LIVE')
  })
})

describe('an evicted spend', () => {
  test('because it waited too long', async () => {
    const ask = await book.live()
    const txid = await book.chain.submit(await book.purchase(ask))
    await book.market.orderUntil(ask.id, isSpentBy(txid))
    const fortnight = 14 * 24 * 3_600
    await book.chain.core.rpc('setmocktime', Math.floor(Date.now() / 1000) + fortnight + 60)
    // The node expires old transactions when a new one arrives.
    await book.miner.fund(book.miner.scriptHex, 10_000n)
    await becomes(ask.id, 'LIVE')
    await book.chain.core.rpc('setmocktime', 0)
  })

  test('because the mempool is full', async () => {
    await book.chain.core.stop()
    await book.chain.core.start(['-maxmempool=5'])
    const ask = await book.live()
    const txid = await book.chain.submit(await book.purchase(ask))
    await book.market.orderUntil(ask.id, isSpentBy(txid))
    // 90,000 bytes: one push of four length bytes.
    const data = `6a4e905f0100${'00'.repeat(90_000)}`
    const isThere = () => book.chain.node.mempool().then(({ txids }) => [...txids].includes(txid))
    while (await isThere())
      await book.chain.submit(book.miner.pay([txOut(data, 0n)], 5_000_000n).toHex())
    await becomes(ask.id, 'LIVE')
    await book.mine(6)
    await book.chain.restartNode()
  })
})

describe('a package', () => {
  test('of a parent that makes the output and a child that buys it', async () => {
    const seed = book.name()
    const { outpoint, output } = await book.miner.fund(walletOf('p2tr', seed).scriptHex, 10_000n)
    const ask = makeAsk({ seed, prevout: { ...outpoint, valueSats: output.valueSats } })
    const { id, state } = await book.imported(ask.psbt)
    expect(state).toBe('PENDING_ASSET')
    const confirmed = await unminedCoins()
    const txid = await book.chain.submit(await book.purchase(ask, { coins: confirmed }))
    await book.market.orderUntil(id, isSpentBy(txid))
    await book.mine()
    expect((await becomes(id, 'SETTLED')).settlement?.txid).toBe(txid)
  })

  test('whose parent is replaced: the output is gone, and nothing spends it', async () => {
    const seed = book.name()
    const coin = book.miner.coin()
    const { scriptHex } = walletOf('p2tr', seed)
    const pays = (fee: bigint, to: TxOut) => {
      const change = BigInt(coin.output.valueSats) - BigInt(to.valueSats) - fee
      return book.miner.sign({ inputs: [coin], outputs: [to, txOut(book.miner.scriptHex, change)] })
    }
    const parent = pays(1_000n, txOut(scriptHex, 10_000n))
    await book.chain.submit(parent.toHex())
    const { outpoint } = coinOf(parent, 0)
    const ask = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })
    const { id } = await book.imported(ask.psbt)
    const txid = await book.chain.submit(await book.purchase(ask, { coins: await unminedCoins() }))
    await book.market.orderUntil(id, isSpentBy(txid))
    await book.chain.submit(pays(50_000n, elsewhere(10_000n)).toHex())
    const gone = await becomes(id, 'REJECTED')
    expect(gone.validation).toMatchObject({
      nodeStatus: 'OUTPOINT_MISSING',
      reasons: ['outpoint_missing'],
    })
    await book.mine()
    await book.followed()
    expect((await book.market.order(id)).state).toBe('REJECTED')
  })

  /** A buyer's, in the mempool. */
  async function unminedCoins() {
    const wallet = walletOf('p2wpkh', book.name())
    const funding = book.miner.pay(BUYER_COINS.map((sats) => txOut(wallet.scriptHex, sats)))
    await book.chain.submit(funding.toHex())
    return BUYER_COINS.map((_, vout) => ({ ...coinOf(funding, vout), wallet }))
  }
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
