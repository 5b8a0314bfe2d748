import { Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { noise } from '../support/abuse/junk.ts'
import { toTxid } from '../support/ids.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'

// What waits in the pool is charged once it enters the log (docs/abuse.md#storage).

let market: Market
const seller = accountOf('seller of fat asks', 'p2tr')
/** Two of them are more than a client may have stored at once. */
const FILLING = 40_000
const ASKS = 4

beforeAll(async () => {
  market = await openMarket({ ...ORDERS_ONLY, RATE_LIMIT_PROVED_KIB: '256' })
})
afterAll(() => market.end())

/** Asks of an output whose transaction is broadcast later. */
function fatAsks(): { asks: string[]; broadcast(): void } {
  const { devnet } = market.authorities
  if (!devnet) throw new Error('the service has a devnet')
  const { address, scriptHex } = seller
  const paid = { outpoint: devnet.fund(address, 12_000n), scriptHex, valueSats: '12000' }
  const funding = new Psbt()
  funding.addInput(seller.input(paid))
  funding.addOutput({ script: Buffer.from(scriptHex, 'hex'), value: 10_000n })
  const transaction = seller.sign(funding, [0]).extractTransaction()
  const outpoint = { txid: toTxid(transaction.getId()), vout: 0 }
  const coin: WalletCoin = { outpoint, scriptHex, valueSats: '10000' }
  const asks = Array.from({ length: ASKS }, (_, n) => {
    const psbt = Psbt.fromBase64(seller.ask(coin, { scriptHex, valueSats: String(42_000 + n) }))
    psbt.addUnknownKeyValToGlobal({ key: Buffer.from('f0aa', 'hex'), value: noise(FILLING) })
    return psbt.toBase64()
  })
  return { asks, broadcast: () => devnet.submit(transaction.toHex()) }
}

test('orders of the pool enter the log as far as their client may have them stored', async () => {
  const { asks, broadcast } = fatAsks()
  const ids: string[] = []
  for (const psbt of asks) {
    const answer = await market.post('orders/import', { psbt })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    const order: OrderSummary = answer.body
    ids.push(order.id)
  }
  const withState = async (state: string): Promise<string[]> => {
    const orders = await Promise.all(ids.map((id) => market.order(id)))
    return orders.flatMap((order) => (order.state === state ? [order.id] : []))
  }
  broadcast()
  await expect.poll(() => withState('PENDING_ASSET'), { timeout: 15_000 }).toHaveLength(1)
  const waiting = await withState('REJECTED')
  expect(waiting).toHaveLength(ASKS - 1)
  const refused = await market.post(`orders/${waiting[0]}/revalidate`)
  expect(refused.status).toBe(429)
  expect(refused.body).toMatchObject({ code: 'MARKET_RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await withState('REJECTED')).toEqual(waiting)
})
