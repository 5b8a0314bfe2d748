import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RedisConnection } from '../../src/adapters/redis/client/connection.ts'
import { ViewScript } from '../../src/adapters/redis/views/script.ts'
import type { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { capabilityOf } from '../../src/domain/catalog/catalog.ts'
import { toSummary } from '../../src/domain/order/order-summary.ts'
import { showAnswer } from '../../src/domain/order/stored-answer.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { orderViewsContract } from '../contracts/order-views.ts'
import { toOrderId } from '../support/ids.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { listNaively } from '../support/orders/naive-listing.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated, outcomeOf, watermarkOf } from '../support/orders/order-changes.ts'
import { dumpRedis, openKeyspace, openRedisViews, RedisServer } from '../support/services/redis.ts'
import { reopenedViews } from '../support/services/redis-stores.ts'
import { systemClock } from '../support/system-clock.ts'

const PARTITIONS = 3
let server: RedisServer

beforeAll(async () => {
  server = await RedisServer.start()
})
afterAll(() => server.stop())

const openViews = (clock = new ManualClock()) =>
  openRedisViews(server.url, { clock, partitions: PARTITIONS })

/** Views in an empty Redis, as used by two processes. */
async function withTwo(
  run: (one: RedisViews, other: RedisViews, ofOther: RedisConnection) => Promise<void>,
) {
  await server.admin.flushall()
  const [one, other] = [await openViews(), await openViews()]
  try {
    await run(one.views, other.views, other.keyspace.connection)
  } finally {
    one.close()
    other.close()
  }
}

/** Does something between the next two reads of a connection. Returns how many there were. */
function afterFirstRead(connection: RedisConnection, act: () => Promise<void>): () => number {
  const run = connection.run.bind(connection)
  let reads = 0
  connection.run = async (work) => {
    reads += 1
    if (reads === 2) await act()
    return run(work)
  }
  return () => reads
}

const QUERIES = [
  { includeWithdrawn: false, sort: 'newest' },
  { includeWithdrawn: true, sort: 'price_asc' },
  { includeWithdrawn: false, sort: 'validation_newest', state: 'LIVE' },
  { includeWithdrawn: true, sort: 'token_asc', source: 'direct-import', search: 'p' },
] as const

const someLife = (seed: number, versions = 4) => {
  const roll = dice(seed)
  const chain = bookOf(1, seed)
  while (chain.length < versions) chain.push(mutated(roll, chain.at(-1)!))
  return lifeOf(chain)
}

orderViewsContract('redis', () => reopenedViews(server, PARTITIONS))

test('what one process writes another one reads, and is notified of', () =>
  withTwo(async (one, other) => {
    const { changes, order } = someLife(1)
    const waiting = other.waitForOutcome('r1', new AbortController().signal)
    await one.apply({
      partition: 1,
      nextOffset: 5,
      records: [...changes, outcomeOf('r1', order.id)],
    })
    expect(await waiting).toEqual({ orderId: order.id, outcome: { status: 'done', seq: 1 } })
    expect((await other.order(order.id))?.order).toEqual(order)
    expect(await other.position(1)).toBe(5)
  }))

test('two writers of the same changes leave what one of them would', async () => {
  const lives = Array.from({ length: 20 }, (_, seed) => someLife(seed + 10))
  const steps = [0, 1, 2, 3].map((at) => lives.map(({ changes }) => changes[at]!))
  const write = async (views: RedisViews) => {
    for (const [at, records] of steps.entries()) {
      await views.apply({ partition: 0, nextOffset: (at + 1) * 20, records })
    }
  }
  let alone = {}
  await withTwo(async (one) => {
    await write(one)
    alone = await dumpRedis(server)
  })
  await withTwo(async (one, other) => {
    await Promise.all([write(one), write(other)])
    expect(await dumpRedis(server)).toEqual(alone)
  })
})

test('an old writer that still holds an earlier version changes nothing', () =>
  withTwo(async (one) => {
    const { changes, order } = someLife(2)
    await one.apply({ partition: 0, nextOffset: 4, records: changes })
    const before = await dumpRedis(server)
    await one.apply({ partition: 0, nextOffset: 2, records: changes.slice(0, 2) })
    const keyspace = await openKeyspace(server.url, { partitions: PARTITIONS })
    const named = { partition: '0', reached: 0 }
    const answers = await new ViewScript(keyspace).run(await keyspace.current(), 'token', [
      ['check', { ...named, bases: [[order.id, '3']] }],
      ['put', {}, order.id, '4 0 {}', 'rows:000', 'id', 'row'],
      ['finish', { ...named, positions: 99, writing: 99, outcomes: [] }],
    ])
    keyspace.close()
    expect(answers).toEqual(['stale', 'closed', 'closed'])
    expect(await dumpRedis(server)).toEqual(before)
  }))

