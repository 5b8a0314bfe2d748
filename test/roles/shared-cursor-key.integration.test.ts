import { afterAll, beforeAll, expect, test } from 'vitest'
import { importOrder } from '../../src/gateway/intake/import-order.ts'
import { seedBook } from '../../src/roles/devnet/devnet-seed.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'

// Two gateways behind one address: a client walks a list whichever of them gets its next request.

const SHARED = 'a-key-that-both-of-the-gateways-were-given'
const NEXT = 'the-key-that-takes-its-place-at-a-rotation'

let markets: Record<'one' | 'two' | 'rotated', Market>
beforeAll(async () => {
  const [one, two, rotated] = await Promise.all(
    [SHARED, SHARED, `${NEXT},${SHARED}`].map(openGateway),
  )
  markets = { one: one!, two: two!, rotated: rotated! }
}, 60_000)
afterAll(() => Promise.all(Object.values(markets).map((market) => market.end())))

async function openGateway(CURSOR_KEY: string): Promise<Market> {
  const market = await openMarket({ ...ORDERS_ONLY, CURSOR_KEY })
  await seedBook(devnetOf(market), (request) =>
    importOrder(market.gateway, request, 'devnet', AbortSignal.timeout(15_000)),
  )
  return market
}

const ORDERS = 'orders?limit=3&sort=price_asc'
const cursorOf = async (market: Market): Promise<string> => {
  const { status, body } = await market.get(ORDERS)
  expect(status).toBe(200)
  const { nextCursor, hasMore } = body as OrderPage
  expect(hasMore).toBe(true)
  return encodeURIComponent(nextCursor)
}

test.each(['two', 'rotated'] as const)(
  'a cursor of one gateway continues at another that has its key: %s',
  async (other) => {
    const first = (await markets.one.get(ORDERS)).body as OrderPage
    const next = await markets[other].get(`${ORDERS}&cursor=${await cursorOf(markets.one)}`)
    expect(next.status).toBe(200)
    const { orders, total } = next.body as OrderPage
    expect(orders).toHaveLength(Math.min(3, total - 3))
    const price = ({ quotedPriceSats }: OrderPage['orders'][number]) => Number(quotedPriceSats)
    expect(price(orders[0]!)).toBeGreaterThanOrEqual(price(first.orders.at(-1)!))
  },
)

test('a cursor under the new key is not accepted where only the old one is known', async () => {
  const cursor = await cursorOf(markets.rotated)
  const { status, body } = await markets.one.get(`${ORDERS}&cursor=${cursor}`)
  expect([status, body]).toMatchObject([400, { code: 'INVALID_CURSOR' }])
})
