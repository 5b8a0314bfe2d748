import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createMarketClient,
  type MarketClient,
  type StatisticName,
} from '../../clients/typescript/src/index.ts'
import { List } from '../../clients/typescript/src/list.ts'
import { openEmbeddedHistory } from '../../src/adapters/embedded/stores/history.ts'
import { openPairingIndex } from '../../src/pairing/pairing-index.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import { historyWith, openTestApp, type TestApp } from '../support/http/http.ts'
import {
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  p2wsh,
  transactionOf,
} from '../support/pairing/pairing-blocks.ts'
import { openPipelines } from '../support/pairing/pairing-pipeline.ts'
import { SETTINGS } from '../support/pairing/pairing-story.ts'
import { marketLives } from '../support/statistics/market-lives.ts'
import { systemClock } from '../support/system-clock.ts'

const ORDERS = 7

let it: TestApp
let client: MarketClient
let end: () => Promise<void>
const ids: string[] = []
beforeAll(async () => {
  const { path, drop } = temporaryDirectory()
  const history = openEmbeddedHistory({ directory: path })
  const changes = marketLives(20, 31).flat()
  await history.record(changes.map((change, offset) => ({ partition: 0, offset, change })))
  const { activity } = history
  it = await openTestApp({
    http: { rateLimits: { statistics: 100_000, read: 100_000 } },
    ports: {
      clock: { ...systemClock, now: () => Date.parse('2026-01-31T12:00:00.000Z') },
      history: historyWith((...asked) => activity.apply(history, asked)),
      statistics: history.statistics(),
    },
  })
  for (let n = 0; n < ORDERS; n += 1) ids.push((await it.seed()).id)
  client = createMarketClient({ baseUrl: `http://127.0.0.1:${await it.listen()}` })
  end = async () => {
    await it.close()
    await history.close()
    drop()
  }
})
afterAll(() => end())

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of items) found.push(one)
  return found
}

