import { expect, test } from 'vitest'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import {
  expectNoFinding,
  expectNoOverflow,
  expectRoomForFingers,
  keepPicture,
} from '../../support/console/page-checks.ts'
import { listInscription } from '../../support/market/trader.ts'

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true }
const HEIGHT = 'document.documentElement.scrollHeight'
/** Of an order's page, once its reader has seen one: it was 3,000. */
const MAX_HEIGHT_PX = 2_000

export function phoneActs(site: ConsoleSite): void {
  test('on a phone the menu opens with every page in reach, and closes behind the choice', async () => {
    const { page, complaints } = await site.visit('/', PHONE)
    const menu = page.getByRole('button', { name: 'Menu' })
    const links = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link')
    expect(await links.count()).toBe(0)
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Devnet' }).waitFor()
    expect(await links.allTextContents()).toEqual([
      ...['Book', 'Sell', 'Statistics', 'Find /', 'Pairing', 'Circles', 'Guide', 'API'],
      ...['Operations', 'Devnet'],
    ])
    expect(await page.getByRole('button', { name: 'Menu', expanded: true }).count()).toBe(1)
    expect(await links.first().getAttribute('aria-current')).toBe('page')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Book')
    await expectNoOverflow(page)
    await expectRoomForFingers(page)
    await expectNoFinding(page)
    await keepPicture(page, 'menu-360')
    await page.keyboard.press('Escape')
    expect(await links.count()).toBe(0)
    expect(await page.evaluate("document.activeElement.matches('.menu')")).toBe(true)
    await menu.tap()
    await page.getByRole('link', { name: 'Operations' }).tap()
    await page.getByText('How to get a token').waitFor()
    expect(await links.count()).toBe(0)
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    expect(complaints).toEqual([])
  })

  test('on a phone an order begins with price, verdict and the next step, and the rest opens', async () => {
    const { order } = await listInscription(site.market, { body: 'phone.sats' })
    const { page, complaints } = await site.visit(`/console/orders/${order.id}`, PHONE)
    await page.getByText('True of every ask').waitFor()
    await page.reload()
    const step = page.getByRole('heading', { name: 'Buy it with your wallet' })
    await step.waitFor()
    await page.getByText('What is signed').waitFor()
    const tops: number[] = []
    for (const one of [
      page.getByRole('heading', { name: 'Price', exact: true }),
      page.getByText(/^Proved: the offered output is unspent/),
      step,
      page.getByRole('heading', { name: 'What is sold' }),
    ]) {
      tops.push((await one.boundingBox())?.y ?? 0)
    }
    expect(tops).toEqual([...tops].sort((a, b) => a - b))
    expect(await page.evaluate<number>(HEIGHT)).toBeLessThan(MAX_HEIGHT_PX)
    await page.getByRole('heading', { name: 'What is sold' }).tap()
    await page.locator('.content').getByText('phone.sats').waitFor()
    expect(complaints).toEqual([])
  })

  test('a row of the book has a small picture of what is sold, loaded once it is near', async () => {
    const { order } = await listInscription(site.market, { body: 'row.sats' })
    const { page, complaints } = await site.visit(`/?search=${order.id}`, PHONE)
    await page.locator(`[data-order="${order.id}"] .thumb`).getByText('row.sats').waitFor()
    expect(complaints).toEqual([])
  })
}
