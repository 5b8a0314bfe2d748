import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { completeAsk } from '../../src/devnet/people/trade.ts'
import {
  accountOf,
  type WalletCoin,
  type WalletScriptType,
} from '../../src/devnet/people/wallet.ts'
import type { ActivityPage, OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type Market, openMarket } from '../support/market/market.ts'

let market: Market

beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.end())

const devnet = () => {
  const { devnet: open } = market.authorities
  if (!open) throw new Error('this test needs the devnet')
  return open
}

function coin(label: string, type: WalletScriptType, sats: bigint): WalletCoin {
  const account = accountOf(label, type)
  const outpoint = devnet().fund(account.address, sats)
  return { outpoint, scriptHex: account.scriptHex, valueSats: sats.toString() }
}

function ask(label: string, type: WalletScriptType, price = 50_000n) {
  const account = accountOf(label, type)
  const offered = coin(label, type, 10_000n)
  const payout = { scriptHex: account.scriptHex, valueSats: price.toString() }
  return { offered, psbt: account.ask(offered, payout) }
}

const buy = (psbt: string, label = 'buyer'): string =>
  completeAsk({
    ask: psbt,
    buyer: accountOf(label, 'p2wpkh'),
    paddings: [coin(label, 'p2wpkh', 600n), coin(label, 'p2wpkh', 600n)],
    funding: coin(label, 'p2wpkh', 1_000_000n),
    receiveScriptHex: accountOf(label, 'p2tr').scriptHex,
  })

async function imported(psbt: string): Promise<OrderSummary> {
  const { status, body } = await market.post('orders/import', { psbt })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

describe('the life of an order on the devnet', () => {
  test.each(['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const)(
    'an ask of a %s coin is LIVE, listed and released',
    async (type) => {
      const order = await imported(ask('alice', type).psbt)
      // The devnet does not index runes, and the order says so.
      expect([order.state, order.validation.reasons]).toEqual(['LIVE', ['runes_not_examined']])
      expect(order.actionability).toBe('HANDOFF_READY')
      const listed = (await market.get('orders?state=LIVE')).body as OrderPage
      expect(listed.orders.map(({ id }) => id)).toContain(order.id)
      expect((await market.get(`orders/${order.id}/artifact`)).status).toBe(200)
    },
  )

  test('a side that contradicts the signatures is recorded, and changes nothing', async () => {
    const { psbt } = ask('ines', 'p2tr')
    const { body } = await market.post('orders/import', { psbt, side: 'BID' })
    const order: OrderSummary = body
    expect(order).toMatchObject({ state: 'LIVE', side: 'ASK' })
    expect(order.validation.reasons).toContain('side_claim_differs')
  })

  test('a purchase in the mempool is a conflict, its block settles the order [spec 3 row 3]', async () => {
    const { psbt } = ask('bea', 'p2tr')
    const { id } = await imported(psbt)
    const txid = devnet().submit(buy(psbt))
    const conflicted = await market.orderUntil(id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    expect(conflicted.settlement).toMatchObject({ txid, confirmations: 0 })
    devnet().mine(1)
    const settled = await market.orderUntil(id, ({ state }) => state === 'SETTLED')
    expect(settled.settlement).toMatchObject({ txid, confirmations: 1 })
    expect(settled.actionability).toBe('BLOCKED')
  })

  test('a dropped spend makes the order LIVE again [spec 3 row 1]', async () => {
    const { psbt } = ask('cleo', 'p2wpkh')
    const { id } = await imported(psbt)
    const txid = devnet().submit(buy(psbt))
    await market.orderUntil(id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    devnet().evict(txid)
    await market.orderUntil(id, ({ state }) => state === 'LIVE')
    // The history may lag behind the views by two seconds.
    await vi.waitFor(
      async () => {
        const { entries } = (await market.get(`activity?orderId=${id}`)).body as ActivityPage
        expect(entries.map(({ toState }) => toState)).toEqual([
          'LIVE',
          'MEMPOOL_CONFLICTED',
          'LIVE',
          'PENDING_NODE',
        ])
      },
      { timeout: 10_000, interval: 200 },
    )
  })

  test('a reorg reverts a settlement', async () => {
    const { psbt } = ask('dora', 'p2tr')
    const { id } = await imported(psbt)
    devnet().submit(buy(psbt))
    devnet().mine(1)
    await market.orderUntil(id, ({ state }) => state === 'SETTLED')
    devnet().reorg(1)
    await market.orderUntil(id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    devnet().mine(1)
    await market.orderUntil(id, ({ state }) => state === 'SETTLED')
  })
})

test('state survives a restart', async () => {
  const first = await openMarket()
  const account = accountOf('alice', 'p2tr')
  const outpoint = first.authorities.devnet?.fund(account.address, 10_000n)
  if (!outpoint) throw new Error('this test needs the devnet')
  const offered = { outpoint, scriptHex: account.scriptHex, valueSats: '10000' }
  const psbt = account.ask(offered, { scriptHex: account.scriptHex, valueSats: '70000' })
  const { body } = await first.post('orders/import', { psbt })
  const { id } = body as OrderSummary
  await first.stop()
  const second = await openMarket({}, { dataDir: first.dataDir })
  expect(await second.order(id)).toMatchObject({ state: 'LIVE', quotedPriceSats: '70000' })
  await second.end()
})
