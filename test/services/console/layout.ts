import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import { CONTRAST, expectNoFinding, keepPicture } from '../../support/console/page-checks.ts'
import { listInscription } from '../../support/market/trader.ts'

/** What a page shows once it has read its data. */
const SHOWS = {
  book: 'ready to buy',
  watched: 'Nothing is watched.',
  mine: 'Connect a devnet wallet',
  order: /^Proved: the offered output is unspent/,
  devnet: 'What happened last',
  sell: 'Sell with your wallet',
  pairing: /^9 of 9 fields agree/,
  operations: 'Verified reads can be answered',
  circles: /^After block|No circle was confirmed/,
  market: /The same as a table|No live order/,
  outputs: 'can be taken now',
  safe: 'Which outputs are safe to spend',
}
/** What Chromium calls good. */
const MAX_SHIFTED = 0.1

export function layoutActs(site: ConsoleSite): void {
  describe('no finding of axe in either theme, and nothing wider than the screen', () => {
    test.each<[width: number, colorScheme: 'light' | 'dark']>([
      [360, 'dark'],
      [768, 'light'],
      [1_280, 'light'],
    ])('%d px, read in %s', async (width, colorScheme) => {
      const { order, offered } = await listInscription(site.market)
      for (const [name, path] of [
        ['book', '/'],
        ['order', `/console/orders/${order.id}`],
        ['devnet', '/console/devnet'],
        ['pairing', '/console/pairing'],
        ['circles', '/console/circles'],
        ['operations', '/console/operations'],
        ['sell', '/console/sell'],
        ['market', '/console/market?protocol=inscriptions&token=CANDLE'],
        ['watched', '/?view=watched'],
        ['mine', '/?view=mine'],
        ['outputs', `/console/sell/outputs?of=${outpointText(offered.outpoint)}`],
        ['safe', '/console/sell/safe'],
      ] as const) {
        const { page, complaints } = await site.visit(path, {
          viewport: { width, height: 900 },
          colorScheme,
          reducedMotion: 'reduce',
        })
        await page.getByText(SHOWS[name]).filter({ visible: true }).first().waitFor()
        await page.getByText(/block [0-9]+ ·/).waitFor()
        const overflow =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        expect(await page.evaluate(overflow), name).toBe(0)
        expect(await page.evaluate(CURRENT_IN_MENU), name).toBe(true)
        expect(await shifted(page), name).toBeLessThan(MAX_SHIFTED)
        await expectNoFinding(page)
        expect(complaints).toEqual([])
        await keepPicture(page, `${name}-${width}-${colorScheme}`)
        await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' })
        await expectNoFinding(page, CONTRAST)
        // A screen of 768 px has nothing that neither a narrower nor a wider one has.
        if (width !== 768) await expectTabStops(page, name)
      }
    })
  })
}

/** The link of the current page is in the visible part of the menu, between its shades; an order has no link. */
const CURRENT_IN_MENU = `(() => {
  const menu = document.querySelector('.top nav')
  const link = menu.querySelector('[aria-current="page"]')
  if (!link) return location.pathname.startsWith('/console/orders/')
  const [within, of] = [menu.getBoundingClientRect(), link.getBoundingClientRect()]
  const [left, right] = menu.scrollWidth > menu.clientWidth ? [14, 40] : [0, 0]
  // A scroll ends at a whole pixel.
  return of.left > within.left + left - 1 && of.right < within.right - right + 1
})()`

/** How far what was seen has moved since, without a click: Chromium's cumulative layout shift. */
const shifted = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries()
      .filter(({ hadRecentInput }) => !hadRecentInput)
      .reduce((sum, { value }) => sum + value, 0)
    )).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => done(0), 100)
  })`)

/** Tab comes to everything that can be used, one after the other, and each shows that it is there. */
async function expectTabStops(page: Page, name: string): Promise<void> {
  const stops = await page.evaluate<number>(`(() => {
    document.activeElement.blur()
    const all = 'a[href], button:enabled, input, select, textarea, summary, [tabindex="0"]'
    return [...document.querySelectorAll(all)].filter((one) => one.checkVisibility()).length
  })()`)
  const seen = new Set<string>()
  for (let at = 0; at < stops; at += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<string>(`(() => {
      const one = document.activeElement
      one.dataset.stop ??= String(${at})
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      return [one.tagName, one.dataset.stop, outlineStyle, outlineWidth].join(' ')
    })()`)
    expect(stop, name).toMatch(
      /^(A|BUTTON|INPUT|SELECT|TEXTAREA|SUMMARY|CANVAS|DIV|SECTION) \d+ solid 3px$/,
    )
    seen.add(stop)
  }
  expect(seen.size, name).toBe(stops)
}
