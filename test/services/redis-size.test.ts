import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { ORDER_SORTS } from '../../src/domain/listing/sorts.ts'
import type { OrderQuery } from '../../src/ports/views/order-views.ts'
import { comparing, matches } from '../support/orders/naive-listing.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf } from '../support/orders/order-changes.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

const ORDERS = 20_000
const BATCH = 50
const LIMIT = 50
const SLOW_MICROSECONDS = 5_000

const LIVES = bookOf(ORDERS, 31).map((order) => lifeOf([order]))
const BOOK = LIVES.map(({ order }) => order)
/** Prices with a half, and a tenth, of the priced orders above them. */
const PRICES = BOOK.flatMap(({ quotedPriceSats }) => quotedPriceSats ?? []).sort(
  (a, b) => Number(a) - Number(b),
)
const priceAt = (part: number) => PRICES[Math.floor(part * PRICES.length)]!
const [MIDDLE, DEAR] = [priceAt(0.5), priceAt(0.9)]
let server: RedisServer
let views: RedisViews
let close: () => void

beforeAll(async () => {
  server = await RedisServer.start({
    appendonly: 'no',
    'latency-tracking-info-percentiles': '50 75',
  })
  ;({ views, close } = await openRedisViews(server.url, { clock }))
  // A start tries each command that the user needs.
  await server.admin.call('CONFIG', 'RESETSTAT')
  for (let at = 0; at < ORDERS; at += BATCH) {
    const records = LIVES.slice(at, at + BATCH).flatMap(({ changes }) => changes)
    await views.apply({ partition: 0, nextOffset: at + BATCH, records })
  }
  views.keepListable()
  while (!views.listable) await clock.sleep(10)
})
afterAll(async () => {
  close()
  await server.stop()
})

/** Filters that match many, some, few and no orders. */
const FILTERS: Partial<OrderQuery>[] = [
  {},
  { includeWithdrawn: false },
  { state: 'LIVE', signature: 'VALID' },
  { source: 'asset-offers', side: 'ASK', includeWithdrawn: false },
  { protocols: ['bitcoin-runes'], token: 'ORDI' },
  { protocols: [] },
  { token: 'Zebra', state: 'WITHDRAWN' },
  { token: 'sats', state: 'MEMPOOL_CONFLICTED', side: 'BID', signature: 'INVALID' },
  { search: 'bcrt1q' },
  { search: 'bcrt1qa' },
  { search: 'punk' },
  { search: 'a', state: 'LIVE' },
  { search: '12', safety: 'PUBLIC_RACEABLE' },
  { priceMin: MIDDLE, priceMax: DEAR },
  { priceMax: MIDDLE, state: 'LIVE' },
  { sellerScriptHex: BOOK[5]?.sellerScriptHex ?? '', includeWithdrawn: true },
]

test('pages of a large book are those of the oracle, by every sort, from its start and its middle', async () => {
  for (const filters of FILTERS) {
    const matching = BOOK.filter((order) => matches(order, { includeWithdrawn: true, ...filters }))
    for (const sort of ORDER_SORTS) {
      const expected = matching.sort(comparing(sort)).map(({ id }) => id)
      const first: OrderQuery = { includeWithdrawn: true, ...filters, sort, limit: LIMIT }
      const about = JSON.stringify(first)
      let query = first
      for (let at = 0; at < 3 * LIMIT; at += LIMIT) {
        const { orders, total, next } = await views.page(query)
        expect(
          orders.map(({ order }) => order.id),
          about,
        ).toEqual(expected.slice(at, at + LIMIT))
        expect(total, about).toBe(expected.length)
        expect(next !== null, about).toBe(expected.length > at + LIMIT)
        if (!next) break
        query = { ...first, after: next }
      }
    }
  }
  let ids = 0
  for await (const _ of views.all()) ids += 1
  expect(ids).toBe(ORDERS)
})

test('commands of loading and of every page stay below 5 ms; none is of the kinds that grow', async () => {
  // Wall time includes turns of other programs on a busy machine: of each kind, three in four.
  const info = await server.admin.info('latencystats')
  const kinds = [...info.matchAll(/^latency_percentiles_usec_(\S+):p50=(\S+?),p75=(\S+?)\r?$/gm)]
  const took = new Map(kinds.map(([, kind = '', , most]) => [kind, Number(most)]))
  for (const kind of ['evalsha', 'exec', 'hmget', 'hgetall', 'xrange']) {
    expect(took.has(kind), kind).toBe(true)
  }
  for (const kind of ['keys', 'sintercard', 'zrangestore', 'zinterstore', 'smembers']) {
    expect(took.has(kind), kind).toBe(false)
  }
  const slow = [...took].filter(([, microseconds]) => microseconds >= SLOW_MICROSECONDS)
  expect(slow).toEqual([])
})