describe('a list is read page by page, each item once', () => {
  test('orders', async () => {
    const found = await all(client.orders({ pageSize: 3 }))
    expect(found.map(({ id }) => id).sort()).toEqual(ids.toSorted())
    const pages = await all(client.orders({ pageSize: 3 }).pages())
    expect(pages.map(({ orders }) => orders.length)).toEqual([3, 3, 1])
    expect(found.map(({ id }) => id)).toEqual(
      pages.flatMap(({ orders }) => orders.map((one) => one.id)),
    )
  })

  test('activity', async () => {
    const found = await all(client.activity({ pageSize: 10 }))
    expect(found.length).toBeGreaterThan(20)
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
  })

  test.each<StatisticName>(['sales', 'verdicts'])('statistics: %s', async (name) => {
    const span = { from: '2026-01-01', to: '2026-02-01' }
    const found = await all(client.statistics(name, { ...span, pageSize: 2 }))
    const whole = await all(client.statistics(name, { ...span, pageSize: 1_000 }))
    expect(found.length).toBeGreaterThan(2)
    expect(found).toEqual(whole)
  })

  test('a statistic as a file: its bytes, or a refusal', async () => {
    const span = { from: '2026-01-01', to: '2026-02-01' }
    const csv = new TextDecoder().decode(await client.statisticFile('sales', 'csv', span))
    const sales = await all(client.statistics('sales', span))
    expect(csv.trimEnd().split('\r\n')).toHaveLength(sales.length + 1)
    const parquet = Buffer.from(await client.statisticFile('sales', 'parquet', span))
    expect([parquet.subarray(0, 4), parquet.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1'])
    const refused = client.statisticFile('verdicts', 'csv', { ...span, token: 'x' })
    await expect(refused).rejects.toThrow('verdicts has no token')
  })

  test('from the given cursor, and repeatedly', async () => {
    const pages = client.orders({ pageSize: 3 }).pages()
    const { nextCursor } = (await pages.next()).value ?? {}
    const rest = client.orders({ pageSize: 3, cursor: nextCursor })
    expect(await all(rest)).toHaveLength(ORDERS - 3)
    expect(await all(rest)).toHaveLength(ORDERS - 3)
  })

  test.each([1, 2, 3, 4, 6, 7, 8, 500])('no more than a limit of %d in all', async (limit) => {
    const whole = await all(client.orders())
    const expected = whole.slice(0, limit)
    expect(await all(client.orders({ limit }))).toEqual(expected)
    expect(await all(client.orders({ limit, pageSize: 3 }))).toEqual(expected)
    const listed = client.list('/api/market/orders', { query: { limit, pageSize: 2 } })
    expect(await all(listed)).toEqual(expected)
  })

  test('the cursor of the last page goes on after the limit', async () => {
    const pages = await all(client.orders({ limit: 5, pageSize: 3 }).pages())
    expect(pages.map(({ orders }) => orders.length)).toEqual([3, 2])
    const rest = await all(client.orders({ cursor: pages.at(-1)?.nextCursor ?? '' }))
    expect(rest).toHaveLength(ORDERS - 5)
  })

  test.each([0, -1, 1.5, Number.NaN])('a limit of %d is a mistake', (limit) => {
    expect(() => client.orders({ limit })).toThrow(RangeError)
    expect(() => client.orders({ pageSize: limit })).toThrow(RangeError)
  })

  test('only what is used is requested', async () => {
    const before = it.logLines.length
    for await (const _order of client.orders({ pageSize: 3 })) break
    expect(it.logLines.length - before).toBeLessThanOrEqual(2)
  })
})

test('a list whose pages name the next one in their Link is read to its end', async () => {
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  const chain = new LittleChain()
  for (let seed = 1; seed <= 5; seed += 1) {
    const outputs = [p2wsh(1), create(0, hashBytes(seed), `name-${seed}`)]
    await index.connect([chain.mine(transactionOf([elsewhere(seed)], outputs))])
  }
  const { app, close } = await openPipelines({ parts: { views: index } })
  const pairing = createMarketClient({ baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) })
  const list = pairing.list('/pairing/objects', { query: { pageSize: 2 } })
  expect(await all(list)).toEqual(index.read((view) => view.objects(5)))
  const pages = await all(list.pages())
  expect(pages.map(({ items, hasMore }) => [items.length, hasMore])).toEqual([
    [2, true],
    [2, true],
    [1, false],
  ])
  const cursor = pages[0]?.nextCursor
  expect(await all(pairing.list('/pairing/objects', { query: { cursor, limit: 2 } }))).toEqual(
    pages[1]?.items,
  )
  await close()
})

test('a failure in the middle ends the list with its error', async () => {
  const list = client.orders({ pageSize: 3, cursor: 'none' })
  await expect(all(list)).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
})

test.each([
  ['no cursor to continue from', { rows: [], nextCursor: '', hasMore: true }],
  ['no array', { nextCursor: '', hasMore: false }],
  ['two arrays', { rows: [], others: [], nextCursor: '', hasMore: false }],
])('a page with %s is not a page', async (_what, page) => {
  await expect(all(new List(async () => page))).rejects.toMatchObject({
    name: 'UnexpectedAnswerError',
  })
})

test('a list whose cursor does not move is not read forever', async () => {
  const list = new List(async () => ({ rows: [1], nextCursor: 'c', hasMore: true }))
  await expect(all(list)).rejects.toThrow('no place to go on from')
})

interface Schema {
  $ref?: string
  properties?: Record<string, { type?: string }>
}

interface Described {
  parameters?: { name: string }[]
  responses: { '200': { content: { 'application/json': { schema: Schema } } } }
}

interface Description {
  paths: Record<string, { get?: Described }>
  components: { schemas: Record<string, Schema> }
}

/**
 * New lists are read by the same iterator: it finds the items of a page because they are its only
 * array.
 */
test('every page of the description has one array, except what the client lists not', () => {
  const { paths, components }: Description = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
  const {
    '/api/market/outpoints/{outpoint}': exposure,
    '/api/market/admin/topics/{topic}/records': records,
    '/api/market/activity/stream': stream,
    ...lists
  } = paths
  expect([exposure, records, stream]).not.toContain(undefined)
  const pages = Object.entries<{ get?: Described }>(lists).flatMap(([path, item]) => {
    const read = item.get
    if (
      !read?.parameters?.some(({ name }) => name === 'cursor') ||
      path.startsWith('/pairing/verified/')
    )
      return []
    const schema = read.responses['200'].content['application/json'].schema
    const named = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '')?.[1]
    const { properties = {} } = components.schemas[named ?? ''] ?? schema
    return [{ path, all: Object.values(properties) }]
  })
  expect(pages.length).toBeGreaterThan(20)
  for (const { path, all } of pages)
    expect(
      all.filter(({ type }) => type === 'array'),
      path,
    ).toHaveLength(1)
})
