import { expect, test, vi } from 'vitest'
import { importOrder } from '../../src/gateway/import-order.ts'
import { seedBook } from '../../src/roles/devnet-seed.ts'
import { operatorProblem } from '../../src/roles/operator-problem.ts'
import { type RebuildProgress, rebuildViews } from '../../src/roles/rebuild-views.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { openMarket } from '../support/market.ts'
import { devnetOf } from '../support/trader.ts'

const listed = async (market: { get(path: string): Promise<{ body: never }> }) => {
  const { orders } = (await market.get('orders?limit=200&includeWithdrawn=true')).body as OrderPage
  return orders.map(({ id, state, updatedAt }) => [id, state, updatedAt])
}

test('the views of DATA_DIR are made again while the service is stopped, and are the same', async () => {
  const market = await openMarket()
  await seedBook(devnetOf(market), (request) =>
    importOrder(market.gateway, request, 'devnet', AbortSignal.timeout(15_000)),
  )
  const { signal } = new AbortController()
  const refused = await rebuildViews(market.config, signal).catch((error) => error)
  expect(operatorProblem(refused)).toMatch(/store is in use by process \d+: stop it, or choose/)
  // The book is made with a sale and a purchase that waits: their news comes after the answers.
  await vi.waitFor(
    async () => {
      const states = (await listed(market)).map(([, state]) => state)
      expect(states).toEqual(expect.arrayContaining(['SETTLED', 'MEMPOOL_CONFLICTED']))
    },
    { timeout: 15_000, interval: 50 },
  )
  const before = await listed(market)
  expect(before.length).toBeGreaterThan(5)
  await market.stop()
  const progress: RebuildProgress[] = []
  expect(
    await rebuildViews(market.config, signal, { onProgress: (one) => progress.push(one) }),
  ).toBe(true)
  const { done, all } = progress.filter(({ step }) => step === 'fold').at(-1) ?? {}
  expect(done).toBeGreaterThan(before.length)
  expect(done).toBe(all)
  const again = await openMarket({}, { dataDir: market.dataDir })
  expect(await listed(again)).toEqual(before)
  await again.end()
})
