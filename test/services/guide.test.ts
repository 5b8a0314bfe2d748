import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  ANY_FAULT,
  CONTRAST,
  expectNoFinding,
  expectNoOverflow,
  expectRoomForFingers,
  transferredBytes,
} from '../support/console/page-checks.ts'
import { Visitor } from '../support/console/visitor.ts'
import { type Market, openMarket } from '../support/market/market.ts'

/** Each template, the longest pages, and those with the widest tables. */
const PAGES = [
  '/guide/',
  '/guide/tutorial.html',
  '/guide/history.html',
  '/guide/overview.html',
  '/guide/configuration.html',
  '/guide/errors.html',
  '/guide/changelog.html',
  '/guide/adr/',
  '/guide/adr/0143-networks-take-turns.html',
  '/docs/',
  '/docs/orders/',
  '/docs/orders/objects/',
  '/docs/statistics/',
  '/nope/',
]
const WIDTHS = [360, 768, 1_280]
const MAX_FIRST_VIEW_BYTES = 100_000

let market: Market
let visitor: Visitor
beforeAll(async () => {
  market = await openMarket()
  visitor = await Visitor.start()
})
afterEach(() => visitor.closePages())
afterAll(async () => {
  await visitor?.end()
  await market?.end()
})

const visit = (path: string, width = 1_280) =>
  visitor.visit(`${market.address}${path}`, {
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  })

describe('the guide and the reference in three widths, light and dark', () => {
  test.each(PAGES)(
    '%s: no finding of axe, nothing wider than the screen, within reach of a finger',
    async (path) => {
      const { page, complaints } = await visit(path, 360)
      expect(await transferredBytes(page)).toBeLessThan(MAX_FIRST_VIEW_BYTES)
      await expectRoomForFingers(page, 'article a')
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        // Between themes only colours differ.
        for (const [colorScheme, run] of [
          ['light', ANY_FAULT],
          ['dark', CONTRAST],
        ] as const) {
          await page.emulateMedia({ colorScheme })
          await expectNoOverflow(page)
          await expectNoFinding(page, run)
        }
      }
      // That there is no such page is a 404, which the browser logs.
      expect(complaints.filter((text) => !text.includes('status of 404'))).toEqual([])
    },
  )
})

describe('the search', () => {
  test('is reached, used and left by the keyboard, on a phone too', async () => {
    const { page, complaints } = await visit('/docs/', 360)
    const isLoaded = page.waitForResponse(/search-[\w-]+\.json$/)
    await page.keyboard.press('/')
    await isLoaded
    await page.keyboard.type('quote a purchase')
    const first = page.getByRole('list', { name: 'Found' }).getByRole('link').first()
    await first.waitFor()
    expect(await page.getByRole('status').textContent()).toMatch(/^\d+ found$/)
    await expectNoOverflow(page)
    await page.keyboard.press('ArrowDown')
    expect(await page.locator(':focus').textContent()).toBe(await first.textContent())
    await page.keyboard.press('Escape')
    await first.waitFor({ state: 'hidden' })
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('x')
    await page.getByText('Nothing found').waitFor()
    await page.keyboard.press('Backspace')
    await first.waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/purchase\/#quoteOrder$/)
    expect(complaints).toEqual([])
  })

  test('says so where its index cannot be loaded', async () => {
    const { page } = await visit('/guide/')
    await page.route(/search-/, (route) => route.abort())
    await page.getByRole('searchbox').fill('orders')
    await page.getByText('could not be loaded').waitFor()
  })
})

test('an address without a page is one that lists them', async () => {
  const { page } = await visit('/nope/', 360)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await expectNoOverflow(page)
  await page.getByRole('main').getByRole('link', { name: 'Operate', exact: true }).click()
  await page.getByRole('heading', { name: 'Operate' }).first().waitFor()
  await page.getByRole('link', { name: /^Next/ }).click()
  await page.waitForURL(/\/guide\/[\w-]+\.html$/)
})

test('the console and the guide lead to one another, in the theme that was chosen', async () => {
  const { page, complaints } = await visitor.visit(`${market.address}/`)
  await page.getByRole('button', { name: 'Theme: System' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  await page.getByRole('link', { name: 'Guide' }).click()
  await page.getByRole('heading', { name: 'The guide' }).waitFor()
  await page.getByRole('button', { name: 'Theme: Dark' }).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  await page.getByRole('link', { name: 'Console', exact: true }).click()
  await page.getByRole('heading', { name: 'Book' }).waitFor()
  expect(complaints).toEqual([])
})
