import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { openDevnet } from '../../../src/devnet/devnet.ts'
import { accountOf } from '../../../src/devnet/people/wallet.ts'
import type { HealthReport } from '../../../src/schemas/api/health.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../../support/market/market.ts'
import { devnetOf } from '../../support/market/trader.ts'
import { eventually } from '../../support/webhooks/eventually.ts'

// The devnet's index stayed behind its node after reorgs of 45 to 70 blocks, also after a restart.

/** ord's savepoints at most reach this far back. */
const DEEPER_THAN_SAVEPOINTS = 25
let market: Market
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
})
afterAll(() => market.end())

/** Imports an ask of a new coin: it is LIVE only if the index is at the node's tip. */
async function imported(label: string): Promise<OrderSummary> {
  const account = accountOf(label, 'p2wpkh')
  const outpoint = devnetOf(market).fund(account.address, 10_000n)
  const coin = { outpoint, scriptHex: account.scriptHex, valueSats: '10000' }
  const psbt = account.ask(coin, { scriptHex: account.scriptHex, valueSats: '50000' })
  const { status, body }: { status: number; body: OrderSummary } = await market.post(
    'orders/import',
    { psbt },
  )
  expect(status, JSON.stringify(body)).toBe(201)
  return market.orderUntil(body.id, ({ state }) => state === 'LIVE')
}

async function reasonNow(): Promise<string | null> {
  const { body }: { body: HealthReport } = await market.get('health')
  return body.listingReadiness.reason
}

test.each([45, 57, 70])('after a reorg of %i blocks new orders are LIVE', async (depth) => {
  await imported(`before ${depth}`)
  devnetOf(market).reorg(depth)
  await imported(`after ${depth}`)
  await eventually(reasonNow).toBeNull()
})

test('the same after a restart', async () => {
  const { dataDir } = market
  devnetOf(market).reorg(60)
  await market.stop()
  market = await openMarket(ORDERS_ONLY, { dataDir })
  await imported('after a restart')
  await eventually(reasonNow).toBeNull()
})

test('an index that was left behind is rebuilt at the start', async () => {
  const { dataDir } = market
  await market.stop()
  const folder = {
    dataDir: join(dataDir, 'devnet'),
    clock: systemClock,
    network: 'regtest',
  } as const
  const devnet = openDevnet(folder)
  devnet.reorg(DEEPER_THAN_SAVEPOINTS)
  expect(await devnet.index.status()).toMatchObject({ unrecoverablyReorged: true })
  await devnet.close()
  market = await openMarket(ORDERS_ONLY, { dataDir })
  await imported('after the rebuild')
  await eventually(reasonNow).toBeNull()
})
