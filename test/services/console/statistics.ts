import { expect, test } from 'vitest'
import type { ImportRequest } from '../../../src/schemas/api/api.ts'
import { type ConsoleSite, WAITS } from '../../support/console/console-site.ts'

const CANDLE = { protocolId: 'inscriptions', token: 'CANDLE' }

export function statisticActs(site: ConsoleSite): void {
  test('the market has its floor, depth, candles and sales', async () => {
    const psbts: string[] = []
    for (const priceSats of ['50000', '65000']) {
      const made = (await site.play('offer', { text: 'drawn', priceSats })) as ImportRequest
      const offer = { ...made, ...CANDLE }
      expect((await site.market.post('orders/import', offer)).status).toBe(201)
      psbts.push(offer.psbt)
    }
    await site.play('buy', { psbt: psbts[0], priceSats: '50000' })
    await site.play('mine', { blocks: 1 })
    const query = new URLSearchParams({
      protocol: CANDLE.protocolId,
      token: CANDLE.token,
    }).toString()
    const hasRows = async (name: string) => {
      const { rows }: { rows: unknown[] } = (await site.market.get(`stats/${name}?${query}`)).body
      return rows.length > 0
    }
    await expect.poll(() => hasRows('candles'), WAITS).toBe(true)
    await expect.poll(() => hasRows('depth'), WAITS).toBe(true)

    const { page, complaints } = await site.visit('/console/market')
    await page.getByRole('link', { name: 'Inscriptions · CANDLE' }).click()
    await page.getByRole('img', { name: 'Prices of the few sales by day, as dots' }).waitFor()
    const starts = page.getByRole('region', { name: 'Candles' }).locator('details tbody th')
    expect(await starts.allTextContents()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
    await page.getByRole('img', { name: 'Live orders up to each price' }).waitFor()
    await page.getByRole('img', { name: 'Floor and best bid by day' }).waitFor()
    const today = page.getByRole('region', { name: '24 hours' })
    await today.filter({ hasText: '1 sale' }).getByText('50\u202f000').waitFor()
    // Until its own sales have come, the page shows those of all markets.
    const sales = page.getByRole('region', { name: 'Recent sales' }).getByRole('row')
    await sales.filter({ hasText: 'CANDLE' }).getByText('50\u202f000').waitFor()
    expect(complaints).toEqual([])
  })
}
