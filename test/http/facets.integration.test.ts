import { afterEach, beforeEach, expect, test } from 'vitest'
import { OrderFacets, OrderPage } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { viewsOf } from '../support/orders/view-orders.ts'

const MARKETS = ['inscriptions', 'ordinals', 'brc20', 'brc-20', 'runes', 'a market of my own']
const VERIFIED = '2026-01-01T00:00:00.000Z'
const MAX_AGE_S = 300

let it: TestApp
let clock: ManualClock
beforeEach(async () => {
  clock = new ManualClock(Date.parse(VERIFIED) + MAX_AGE_S * 1_000)
  it = await openTestApp({
    ports: { clock },
    settings: { maxVerificationAgeSeconds: MAX_AGE_S },
    http: { rateLimits: { read: 100_000 } },
  })
})
afterEach(() => it.close())

const book = (size: number): OrderRecord[] =>
  bookOf(size, 16).map((order, at) => {
    const { protocolId: _none, ...rest } = order
    const market = MARKETS[at % 8]
    return { ...rest, ...(market && { protocolId: market }), verifiedAt: VERIFIED }
  })

async function facetsOf(query: Record<string, string>): Promise<OrderFacets> {
  const response = await it.get(`/api/market/orders/facets?${new URLSearchParams(query)}`)
  expect(response.statusCode, response.body).toBe(200)
  return OrderFacets.parse(response.json())
}
const totalOf = async (query: Record<string, string>) => {
  const response = await it.get(
    `/api/market/orders?${new URLSearchParams({ ...query, limit: '1' })}`,
  )
  return OrderPage.parse(response.json()).total
}

/** The parameters that a facet ignores. */
const OWN: Record<string, readonly string[]> = {
  state: ['state', 'states'],
  protocol: ['protocol', 'protocols'],
}

test.each<Record<string, string>>([
  {},
  { includeWithdrawn: 'true' },
  { state: 'REJECTED', side: 'ASK' },
  { states: 'LIVE,WITHDRAWN', protocols: 'runes,ordinals', priceMax: '1000000' },
  { group: 'tokens', protocol: 'runes', source: 'asset-offers' },
  { actionability: 'HANDOFF_READY', signature: 'VALID' },
  { safety: 'UNSUPPORTED', orderClass: 'ASK_ANYONECANPAY', search: '0' },
])('each count is of the orders of the list with that value: %j', async (query) => {
  await viewsOf(it.gateway.views).put(...book(100))
  const { total, facets } = await facetsOf(query)
  expect(total).toBe(await totalOf(query))
  for (const [facet, counts] of Object.entries(facets)) {
    const others = Object.entries(query).filter(([name]) => !(OWN[facet] ?? [facet]).includes(name))
    for (const { value, count } of counts) {
      const chosen = { ...Object.fromEntries(others), [facet]: value }
      const expected = isLeftOut(facet, value, query) ? 0 : await totalOf(chosen)
      expect(count, `${facet} ${value}`).toBe(expected)
    }
  }
})

/** Orders of these states are not in the list, so that there is nothing to count. */
const isLeftOut = (facet: string, value: string, query: Record<string, string>): boolean =>
  facet === 'state' &&
  ['REJECTED', 'WITHDRAWN'].includes(value) &&
  query['includeWithdrawn'] !== 'true' &&
  !`${query['state']},${query['states']}`.split(',').includes(value)

test('the counts of a facet add up to the list: of states, sides, classes and what can be done', async () => {
  // Each of one source, and with a side.
  const orders = book(100).map((order) => ({
    ...order,
    side: order.side ?? ('ASK' as const),
    sources: order.sources.slice(0, 1),
  }))
  await viewsOf(it.gateway.views).put(...orders)
  for (const query of [{}, { includeWithdrawn: 'true' }, { side: 'BID' }, { priceMin: '20' }]) {
    const { total, facets } = await facetsOf(query)
    expect(total).toBe(await totalOf(query))
    const summed = [
      'state',
      'source',
      'orderClass',
      'safety',
      'signature',
      'actionability',
    ] as const
    for (const facet of summed)
      expect(sum(facets[facet]), `${facet} of ${JSON.stringify(query)}`).toBe(total)
    const { side: _side, ...others } = { side: null, ...query }
    expect(sum(facets.side)).toBe(await totalOf(others))
  }
})

const sum = (counts: readonly { count: number }[]): number =>
  counts.reduce((all, { count }) => all + count, 0)

test('an order that becomes stale moves from one list to the other, with its counts', async () => {
  const [order] = book(1)
  const { protocolId: _market, ...rest } = order!
  const inspection = { ...rest.kept.inspection, safety: 'PUBLIC_RACEABLE' as const }
  await viewsOf(it.gateway.views).put({
    ...rest,
    state: 'LIVE',
    kept: { ...rest.kept, inspection },
  })
  // A different query each time: an answer is cached for 5 s.
  const seen = async (query: Record<string, string>) => {
    const { facets } = await facetsOf(query)
    const lists = await Promise.all(
      facets.actionability.map(async ({ value }) => {
        const page = await it.get(`/api/market/orders?actionability=${value}`)
        const { orders, total } = OrderPage.parse(page.json())
        expect(orders.map(({ actionability }) => actionability)).toEqual(orders.map(() => value))
        return [value, total]
      }),
    )
    return [lists, facets.actionability.map(({ value, count }) => [value, count])]
  }
  const ready = [
    ['REVIEW_ONLY', 0],
    ['HANDOFF_READY', 1],
    ['BLOCKED', 0],
  ]
  expect(await seen({})).toEqual([ready, ready])
  clock.advance(1)
  const stale = [
    ['REVIEW_ONLY', 1],
    ['HANDOFF_READY', 0],
    ['BLOCKED', 0],
  ]
  expect(await seen({ states: 'LIVE' })).toEqual([stale, stale])
})

test('the same query is counted once for all callers, one query at a time; a failure is not cached', async () => {
  let asked = 0
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const counts = it.gateway.views.counts.bind(it.gateway.views)
  it.gateway.views.counts = async (query) => {
    asked += 1
    if (asked === 1) throw new Error('once')
    await gate
    return counts(query)
  }
  expect((await it.get('/api/market/orders/facets')).statusCode).toBe(500)
  const paths = ['', '?states=SPENT,LIVE', '?states=LIVE,SPENT', '?side=ASK', '?side=BID', '']
  const all = Promise.all(paths.map((path) => it.get(`/api/market/orders/facets${path}`)))
  // Small pages overtake them.
  expect((await it.get('/api/market/orders')).statusCode).toBe(200)
  await expect.poll(() => asked).toBe(2)
  letGo()
  expect((await all).map(({ statusCode }) => statusCode)).toEqual(paths.map(() => 200))
  expect(asked).toBe(5)
})

test('an answer has an ETag, and its 304', async () => {
  const first = await it.get('/api/market/orders/facets')
  const etag = String(first.headers.etag)
  const again = await it.get('/api/market/orders/facets', { 'if-none-match': etag })
  expect(again.statusCode).toBe(304)
})