test('an order leaves every index in which it no longer belongs', async () => {
  const lives = Array.from({ length: 30 }, (_, seed) => someLife(seed + 50, 6))
  let folded = {}
  await withTwo(async (views) => {
    for (const [at, { changes }] of lives.entries()) {
      await views.apply({ partition: 0, nextOffset: at + 1, records: changes })
    }
    folded = await dumpRedis(server)
  })
  await withTwo(async (views) => {
    for (const [at, { changes }] of lives.entries()) {
      for (const change of changes) {
        await views.apply({ partition: 0, nextOffset: at + 1, records: [change] })
      }
    }
    expect(await dumpRedis(server)).toEqual(folded)
  })
})

test('a text with the mark that ends an entry finds nothing', () =>
  withTwo(async (views) => {
    const { changes, order } = someLife(3)
    await views.apply({ partition: 0, nextOffset: 1, records: changes })
    const search = (text: string) =>
      views.page({ includeWithdrawn: true, sort: 'newest', limit: 10, search: text })
    expect((await search(order.id)).total).toBe(1)
    expect((await search(`${order.id}\0`)).total).toBe(0)
  }))

const terms = { now: Date.parse('2026-01-01T00:00:00.000Z'), maxAgeSeconds: 600, capabilityOf }

/** The bytes of an order's answer; null: there is no such order. */
async function answerText(views: RedisViews, id: string): Promise<string | null> {
  const found = await views.answer(toOrderId(id))
  return found && showAnswer({ order: found.answer, freshness: found.freshness }, terms).body
}

test('answers read in one turn are those of their orders, each as its summary is written', () =>
  withTwo(async (one, other) => {
    const lives = Array.from({ length: 12 }, (_, seed) => someLife(100 + seed))
    for (const [partition, { changes }] of lives.entries())
      await one.apply({
        partition: partition % PARTITIONS,
        nextOffset: changes.length,
        records: changes,
      })
    const unknown = '00'.repeat(32)
    const ids = lives.map(({ order }) => order.id)
    const texts = await Promise.all([unknown, ...ids, ...ids].map((id) => answerText(other, id)))
    const expected = await Promise.all(
      ids.map(async (id) => {
        const found = await one.order(id)
        const { summary } = toSummary(found!, { ...terms, showsHidden: false })
        return JSON.stringify(summary)
      }),
    )
    expect(texts).toEqual([null, ...expected, ...expected])
  }))

test('orders asked for in one turn are read at once, each as if it were asked for alone', () =>
  withTwo(async (one, other, ofOther) => {
    const lives = Array.from({ length: 5 }, (_, seed) => someLife(200 + seed))
    for (const { changes } of lives)
      await one.apply({ partition: 0, nextOffset: changes.length, records: changes })
    const ids = [toOrderId('00'.repeat(32)), ...lives.map(({ order }) => order.id)]
    await other.order(ids[0]!)
    const reads = afterFirstRead(ofOther, async () => {})
    const together = await Promise.all([...ids, ...ids].map((id) => other.order(id)))
    expect(reads()).toBe(1)
    const alone = []
    for (const id of ids) alone.push(await one.order(id))
    expect(together).toEqual([...alone, ...alone])
    expect(together.map((found) => found?.order ?? null)).toContainEqual(lives[0]?.order)
  }))

test('an answer shows what was last written, and the freshness of another process a moment later', async () => {
  await server.admin.flushall()
  const clock = new ManualClock()
  const [one, other] = [await openViews(), await openViews(clock)]
  try {
    const { changes, order } = someLife(9)
    const freshness = { watermark: watermarkOf(7), continuousSince: { epoch: 1, n: 2 } }
    await one.views.apply({ partition: 0, nextOffset: 2, records: changes.slice(0, 2) })
    expect((await other.views.answer(order.id))?.freshness).toBeNull()
    await one.views.apply({ partition: 0, nextOffset: changes.length, records: changes.slice(2) })
    await one.views.applyFreshness(0, freshness)
    expect((await one.views.answer(order.id))?.freshness).toEqual(freshness)
    const { summary } = toSummary({ order, freshness: null }, { ...terms, showsHidden: false })
    expect(await answerText(other.views, order.id)).toBe(JSON.stringify(summary))
    clock.advance(250)
    expect((await other.views.answer(order.id))?.freshness).toEqual(freshness)
  } finally {
    one.close()
    other.close()
  }
})

