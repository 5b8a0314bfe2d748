import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import {
  CONTRAST,
  expectNoFinding,
  expectNoOverflow,
  expectRoomForFingers,
  keepPicture,
  transferredBytes,
} from '../../support/console/page-checks.ts'
import { type ConsolePage, PAGES } from '../../support/console/pages.ts'
import { makeThings, type Things } from '../../support/console/things.ts'

/** What Chromium calls good. */
const MAX_SHIFTED = 0.1
const MAX_FIRST_VIEW_BYTES = 100_000
const LOGGED_BY_ITSELF = /status of 4|^Blocked script execution|^Framing /
/** Read in this theme; in the other one only colours are looked at. */
const WIDTHS = [
  [360, 'dark'],
  [768, 'light'],
  [1_280, 'light'],
] as const

export function layoutActs(site: ConsoleSite): void {
  describe('in three widths and both themes', () => {
    let made: Promise<Things> | undefined
    // By the first test: what it waits for is polled, which no hook may do.
    const thingsOf = () => (made ??= makeThings(site))

    test.each(PAGES)(
      '$name: no finding of axe, nothing wider than the screen, within reach',
      async (looked) => {
        const { page, complaints } = await site.visit(looked.path(await thingsOf()), {
          viewport: { width: WIDTHS[0][0], height: 900 },
          reducedMotion: 'reduce',
          colorScheme: WIDTHS[0][1],
        })
        for (const [width, colorScheme] of WIDTHS) {
          if (width !== WIDTHS[0][0]) {
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize({ width, height: 900 })
            await page.reload()
          }
          await hasRead(page, looked)
          if (width === WIDTHS[0][0])
            expect(await transferredBytes(page)).toBeLessThan(MAX_FIRST_VIEW_BYTES)
          expect(await shifted(page)).toBeLessThan(MAX_SHIFTED)
          await looked.use?.(page)
          await expectNoOverflow(page)
          expect(await page.evaluate(CURRENT_IN_MENU)).toBe(true)
          await expectNoFinding(page)
          await keepPicture(page, `${looked.name}-${width}-${colorScheme}`)
          if (width === WIDTHS[0][0]) await expectRoomForFingers(page)
          await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' })
          await expectNoFinding(page, CONTRAST)
          // A screen of 768 px has nothing that neither a narrower nor a wider one has.
          if (width !== 768) await expectTabStops(page)
        }
        // The browser itself logs what the service refuses, and what a stranger's picture may not do.
        expect(complaints.filter((text) => !LOGGED_BY_ITSELF.test(text))).toEqual([])
      },
    )
  })
}

async function hasRead(page: Page, { shows }: ConsolePage): Promise<void> {
  await page.getByText(shows).filter({ visible: true }).first().waitFor()
  await page.getByText(/block [0-9]+ ·/).waitFor()
}

/**
 * All of the menu is on the screen, or behind its button on a phone, and the link of the current page is marked;
 * an order has no link, nor has what is no page.
 */
const CURRENT_IN_MENU = `(() => {
  const menu = document.querySelector('.top nav')
  const isShown = menu.checkVisibility()
  if (isShown === document.querySelector('.menu').checkVisibility()) return false
  if (menu.scrollWidth > menu.clientWidth) return false
  const isMarked = menu.querySelector('[aria-current="page"]') !== null
  return isMarked !== /^.console.(?:orders|nothing)/.test(location.pathname)
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
async function expectTabStops(page: Page): Promise<void> {
  const stops = await page.evaluate<number>(`(() => {
    document.activeElement.blur()
    const all = 'a[href], button:enabled, input, select, textarea, summary, [tabindex="0"]'
    return [...document.querySelectorAll(all)].filter((one) => one.checkVisibility()).length
  })()`)
  const seen = new Set<string>()
  // It begins where the page has put the focus: the end of the page is on the way.
  for (let at = 0; at <= stops && seen.size < stops; at += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<string>(`(() => {
      const one = document.activeElement
      one.dataset.stop ??= String(${at})
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      return [one.tagName, one.dataset.stop, outlineStyle, outlineWidth].join(' ')
    })()`)
    if (stop.startsWith('BODY')) continue
    expect(stop).toMatch(
      /^(A|BUTTON|INPUT|SELECT|TEXTAREA|SUMMARY|CANVAS|DIV|SECTION) \d+ solid 3px$/,
    )
    seen.add(stop)
  }
  expect(seen.size).toBe(stops)
}
