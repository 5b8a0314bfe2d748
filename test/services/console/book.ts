import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { CONSOLE_PAGES } from '../../support/built.ts'
import { type ConsoleSite, rowOf } from '../../support/console/console-site.ts'
import { listInscription } from '../../support/market/trader.ts'

const MAX_SCRIPT_BYTES = 100_000

export function bookActs(site: ConsoleSite): void {
  test(`the first view needs less than ${MAX_SCRIPT_BYTES} bytes of JavaScript, compressed`, () => {
    const page = readFileSync(join(CONSOLE_PAGES, 'index.html'), 'utf8')
    const scripts = [...page.matchAll(/"\/console\/(assets\/[^"]+\.js)"/g)].map(
      ([, name = '']) => name,
    )
    expect(scripts.length).toBeGreaterThan(0)
    const sizes = scripts.map((name) => gzipSync(readFileSync(join(CONSOLE_PAGES, name))).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES)
  })

  describe('the book', () => {
    test('opens on live asks, the cheapest first; what was sold is a click away', async () => {
      const { order: dear } = await listInscription(site.market, { priceSats: 91_000n })
      const { order: cheap } = await listInscription(site.market, { priceSats: 90_000n })
      const { page, complaints } = await site.visit('/?priceMin=90000&priceMax=91000')
      await rowOf(page, dear).waitFor()
      const ids = await page
        .locator('[data-order]')
        .evaluateAll((rows) =>
          rows.map((row) => (row as unknown as { dataset: { order: string } }).dataset.order),
        )
      expect(ids).toEqual([cheap.id, dear.id])
      // In force while one types: neither a key nor a button asks for it.
      await page.getByLabel('To, sats').fill('0.0009 BTC')
      await page.getByText('1 order', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Sold', exact: true }).click()
      await page.getByText('No order matches.').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).last().click()
      expect(new URL(page.url()).search).toBe('?view=sold')
      expect(complaints).toEqual([])
    })

    test('a link to another page puts the focus on it, at its top, and its title is said', async () => {
      const { order } = await listInscription(site.market)
      const { page } = await site.visit('/')
      await rowOf(page, order).getByRole('link').first().focus()
      await page.keyboard.press('Enter')
      await page.getByText('What is signed').first().waitFor()
      expect(await page.evaluate('[document.activeElement.id, scrollY]')).toEqual(['main', 0])
      await page
        .getByRole('status')
        .filter({ hasText: /^Inscription \d+$/ })
        .waitFor()
    })

    test('a row opens by a click anywhere in it, but its star watches', async () => {
      const { order } = await listInscription(site.market)
      const { page, complaints } = await site.visit('/?view=all')
      await rowOf(page, order).getByRole('button').click()
      await page.getByRole('button', { name: 'Tiles' }).click()
      await page.locator(`li[data-order="${order.id}"]`).locator('.picture').click({ force: true })
      await page.getByText('What is signed').first().waitFor()
      const star = page.getByRole('button', { name: /^Watch / })
      expect(await star.getAttribute('aria-pressed')).toBe('true')
      await page.goBack()
      await page.getByRole('button', { name: 'Table' }).click()
      await rowOf(page, order).locator('.price').click({ force: true })
      await page.getByText('What is signed').first().waitFor()
      expect(complaints).toEqual([])
    })

    test('a watched order that changes is said on the page, counted in its title, and noted', async () => {
      const { order } = await listInscription(site.market, { priceSats: 81_000n })
      const { page, complaints } = await site.visit('/')
      await rowOf(page, order).getByRole('button').click()
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
      const { psbt } = (await site.market.get(`orders/${order.id}/artifact`)).body
      await site.play('buy', { psbt, priceSats: '81000' })
      await page.getByRole('status').getByText('is being spent; it was live.').waitFor()
      expect(await page.title()).toBe('(1) Book · PSBT Market')
      await page.getByRole('link', { name: 'See what is watched' }).click()
      await rowOf(page, order).getByText('was live').waitFor()
      expect(await page.title()).toBe('Book · PSBT Market')
      await site.play('mine', { blocks: 1 })
      await rowOf(page, order).getByText('settled').waitFor()
      await page.getByRole('button', { name: 'Mark all as seen' }).click()
      await page.reload()
      await rowOf(page, order).getByText('settled').waitFor()
      expect(await rowOf(page, order).getByText('was').count()).toBe(0)
      expect(complaints).toEqual([])
    })

    test('shows orders, and those that arrive and change while it is open', async () => {
      const { order: first } = await listInscription(site.market)
      const { page, complaints } = await site.visit('/')
      await rowOf(page, first).getByText('ready to buy').waitFor()
      expect(await rowOf(page, first).textContent()).toContain('40\u202f000')
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
      const { order: second } = await listInscription(site.market, { priceSats: 70_000n })
      await rowOf(page, second).getByText('70\u202f000').waitFor()
      await page.getByRole('button', { name: 'BTC', exact: true }).click()
      await rowOf(page, second).getByText('0.00070000').waitFor()
      expect(complaints).toEqual([])
    })

    test('keeps filters, sort and search in its address', async () => {
      const { order } = await listInscription(site.market)
      const { page, complaints } = await site.visit('/')
      await page.getByRole('button', { name: 'All', exact: true }).click()
      await page.getByRole('button', { name: /^asks/ }).click()
      await page.getByLabel('Sort').selectOption('price_desc')
      await page.getByLabel('Search the book').fill(order.id.slice(0, 16))
      await page.keyboard.press('Enter')
      await page.getByText('1 order', { exact: true }).waitFor()
      const { searchParams } = new URL(page.url())
      expect(Object.fromEntries(searchParams)).toEqual({
        side: 'ASK',
        sort: 'price_desc',
        search: order.id.slice(0, 16),
      })
      await page.reload()
      await page.getByText('1 order', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: /^asks/ }).getAttribute('aria-pressed')).toBe(
        'true',
      )
      await page.goBack()
      await rowOf(page, order).waitFor()
      expect(complaints).toEqual([])
    })
  })
}