test('pages of one process follow what another one writes, as answers too', () =>
  withTwo(async (one, other) => {
    const lives = Array.from({ length: 30 }, (_, seed) => someLife(500 + seed))
    const known = lives.map(() => 0)
    const roll = dice(7)
    for (let round = 0; round < 12; round += 1) {
      for (const [at, { changes }] of lives.entries()) {
        if (round > 0 && !roll.chance(0.2)) continue
        const from = known[at] ?? 0
        const records = changes.slice(from, from + 1)
        known[at] = from + records.length
        await one.apply({ partition: at % PARTITIONS, nextOffset: round + 1, records })
      }
      const now: OrderRecord[] = []
      for await (const order of one.all()) now.push(order)
      for (const query of QUERIES) {
        const ids = listNaively(now, query).map(({ id }) => id)
        const page = await other.page({ ...query, limit: 8 })
        expect(page.orders.map(({ order }) => order.id)).toEqual(ids.slice(0, 8))
        expect(page.total).toBe(ids.length)
        const { answers, ...rest } = await other.answerPage({ ...query, limit: 8 }, 2 ** 20)
        expect({ ...rest, orders: page.orders }).toEqual(page)
        expect(answers.map(({ position }) => position.id)).toEqual(ids.slice(0, 8))
        expect(
          answers.map((stored) => showAnswer({ ...stored, order: stored.answer }, terms).body),
        ).toEqual(page.orders.map((order) => JSON.stringify(toSummary(order, terms).summary)))
      }
    }
  }))

test('each order of a page is shown as it was found, whatever is written and read meanwhile', () =>
  withTwo(async (one, other) => {
    const lives = Array.from({ length: 40 }, (_, seed) => someLife(700 + seed, 8))
    const firsts = lives.flatMap(({ changes }) => changes.slice(0, 1))
    await one.apply({ partition: 0, nextOffset: 1, records: firsts })
    const shown = async (views: RedisViews, query: (typeof QUERIES)[number]) => {
      const { answers, ...rest } = await views.answerPage({ ...query, limit: 12 }, 2 ** 20)
      const orders = answers.map((stored) => ({
        position: stored.position,
        order: JSON.parse(
          showAnswer({ ...stored, order: stored.answer }, terms).body,
        ) as OrderSummary,
      }))
      return { orders, ...rest }
    }
    let isWriting = true
    let pages = 0
    const readAll = async () => {
      while (isWriting) {
        const { orders: dearest } = await shown(other, QUERIES[1])
        for (const { order, position } of dearest)
          expect(order.quotedPriceSats ?? null).toBe(position.value)
        const { orders: live } = await shown(other, QUERIES[2])
        for (const { order } of live) expect(order.state).toBe('LIVE')
        pages += 1
      }
    }
    const readers = Array.from({ length: 6 }, readAll)
    for (let change = 1; change < 8; change += 1) {
      for (const { changes } of lives) {
        const records = changes.slice(change, change + 1)
        await one.apply({ partition: 0, nextOffset: change + 1, records })
      }
    }
    isWriting = false
    await Promise.all(readers)
    expect(pages).toBeGreaterThan(10)
    const fresh = await openViews()
    for (const query of QUERIES)
      expect(await shown(other, query)).toEqual(await shown(fresh.views, query))
    fresh.close()
  }))

