import axe from 'axe-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Visitor } from '../support/console/visitor.ts'
import { type Market, openMarket } from '../support/market/market.ts'

const PAGES = ['', 'tutorial.html', 'history.html', 'overview.html', 'adr/']
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

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

const visit = (path: string, width: number) =>
  visitor.visit(`${market.address}/guide/${path}`, {
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  })

test.each([360, 768, 1_280])(
  'the guide at %d px, light and dark: no serious finding of axe, and nothing wider than the screen',
  async (width) => {
    for (const path of PAGES) {
      const { page, complaints } = await visit(path, width)
      await page.evaluate(axe.source)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await page.evaluate(OVERFLOW), path).toBe(0)
        const findings = (await page.evaluate('axe.run()')) as axe.AxeResults
        const serious = findings.violations.filter(
          ({ impact }) => impact === 'serious' || impact === 'critical',
        )
        expect(serious.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html}`)).toEqual([])
      }
      expect(complaints).toEqual([])
    }
  },
)

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
