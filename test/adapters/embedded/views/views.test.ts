import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { open as openRaw } from 'lmdb'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { environmentOf } from '../../../../src/adapters/embedded/lmdb/lmdb-environment.ts'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedViews } from '../../../../src/adapters/embedded/views/views.ts'
import { StorageUnavailableError } from '../../../../src/ports/log/storage-errors.ts'
import { QueryIndex } from '../../../../src/query-index/query-index.ts'
import type { ChangeRecord } from '../../../../src/schemas/log.ts'
import { orderViewsContract } from '../../../contracts/order-views.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { ManualClock } from '../../../support/manual-clock.ts'
import { bookOf, dice } from '../../../support/orders/order-book.ts'
import { lifeOf, mutated, watermarkOf } from '../../../support/orders/order-changes.ts'
import { systemClock } from '../../../support/system-clock.ts'

orderViewsContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  const clock = new ManualClock()
  let store = await LmdbStore.open(path)
  const open = () => EmbeddedViews.open({ store, network: 'regtest', clock })
  let views = await open()
  return {
    views,
    clock,
    reopen: async () => {
      await views.close()
      await store.close()
      store = await LmdbStore.open(path)
      views = await open()
      return views
    },
    close: async () => {
      await store.close()
      drop()
    },
  }
})

const ALL = { includeWithdrawn: true, sort: 'newest', limit: 200 } as const

/** Each order of a page is a piece of its own, with a turn of the event loop after it. */
class PieceByPiece extends ManualClock {
  meanwhile = async () => {}

  override monotonic(): number {
    this.advance(10)
    return super.monotonic()
  }

  override async turn(): Promise<void> {
    await this.meanwhile()
  }
}

test('a page waits for the index while the disk is slow', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock: systemClock })
  const [order] = bookOf(1, 9)
  const [first, second] = lifeOf([order!, mutated(dice(1), order!)]).changes
  const apply = (change: ChangeRecord, nextOffset: number) =>
    views.apply({ partition: 0, nextOffset, records: [change] })
  await apply(first!, 1)
  const write = store.writeGrouped.bind(store)
  vi.spyOn(store, 'writeGrouped').mockImplementation(async (action, records) => {
    const done = await write(action, records)
    await systemClock.sleep(300)
    return done
  })
  const writing = apply(second!, 2)
  await systemClock.sleep(100)
  const page = await views.page(ALL)
  expect(page.orders.map((one) => one.order.seq)).toEqual([2])
  await writing
  await store.close()
  drop()
})

