import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type ConsoleSite, rowOf } from '../../support/console/console-site.ts'
import {
  expectCopied,
  expectNoFinding,
  keepPicture,
  savedBy,
} from '../../support/console/page-checks.ts'
import { bidOn } from '../../support/console/things.ts'
import { listInscription } from '../../support/market/trader.ts'

export function handingOutActs(site: ConsoleSite): void {
  test('a PSBT is copied in both encodings, and saved as the bytes that wallets read', async () => {
    const { order } = await listInscription(site.market)
    const { psbt } = (await site.market.get(`orders/${order.id}/artifact`)).body
    const bytes = Buffer.from(psbt, 'base64')
    const { page, complaints } = await site.visit(`/console/orders/${order.id}`)
    await page.getByText('The signed order as a PSBT').click()
    await expectCopied(page, 'Copy', psbt)
    await expectCopied(page, 'Copy as hexadecimal', bytes.toString('hex'))
    const saved = await savedBy(page.getByRole('button', { name: 'Save as a file' }))
    expect(saved.name).toMatch(/\.psbt$/)
    expect(saved.bytes.equals(bytes)).toBe(true)
    expect(complaints).toEqual([])
  })

  test('a PSBT is shown as a QR code, and the refusal of a returned one is shown', async () => {
    const { order } = await listInscription(site.market)
    const { page, complaints } = await site.visit(`/console/orders/${order.id}`)
    await page.getByText('The signed order as a PSBT').click()
    await page.getByRole('button', { name: 'Show as a QR code' }).click()
    await page.getByRole('img', { name: 'The PSBT as a QR code' }).waitFor()
    await page.getByText('Or sign elsewhere').click()
    const signed = page.getByLabel('Signed PSBT')
    for (const psbt of ['cHNidP8=', '70736274ff']) {
      await signed.fill(psbt)
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await page.getByText('Copy all of it from the wallet again').waitFor()
      expect(await signed.getAttribute('aria-invalid')).toBe('true')
      await page.reload()
      await page.getByText('Or sign elsewhere').click()
    }
    await page.getByRole('button', { name: 'Quote' }).waitFor()
    await page.getByLabel('Address that receives the asset').fill('x')
    await page.getByLabel('Address that receives the change').fill('y')
    await page.getByLabel('Two small outputs').fill('nothing')
    await page.getByLabel('Outputs that pay').fill('nothing')
    await page.getByRole('button', { name: 'Quote' }).click()
    await page.getByText('nothing is not an output. Name two.').waitFor()
    await expectFocus(page, 'paddingUtxos')
    await expectNoFinding(page)
    // The refusal of the service is a 4xx, which the browser logs.
    expect(complaints.filter((text) => !text.includes('status of 4'))).toEqual([])
  })

  test.each(['bbqr', 'ur'])(
    'a PSBT goes out as %s codes, and comes back by pictures of them',
    async (form) => {
      const { order } = await listInscription(site.market, { type: 'p2wpkh' })
      const { page, complaints } = await site.visit(`/console/orders/${order.id}`)
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.getByText('The signed order as a PSBT').click()
      const psbt = await page.getByLabel('PSBT, base64', { exact: true }).inputValue()
      await page.getByRole('button', { name: 'Show as a QR code' }).click()
      await page.getByLabel('Read by').selectOption(form)
      const code = page.getByRole('img', { name: 'The PSBT as a QR code' })
      const first = await page.getByText(/^Code 1 of/).textContent()
      const [, of] = /^Code 1 of ([0-9]+)$/.exec(first ?? '') ?? []
      const pictures = []
      for (let at = 1; at <= Number(of); at += 1) {
        await page.getByText(`Code ${at} of`).waitFor()
        const buffer = await code.screenshot()
        pictures.push({ name: `${at}.png`, mimeType: 'image/png', buffer })
        await page.getByRole('button', { name: 'Next code' }).click()
      }
      expect(pictures.length).toBeGreaterThan(1)
      await page.getByText('Or sign elsewhere').click()
      await page.getByRole('button', { name: 'Scan QR codes' }).click()
      await page.getByText('gives the page no camera').waitFor()
      await page.getByLabel('Pictures of the codes').setInputFiles(pictures.toReversed())
      await page.getByRole('button', { name: 'Scan QR codes' }).waitFor()
      expect(await page.getByLabel('Signed PSBT').inputValue()).toBe(psbt)
      expect(complaints).toEqual([])
    },
  )

  test('a bid has the price that the filter filters, and the texts of a bid', async () => {
    const order = await bidOn(site)
    const { page: book, complaints } = await site.visit('/?priceMin=70000&priceMax=80000&side=BID')
    const row = rowOf(book, order)
    await row.getByText('75\u202f000').first().waitFor()
    await row.getByText(/^with postage 85.000$/).waitFor()
    const { page } = await site.visit(`/console/orders/${order.id}`)
    await page.getByRole('heading', { name: 'What the owner must know' }).waitFor()
    await page.getByText('the buyer signed the whole purchase').waitFor()
    await page.getByText(/^With postage 85.000 sats/).waitFor()
    await page.getByText(/^Proved: the wanted output is unspent/).waitFor()
    const ofAnAsk = /the seller signed|What a buyer must know|What is sold|offered|its seller/
    expect(await page.getByText(ofAnAsk).allTextContents()).toEqual([])
    await keepPicture(page, 'bid')
    expect(complaints).toEqual([])
  })
}

const expectFocus = async (page: Page, name: string): Promise<void> =>
  expect(await page.evaluate('document.activeElement.name')).toBe(name)
