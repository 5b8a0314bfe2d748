import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { Visitor } from '../support/console/visitor.ts'
import { type FlakyProxy, openFlakyProxy } from '../support/http/flaky-proxy.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { listInscription } from '../support/market/trader.ts'
import { freePort } from '../support/services/programs.ts'

/** Of the client, between two attempts. */
const LONGEST_PAUSE_MS = 60_000
const FOUND_WITHIN_MS = 120_000
const STREAM = '/api/market/activity/stream'
/** Of processor time: other load of the machine does not count. */
const MAX_WORK_MS = 1_000

let market: Market
let proxy: FlakyProxy
let visitor: Visitor
beforeAll(async () => {
  market = await openMarket()
  proxy = await openFlakyProxy(market.address)
  visitor = await Visitor.start()
})
afterEach(() => visitor.closePages())
afterAll(async () => {
  await visitor?.end()
  await proxy?.close()
  await market?.end()
})

const rowOf = (id: string) => `[data-order="${id}"]`
const streams = () => proxy.requests.filter(({ path }) => path.startsWith(STREAM))

/** The book over the proxy, live, with a clock that the test can advance. */
async function openBook() {
  const { page, complaints } = await visitor.blank()
  await page.clock.install()
  await page.goto(`${proxy.url}/`)
  const status = page.locator('.connection')
  await status.filter({ hasText: 'Live' }).waitFor()
  const footer = page.getByRole('contentinfo')
  // The service has said what it is.
  await footer.getByText(/active|degraded/).waitFor()
  return {
    page,
    status,
    /** The browser itself logs a failed request. */
    complaints: () => complaints.filter((text) => !text.startsWith('Failed to load resource')),
    /** Nothing answers any more: the page says so at once, and calls nothing live or ready. */
    lose: async () => {
      proxy.lead(`http://127.0.0.1:${await freePort()}`)
      proxy.cut()
      await status.filter({ hasText: 'Connection lost' }).waitFor()
      await footer.getByText(/last heard [0-9]+ (?:s|min) ago/).waitFor()
      await page.getByText('live when last heard').first().waitFor()
      expect(await page.locator('[data-order]').getByText('ready to buy').count()).toBe(0)
    },
    /** Every wait of the page before its next attempt is over. */
    find: async () => {
      await page.clock.fastForward(LONGEST_PAUSE_MS)
      await status.filter({ hasText: 'Live' }).waitFor({ timeout: FOUND_WITHIN_MS })
    },
  }
}

/** The stream delivered it, or the page has read the list again since: either way it is there. */
async function expectShown(
  page: Awaited<ReturnType<typeof openBook>>['page'],
  order: OrderSummary,
) {
  await page.locator(rowOf(order.id)).getByText('ready to buy').waitFor()
}

test('a page that loses its stream says so, and continues after its last event', async () => {
  const { order: before } = await listInscription(market)
  const { page, complaints, lose, find } = await openBook()
  await expectShown(page, before)
  await lose()
  const { order: meanwhile } = await listInscription(market)
  const already = streams().length
  proxy.lead(market.address)
  await find()
  await expectShown(page, meanwhile)
  const places = streams().map(({ headers }) => headers['last-event-id'])
  expect(places.slice(already)).not.toContain(undefined)
  expect(complaints()).toEqual([])
})

test('an open page reconnects to a restarted gateway, though nothing happens', async () => {
  const { order: before } = await listInscription(market)
  const { page, complaints, lose, find } = await openBook()
  await expectShown(page, before)
  await market.stop()
  await lose()
  market = await openMarket({}, { dataDir: market.dataDir })
  proxy.lead(market.address)
  await find()
  const { order: after } = await listInscription(market)
  await expectShown(page, after)
  await page.locator(rowOf(before.id)).waitFor()
  expect(complaints()).toEqual([])
})

test('a page of another version, whose files are gone, is reloaded by a click', async () => {
  const { page } = await visitor.visit(`${market.address}/`)
  await page.route('**/assets/market-page*.js', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Statistics', exact: true }).click()
  await page.getByRole('alert').getByText('could not be loaded').waitFor()
  await page.unroute('**/assets/market-page*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Statistics', exact: true }).waitFor()
})

test(`the book can be used after less than ${MAX_WORK_MS} ms of work`, async () => {
  await listInscription(market)
  const { page } = await visitor.blank()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(`${market.address}/`)
  await page.locator('[data-order]').first().waitFor()
  const elapsed = await page.evaluate<number>('performance.now()')
  const { metrics } = await session.send('Performance.getMetrics')
  const work = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  console.log(`book: ${Math.round(work * 1_000)} ms of work, ${Math.round(elapsed)} ms in all`)
  expect(work * 1_000).toBeLessThan(MAX_WORK_MS)
})
