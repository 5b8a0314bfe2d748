import { expect, test, vi } from 'vitest'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import {
  type ConsoleSite,
  EXPLORER_URL,
  HOSTILE,
  OPERATOR,
  rowOf,
} from '../../support/console/console-site.ts'
import { moderate } from '../../support/market/moderate.ts'
import { listInscription } from '../../support/market/trader.ts'

/** Of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64')
const HOSTILE_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="parent.ran=1"><script>parent.ran=1' +
  '</script><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/"/>' +
  '</foreignObject><g id="g0"><circle id="drawn" r="1"/></g><use href="#g0"/></svg>'
/** What must not appear anywhere, whatever strangers wrote. */
const MARKUP = 'img, iframe, main script, [onerror], [onload], a[href^="javascript"]'

export function strangerActs(site: ConsoleSite): void {
  test('texts of strangers are text', async () => {
    const shown: OrderSummary[] = []
    for (const text of HOSTILE) {
      const { order } = await listInscription(site.market)
      const { psbt } = (await site.market.get(`orders/${order.id}/artifact`)).body
      const claims = { psbt, sourceId: text, protocolId: text.slice(0, 64), token: text }
      expect((await site.market.post('orders/import', claims)).status).toBe(201)
      const answer = await moderate(site.market, order.id, { reason: text }, OPERATOR)
      expect(answer.status).toBeLessThan(300)
      shown.push((await site.market.get(`orders/${order.id}`)).body)
    }
    const { page: book, complaints } = await site.visit('/?state=WITHDRAWN')
    for (const order of shown) {
      await rowOf(book, order).waitFor()
      const { page } = await site.visit(`/console/orders/${order.id}`)
      const text = HOSTILE[shown.indexOf(order)] ?? ''
      await page.locator('q', { hasText: text }).waitFor()
      await page.getByText('Claims and facts').click()
      await page.locator('bdi', { hasText: text }).first().waitFor()
      expect(await page.locator(MARKUP).count()).toBe(0)
      expect(await page.evaluate('window.ran')).toBeUndefined()
    }
    expect(await book.locator(MARKUP).count()).toBe(0)
    expect(await book.evaluate('window.ran')).toBeUndefined()
    expect(complaints).toEqual([])
  })

  test('an order shows what it sells, and an SVG in a frame that can do nothing', async () => {
    const name = await listInscription(site.market, { body: 'cat.sats' })
    const { page, complaints } = await site.visit(`/console/orders/${name.order.id}`)
    await page.getByRole('heading', { name: 'cat.sats' }).waitFor()
    const link = page.getByRole('link', { name: 'Transaction of its output' })
    expect(await link.getAttribute('href')).toBe(
      `${EXPLORER_URL}/tx/${name.order.assets[0]?.outpoint.txid}`,
    )
    expect(complaints).toEqual([])

    const image = await listInscription(site.market, { contentType: 'image/gif', body: GIF })
    await page.goto(`${site.market.address}/console/orders/${image.order.id}`)
    await page.locator('.content img').waitFor()
    const drawn = "document.querySelector('.content img').naturalWidth"
    await vi.waitFor(async () => expect(await page.evaluate(drawn)).toBe(1), 20_000)
    expect(complaints).toEqual([])

    const html = await listInscription(site.market, { contentType: 'text/html', body: '<html>' })
    await page.goto(`${site.market.address}/console/orders/${html.order.id}`)
    await page.getByText('HTML, 6 bytes: this type is not shown here.').waitFor()

    const svg = await listInscription(site.market, {
      contentType: 'image/svg+xml',
      body: HOSTILE_SVG,
    })
    await page.goto(`${site.market.address}/console/orders/${svg.order.id}`)
    const frame = page.frameLocator('.content iframe[sandbox=""]')
    await frame.locator('#drawn').waitFor({ state: 'attached' })
    expect(await page.evaluate('window.ran')).toBeUndefined()
  })

  test('the text of an address is text, and so is what was not found', async () => {
    const text = HOSTILE.join(' ')
    const written = encodeURIComponent(text)
    for (const path of [
      `/?search=${written}&protocol=${written}`,
      `/console/orders/${written}`,
      `/console/market?protocol=${written}&token=${written}`,
      `/console/sell/outputs?of=${written}`,
      `/console/pairing/objects/${written}`,
      `/console/${written}`,
    ]) {
      const { page, complaints } = await site.visit(path)
      await page.getByText(/block [0-9]+ ·/).waitFor()
      expect(await page.locator(MARKUP).count(), path).toBe(0)
      expect(await page.evaluate('window.ran'), path).toBeUndefined()
      // The service refuses most of them, which the browser logs.
      expect(complaints.filter((complaint) => !complaint.includes('status of 4'))).toEqual([])
    }
    const { page } = await site.visit(`/console/orders/${'0'.repeat(64)}`)
    await page.getByText('No such order. Check its id').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })
}
