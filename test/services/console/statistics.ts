import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ImportRequest } from '../../../src/schemas/api/api.ts'
import { type ConsoleSite, WAITS } from '../../support/console/console-site.ts'
import { savedBy } from '../../support/console/page-checks.ts'

const CANDLE = { protocolId: 'inscriptions', token: 'CANDLE' }
const HOUR_MS = 3_600_000
const TIME_OF_SALES_MS = 60_000
const SOLD = { protocolId: 'inscriptions', token: 'FIVESOLD' }

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
    const sales = page.getByRole('region', { name: 'Recent sales' }).getByRole('row')
    await sales.getByText('50\u202f000').waitFor()
    expect(await sales.locator('.under', { hasText: 'CANDLE' }).count()).toBe(1)
    expect(complaints).toEqual([])
  })

  test('a chart has its last values, another interval, and its rows to take away', async () => {
    const query = `protocol=${SOLD.protocolId}&token=${SOLD.token}`
    // All sales are in one hour: they take seconds.
    const leftMs = HOUR_MS - (Date.now() % HOUR_MS)
    if (leftMs < TIME_OF_SALES_MS) await delay(leftMs)
    for (const priceSats of ['50000', '61000', '52000', '53000', '54000']) {
      const made = (await site.play('offer', { text: 'a candle', priceSats })) as ImportRequest
      const offer = { ...made, ...SOLD }
      expect((await site.market.post('orders/import', offer)).status).toBe(201)
      await site.play('buy', { psbt: offer.psbt, priceSats })
      await site.play('mine', { blocks: 1 })
    }
    const soldByNow = async () => {
      const { rows }: { rows: { sales: string }[] } = (
        await site.market.get(`stats/candles?${query}`)
      ).body
      return rows[0]?.sales
    }
    await expect.poll(soldByNow, WAITS).toBe('5')
    const { page, complaints } = await site.visit('/console/find')
    // A devnet is younger than two intervals.
    await page.route('**/stats/candles?*', async (route) => {
      const answer = await route.fetch()
      const { rows, ...rest } = (await answer.json()) as { rows: { start: string }[] }
      const before = { ...rows[0], ...EARLIER, start: earlier(rows[0]?.start) }
      await route.fulfill({ json: { ...rest, rows: [...rows, before] } })
    })
    await page.goto(`${site.market.address}/console/market?${query}`)
    const chart = page.getByRole('img', { name: 'Prices of the sales by day' })
    const legend = async () =>
      (await chart.locator('.u-legend').textContent())?.replaceAll(/\s/g, '')
    const last = 'Open50000High61000Low50000Close54000Volume270000'
    await expect.poll(legend, WAITS).toContain(last)
    const { width = 0, height = 0 } = (await chart.locator('.u-over').boundingBox()) ?? {}
    await chart.locator('.u-over').hover({ position: { x: width / 8, y: height / 2 } })
    await expect.poll(legend, WAITS).toContain('Close7000')
    await page.getByRole('heading', { name: 'Statistics', exact: true }).hover()
    await expect.poll(legend, WAITS).toContain(last)

    await page.getByLabel('Interval').selectOption('hour')
    await page.getByRole('img', { name: 'Prices of the sales by hour' }).waitFor()
    expect(new URL(page.url()).searchParams.get('interval')).toBe('hour')
    const card = page.getByRole('region', { name: 'Candles' })
    const saved = await savedBy(card.getByRole('button', { name: 'Save as CSV' }))
    expect(saved.name).toBe('candles-hour.csv')
    const [head = '', ...lines] = saved.bytes.toString().trimEnd().split('\r\n')
    expect(head.split(',')).toEqual(expect.arrayContaining(['start', 'close_sats', 'sales']))
    expect(lines).toHaveLength(2)
    for (const [name, begin] of [
      ['CSV', 'close_sats'],
      ['Parquet', 'PAR1'],
    ] as const) {
      const address = await card.getByRole('link', { name, exact: true }).getAttribute('href')
      expect(new URL(`x:${address}`).searchParams.get('interval')).toBe('hour')
      const file = await fetch(`${site.market.address}${address}`)
      expect(Buffer.from(await file.arrayBuffer()).toString('latin1')).toContain(begin)
    }
    expect(complaints).toEqual([])
  })
}

const EARLIER = { open_sats: '7000', high_sats: '7000', low_sats: '7000', close_sats: '7000' }
const earlier = (start = ''): string => new Date(Date.parse(start) - 86_400_000).toISOString()
