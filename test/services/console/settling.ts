import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import { installIn, runPage } from '../../support/docs/run-page.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { listInscription } from '../../support/market/trader.ts'

export function settlingActs(site: ConsoleSite): void {
  test('an order settles in three clicks, as its page shows without a reload', async () => {
    const { page, complaints } = await site.visit('/console/devnet')
    await page.getByRole('button', { name: 'List an inscription' }).click()
    const link = page.getByRole('link', { name: 'Your order' })
    await link.waitFor()
    // A reload does not forget what was listed.
    await page.reload()
    await link.waitFor()
    const { page: order, complaints: others } = await site.visit(
      (await link.getAttribute('href')) ?? '',
    )
    await order.locator('.page-head .badge').filter({ hasText: 'live' }).waitFor()
    await page.getByRole('button', { name: 'Buy it' }).click()
    await order.locator('.page-head .badge').filter({ hasText: 'being spent' }).waitFor()
    await page.getByRole('button', { name: 'Mine a block' }).click()
    await order.locator('.page-head .badge').filter({ hasText: 'settled' }).waitFor()
    await order.getByText('Settled by').waitFor()
    expect([...complaints, ...others]).toEqual([])
  })

  test('what the page of an order waits for is asked for once, before its script has run', async () => {
    const { order } = await listInscription(site.market)
    const { page, complaints } = await site.visit('/console/find')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${site.market.address}/console/orders/${order.id}`)
    await page.getByText('What is signed').first().waitFor()
    for (const answer of [`/api/market/orders/${order.id}`, '/api/market/catalog']) {
      expect(asked.filter((path) => path === answer)).toHaveLength(1)
      expect(asked.indexOf(answer)).toBeLessThan(asked.indexOf('/console/settings.json'))
    }
    expect(complaints).toEqual([])
  })

  test('the tutorial, command by command, ends in a settled order that the page shows', async () => {
    const folder = temporaryDirectory()
    try {
      installIn(folder.path)
      await runPage('docs/tutorial.md', folder.path, site.market.address)
      const { id } = JSON.parse(readFileSync(join(folder.path, 'order.json'), 'utf8'))
      const { page, complaints } = await site.visit(`/console/orders/${id}`)
      await page.locator('.page-head .badge').filter({ hasText: 'settled' }).waitFor()
      expect(complaints).toEqual([])
    } finally {
      folder.drop()
    }
  })
}