describe('the index of a clean stop', () => {
  const options = { network: 'regtest', clock: new ManualClock() } as const
  const QUERY = { includeWithdrawn: true, sort: 'price_asc', limit: 200 } as const
  const changes = bookOf(60, 8).map((order) => lifeOf([order]).changes[0]!)
  const batch = (from: number, to: number) => ({
    partition: 0,
    nextOffset: to,
    records: changes.slice(from, to),
  })

  let directory: ReturnType<typeof temporaryDirectory>
  let store: LmdbStore
  let views: EmbeddedViews
  const filled = vi.spyOn(QueryIndex.prototype, 'fill')
  const open = async () => {
    filled.mockClear()
    store = await LmdbStore.open(directory.path)
    views = await EmbeddedViews.open({ store, ...options })
  }
  const close = async () => {
    await views.close()
    await store.close()
  }
  const readRows = () => filled.mock.calls.length > 0
  const file = () => join(directory.path, 'query-index')

  beforeEach(async () => {
    directory = temporaryDirectory()
    await open()
    await views.apply(batch(0, 50))
  })
  afterEach(async () => {
    await store.close()
    directory.drop()
  })
  afterAll(() => filled.mockRestore())

  test('serves the next start, which reads no row, and whatever it adds', async () => {
    const before = await views.page(QUERY)
    // The first is left out: too many orders came since the index was filled.
    await close()
    await open()
    expect(readRows()).toBe(true)
    await close()
    await open()
    expect(readRows()).toBe(false)
    expect(await views.page(QUERY)).toEqual(before)
    await views.apply(batch(50, 60))
    const after = await views.page(QUERY)
    await close()
    await open()
    expect(readRows()).toBe(false)
    expect(await views.page(QUERY)).toEqual(after)
    expect(after.total).toBe(before.total + 10)
  })

  const spoilt: [what: string, spoil: () => Promise<unknown>][] = [
    ['a stop without its end', () => store.close()],
    [
      'a change before a stop without its end',
      async () => {
        await views.apply(batch(50, 60))
        await store.close()
      },
    ],
    [
      'the store of another moment took the place of its own',
      async () => {
        await close()
        const other = openRaw({ ...environmentOf(directory.path) })
        await other.openDB<number, string>({ name: 'view settings' }).put('kept index', 1)
        await other.close()
      },
    ],
    [
      'a change of a byte in its file',
      async () => {
        await close()
        const bytes = readFileSync(file())
        bytes[Math.floor(bytes.length / 2)]! ^= 1
        writeFileSync(file(), bytes)
      },
    ],
    [
      'a batch in flight at the stop',
      async () => {
        const applied = views.apply(batch(50, 60))
        await views.close()
        await applied
        await store.close()
      },
    ],
    [
      'a batch that failed',
      async () => {
        await expect(
          views.apply({ ...batch(50, 60), records: [changes[0]!, { ...changes[1]!, seq: 9 }] }),
        ).rejects.toThrow()
        await close()
      },
    ],
    [
      'another process that had the store open since',
      async () => {
        await close()
        await (await LmdbStore.open(directory.path)).close()
      },
    ],
    [
      'half of its file',
      async () => {
        await close()
        truncateSync(file(), Math.floor(statSync(file()).size / 2))
      },
    ],
    [
      'a file of something else',
      async () => {
        await close()
        writeFileSync(file(), 'not an index')
      },
    ],
  ]
  test.for(spoilt)('is not used after %s', async ([, spoil]) => {
    await close()
    await open()
    await close()
    await open()
    expect(readRows()).toBe(false)
    const before = await views.page(QUERY)
    await spoil()
    await open()
    expect(readRows()).toBe(true)
    const { total } = await views.page(QUERY)
    expect([before.total, before.total + 10]).toContain(total)
  })

  test('is not used for another network', async () => {
    await close()
    await open()
    await close()
    filled.mockClear()
    store = await LmdbStore.open(directory.path)
    views = await EmbeddedViews.open({ store, ...options, network: 'signet' })
    expect(readRows()).toBe(true)
  })

  test('is not kept where the disk has no room for it, and leaves nothing there', async () => {
    await close()
    await open()
    await close()
    await open()
    vi.spyOn(store, 'assertRoom').mockImplementation(() => {
      throw new StorageUnavailableError('full', 'the disk is full')
    })
    await close()
    expect(readdirSync(directory.path).filter((name) => name.startsWith('query-index'))).toEqual([])
    await open()
    expect(readRows()).toBe(true)
  })

  test('leaves the disk once it was read', async () => {
    await close()
    await open()
    await close()
    expect(existsSync(file())).toBe(true)
    await open()
    expect(readRows()).toBe(false)
    expect(existsSync(file())).toBe(false)
  })

  test('is not kept where it cannot be written, and the stop is a stop all the same', async () => {
    await close()
    await open()
    mkdirSync(`${file()}.new`)
    await close()
    await open()
    expect(readRows()).toBe(true)
  })

  test('nothing is applied after it', async () => {
    await views.close()
    await expect(views.apply(batch(50, 60))).rejects.toThrow('the views are closed')
  })
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

test.each([
  ['orders', async (views: EmbeddedViews) => (await views.page(ALL)).orders],
  ['answers', async (views: EmbeddedViews) => (await views.answerPage(ALL, 2 ** 20)).answers],
])('a page of %s shows no freshness that came while it was read', async (_of, read) => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const clock = new PieceByPiece()
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock })
  const lives = bookOf(3, 5).map((order) => lifeOf([order, { ...order, state: 'SPENT' }]))
  const changes = (version: number) => lives.map((life) => life.changes[version]!)
  await views.apply({ partition: 0, nextOffset: 1, records: changes(0) })
  const [first] = (await views.page({ ...ALL, limit: 1 })).orders
  const isFirst = ({ orderId }: { orderId: string }) => orderId === first?.order.id
  clock.meanwhile = async () => {
    clock.meanwhile = async () => {}
    // The first order of the page has been read by then.
    await views.apply({ partition: 0, nextOffset: 2, records: changes(1).filter(isFirst) })
    const continuousSince = { epoch: 1, n: 0 }
    await views.applyFreshness(0, { watermark: watermarkOf(7), continuousSince })
  }
  const shown = await read(views)
  expect(shown).toHaveLength(3)
  expect(shown.map(({ freshness }) => freshness)).toEqual([null, null, null])
  expect((await views.freshness()).get(0)?.watermark.n).toBe(7)
  await store.close()
  drop()
})

test('answers that are kept hold little more in memory than their texts', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock: new ManualClock() })
  const records = bookOf(2_000, 7).map((order) => lifeOf([order]).changes[0]!)
  await views.apply({ partition: 0, nextOffset: 1, records })
  const heapUsed = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = heapUsed()
  let counted = 0
  for (const { orderId } of records) {
    const shown = await views.answer(orderId)
    for (const piece of shown?.answer.pieces ?? []) counted += piece.length
    counted += 1_000
  }
  expect(heapUsed() - before).toBeLessThan(1.2 * counted)
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
