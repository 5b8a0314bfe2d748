import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedViews } from '../../../../src/adapters/embedded/views/views.ts'
import { orderViewsContract } from '../../../contracts/order-views.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { ManualClock } from '../../../support/manual-clock.ts'
import { bookOf } from '../../../support/orders/order-book.ts'
import { lifeOf } from '../../../support/orders/order-changes.ts'

orderViewsContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  const clock = new ManualClock()
  let store = await LmdbStore.open(path)
  const views = () => EmbeddedViews.open({ store, network: 'regtest', clock })
  return {
    views: await views(),
    clock,
    reopen: async () => {
      await store.close()
      store = await LmdbStore.open(path)
      return views()
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})

test('a page read while its orders change shows each as it was found', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock: new ManualClock() })
  const lives = bookOf(60, 5).map((order) =>
    lifeOf([
      { ...order, state: 'LIVE' },
      { ...order, state: 'SPENT', updatedAt: '2026-03-01T00:00:00.000Z' },
    ]),
  )
  const firsts = lives.map((life) => life.changes[0]!)
  await views.apply({ partition: 0, nextOffset: 1, records: firsts })
  const query = { includeWithdrawn: false, sort: 'oldest', limit: 200 } as const
  const spending = (async () => {
    for (const life of lives) {
      await views.apply({ partition: 0, nextOffset: 2, records: [life.changes[1]!] })
    }
  })()
  let live = lives.length
  while (live > 0) {
    const page = await views.page({ ...query, state: 'LIVE' })
    expect(page.orders.every(({ order }) => order.state === 'LIVE')).toBe(true)
    expect(page.orders).toHaveLength(page.total)
    live = page.total
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await spending
  await store.close()
  drop()
})

test('rows of another release are rebuilt from the documents', async () => {
  const { path, drop } = temporaryDirectory()
  const options = { network: 'regtest', clock: new ManualClock() } as const
  let store = await LmdbStore.open(path)
  const first = await EmbeddedViews.open({ store, ...options })
  const records = bookOf(600, 6).map((order) => lifeOf([order]).changes[0]!)
  await first.apply({ partition: 0, nextOffset: 600, records })
  const query = { includeWithdrawn: true, sort: 'price_asc', limit: 200 } as const
  const before = await first.page(query)
  await store.write(() => {
    store.table<number>('view settings').putSync('row version', -1)
    store.table('view rows').clearSync()
  })
  await store.close()
  store = await LmdbStore.open(path)
  const again = await EmbeddedViews.open({ store, ...options })
  expect(await again.page(query)).toEqual(before)
  expect(before.total).toBe(600)
  await store.close()
  drop()
})
