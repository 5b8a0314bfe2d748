import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { EmbeddedViews } from '../../src/adapters/embedded/views/views.ts'
import { importOrder } from '../../src/gateway/intake/import-order.ts'
import { rebuildStoredViews } from '../../src/operator/rebuild-views.ts'
import type { RebuildProgress } from '../../src/ports/views/order-views.ts'
import { seedBook } from '../../src/roles/devnet/devnet-seed.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'

const listed = async (market: { get(path: string): Promise<{ body: never }> }) => {
  const { orders } = (await market.get('orders?limit=200&includeWithdrawn=true')).body as OrderPage
  return orders.map(({ id, state, updatedAt }) => [id, state, updatedAt])
}

/** The orders in the views of a stopped service. */
async function kept(dataDir: string): Promise<OrderRecord[]> {
  const store = await LmdbStore.open(join(dataDir, 'store'))
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock: systemClock })
  const orders: OrderRecord[] = []
  for await (const order of views.all()) orders.push(order)
  await store.close()
  return orders
}

test('the views of DATA_DIR are rebuilt while the service runs, and while it is stopped, and are the same', async () => {
  const market = await openMarket(ORDERS_ONLY)
  await seedBook(devnetOf(market), (request) =>
    importOrder(market.gateway, request, 'devnet', AbortSignal.timeout(15_000)),
  )
  const { signal } = new AbortController()
  // The book is made with a sale and an unconfirmed purchase: their news comes after the answers.
  await vi.waitFor(
    async () => {
      const states = (await listed(market)).map(([, state]) => state)
      expect(states).toEqual(expect.arrayContaining(['SETTLED', 'MEMPOOL_CONFLICTED']))
    },
    { timeout: 15_000, interval: 50 },
  )
  const shown = await listed(market)
  expect(await rebuildStoredViews(market.config, signal)).toBe(true)
  expect(await listed(market)).toEqual(shown)
  expect(await rebuildStoredViews(market.config, AbortSignal.abort())).toBe(false)
  await market.stop()
  const before = await kept(market.dataDir)
  expect(before.length).toBeGreaterThan(5)
  const progress: RebuildProgress[] = []
  expect(
    await rebuildStoredViews(market.config, signal, { onProgress: (one) => progress.push(one) }),
  ).toBe(true)
  const { done, all } = progress.filter(({ step }) => step === 'fold').at(-1) ?? {}
  expect(done).toBeGreaterThan(before.length)
  expect(done).toBe(all)
  expect(await kept(market.dataDir)).toEqual(before)
  const again = await openMarket(ORDERS_ONLY, { dataDir: market.dataDir })
  expect((await listed(again)).map(([id]) => id).sort()).toEqual(before.map(({ id }) => id).sort())
  await again.end()
})