test('an order that changes after a page has begun is shown as the page finds it', () =>
  withTwo(async (one, other, ofOther) => {
    const lives = bookOf(60, 11).map((order, at) => {
      const state = at % 4 === 0 ? 'LIVE' : 'SPENT'
      const version = { ...order, state, quotedPriceSats: String(1_000 + at) } as const
      return lifeOf([version, { ...version, quotedPriceSats: '15' }]).changes
    })
    const write = (change: number, of: typeof lives) =>
      one.apply({
        partition: 0,
        nextOffset: change + 1,
        records: of.map((changes) => changes[change]!),
      })
    await write(0, lives)
    const shown = async (limit: number) => {
      const query = { includeWithdrawn: true, state: 'LIVE', sort: 'price_asc', limit } as const
      const { answers } = await other.answerPage(query, 2 ** 20)
      return answers.map(({ position, ...stored }) => {
        const { body } = showAnswer({ ...stored, order: stored.answer }, terms)
        return [position.value, (JSON.parse(body) as OrderSummary).quotedPriceSats]
      })
    }
    // From here on, the answers of some LIVE orders are kept.
    expect(await shown(5)).toHaveLength(5)
    // The tenth LIVE order, whose answer is not.
    const reads = afterFirstRead(ofOther, () => write(1, lives.slice(36, 37)))
    const prices = await shown(14)
    expect(reads()).toBeGreaterThanOrEqual(4)
    expect(prices[0]).toEqual(['15', '15'])
    for (const [sorted, priced] of prices) expect(priced).toBe(sorted)
  }))

describe('what can be done with an order is of the moment in which it is found', () => {
  const [order] = bookOf(1, 21).map((order) => ({ ...order, state: 'LIVE', token: 'oak' }) as const)
  const { changes } = lifeOf([order!, { ...order!, state: 'SPENT' }])
  const moment = { now: Date.parse('2026-06-01T00:00:00.000Z'), maxAgeSeconds: 300 }
  /** The states of the orders that are for review: none is SPENT. */
  const reviewed = async (views: RedisViews, filters: { token?: string } = {}) => {
    const actionability = { ...moment, is: 'REVIEW_ONLY' } as const
    const query = { includeWithdrawn: true, sort: 'newest', limit: 9, ...filters } as const
    const page = await views.page({ ...query, actionability })
    return page.orders.map(({ order }) => order.state)
  }

  test('where two are the first to read', () =>
    withTwo(async (one, other, ofOther) => {
      await one.apply({ partition: 0, nextOffset: 1, records: changes.slice(0, 1) })
      const reads = afterFirstRead(ofOther, async () => {
        expect(await first).toEqual(['LIVE'])
        await one.apply({ partition: 0, nextOffset: 2, records: changes.slice(1) })
      })
      const first = reviewed(other)
      expect(await reviewed(other, { token: 'oak' })).toEqual([])
      expect(reads()).toBeGreaterThanOrEqual(2)
    }))
})

test('readers that share one answer are all refused when Redis is gone', async () => {
  await server.admin.flushall()
  const { views, close } = await openViews()
  const id = someLife(3).order.id
  close()
  const answers = await Promise.allSettled([views.answer(id), views.answer(id)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a reader that is too far behind for the changes that are kept reads all rows again', () =>
  withTwo(async (one, other) => {
    const lives = Array.from({ length: 20 }, (_, seed) => someLife(900 + seed))
    const write = (from: number, to: number) =>
      one.apply({
        partition: 0,
        nextOffset: to,
        records: lives.slice(from, to).flatMap(({ changes }) => changes),
      })
    const all = { includeWithdrawn: true, hidden: 'either', sort: 'newest', limit: 50 } as const
    await write(0, 10)
    expect((await other.page(all)).total).toBe(10)
    await write(10, 20)
    const [changes = ''] = await server.admin.keys('*:changes')
    await server.admin.xtrim(changes, 'MAXLEN', 3)
    expect((await other.page(all)).total).toBe(20)
    await server.admin.xtrim(changes, 'MAXLEN', 0)
    expect(await other.page(all)).toEqual(await one.page(all))
  }))

test('lists are refused while the index is loading, and answered from then on', async () => {
  await server.admin.flushall()
  const { views, keyspace, close } = await openRedisViews(server.url, { clock: systemClock })
  const { order, changes } = someLife(31)
  await views.apply({ partition: 0, nextOffset: 1, records: changes })
  const { connection } = keyspace
  const run = connection.run.bind(connection)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let reads = 0
  connection.run = async (work) => {
    reads += 1
    // The first is that of the freshness.
    if (reads > 1) await held
    return run(work)
  }
  const all = { includeWithdrawn: true, hidden: 'either', sort: 'newest', limit: 5 } as const
  const list = views.page(all)
  await expect(list).rejects.toMatchObject({ name: 'StorageUnavailableError', reason: 'loading' })
  expect(views.listable).toBe(false)
  connection.run = run
  expect((await views.order(order.id))?.order).toEqual(order)
  release()
  await expect.poll(() => views.listable).toBe(true)
  expect((await views.page(all)).total).toBe(1)
  close()
})
