import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import {
  expectCopied,
  expectNoFinding,
  keepPicture,
  savedBy,
} from '../../support/console/page-checks.ts'

export function walletActs(site: ConsoleSite): void {
  describe('a wallet in the page, nothing typed but the price', () => {
    const badge = (page: Page) => page.locator('.page-head .badge')

    test('lists, buys and sends, and the order settles', async () => {
      const { page: seller, complaints } = await site.visit('/console/sell')
      await seller.getByRole('button', { name: 'Connect a devnet wallet' }).click()
      await seller.getByLabel('Price, sats').fill('60000')
      await seller.getByRole('button', { name: 'Show what I receive' }).click()
      await seller.getByText(/receive 60.000 sats .* 50.000 sats net/).waitFor()
      await seller.getByRole('button', { name: 'Sign and publish' }).click()
      await seller.getByRole('link', { name: 'your order' }).click()
      await badge(seller).filter({ hasText: 'live' }).waitFor()
      await keepPicture(seller, 'wallet-order')

      const { page: buyer, complaints: others } = await site.visit(new URL(seller.url()).pathname)
      await buyer.getByRole('button', { name: 'Connect a devnet wallet' }).click()
      await buyer.getByRole('button', { name: 'Buy', exact: true }).click()
      await buyer.getByRole('button', { name: 'Sign in the wallet' }).click()
      await buyer.getByText('Now broadcast it').waitFor()
      await keepPicture(buyer, 'wallet-bought')
      await expectNoFinding(buyer)
      const hex = await buyer.getByLabel('Final transaction, hexadecimal').inputValue()
      await expectCopied(buyer, 'Copy it', hex)
      expect((await savedBy(buyer.getByRole('button', { name: 'Save it' }))).bytes.toString()).toBe(
        hex,
      )
      await buyer.getByRole('button', { name: 'Send it' }).click()
      await badge(seller).filter({ hasText: 'being spent' }).waitFor()
      await buyer.getByText('It waits for a block').waitFor()
      await site.play('mine', { blocks: 1 })
      await badge(seller).filter({ hasText: 'settled' }).waitFor()
      expect([...complaints, ...others]).toEqual([])
    })

    test('withdraws, and signs the transaction that ends the signature', async () => {
      const { page, complaints } = await site.visit('/console/sell')
      await page.getByRole('button', { name: 'Connect a devnet wallet' }).click()
      await page.getByLabel('Price, sats').fill('70000')
      await page.getByRole('button', { name: 'Show what I receive' }).click()
      await page.getByRole('button', { name: 'Sign and publish' }).click()
      await page.getByRole('link', { name: 'your order' }).click()
      const order = new URL(page.url()).pathname
      await page.getByRole('link', { name: 'Book', exact: true }).last().click()
      await page.getByRole('button', { name: 'Mine' }).click()
      await page.getByText('1 order', { exact: true }).waitFor()
      await page.locator('tbody [data-order], tr[data-order]').getByRole('link').click()
      await page.getByRole('link', { name: 'Withdraw it as its seller' }).click()
      await page.getByRole('button', { name: 'Withdraw it' }).click()
      await page.locator('.verdict .badge').filter({ hasText: 'withdrawn' }).waitFor()
      await page.getByRole('button', { name: 'Sign the transaction that ends it' }).click()
      await page.getByText('every copy of the order has ended').waitFor()
      await expectNoFinding(page)
      await page.getByRole('button', { name: 'Send it' }).click()
      await page.getByText('It waits for a block').waitFor()
      await site.play('mine', { blocks: 1 })
      await page.goto(`${site.market.address}${order}`)
      await badge(page).waitFor()
      const kept = JSON.parse(await page.evaluate('JSON.stringify(localStorage)'))
      expect(kept).toEqual({ wallet: 'Devnet wallet', 'market.seen.notes.ask': '1' })
      expect(complaints).toEqual([])
    })
  })
}
