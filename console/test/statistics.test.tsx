import { describe, expect, test, vi } from 'vitest'
import { CandleCard } from '../src/market/candle-card.tsx'
import { DepthCard } from '../src/market/depth-card.tsx'
import { FloorCard } from '../src/market/floor-card.tsx'
import { MarketTable } from '../src/market/market-table.tsx'
import { SaleTable } from '../src/market/sale-table.tsx'
import type { Chosen } from '../src/market/statistics.ts'
import { VolumeCard } from '../src/market/volume-card.tsx'
import { shown } from './shown.tsx'

// There is no canvas here.
vi.mock('../src/market/chart.tsx', async (original) => ({
  ...(await original()),
  Chart: ({ label, data }: { label: string; data: unknown }) => (
    <p data-label={label}>{JSON.stringify(data)}</p>
  ),
}))

const A = { protocol: 'inscriptions', token: 'A' }
const B = { protocol: 'inscriptions', token: 'B' }
const OF_A = '7654321'
const AT = '2026-01-31T12:00:00.000Z'
const OWN = { protocol_id: 'inscriptions', token: 'A' }

const VOLUME = {
  ...{ days: 1, volume_sats: OF_A, sales: '1', sellers: '1', volume_change_percent: null },
  ...{ sales_change_percent: null, sellers_change_percent: null },
}
const FLOOR = { ...OWN, at: AT, floor_sats: OF_A, best_bid_sats: null }
const DEPTH = { ...OWN, side: 'ASK', price_sats: OF_A, orders: '1', orders_up_to: '1' }
const PRICES = { open_sats: OF_A, high_sats: OF_A, low_sats: OF_A, close_sats: OF_A }
const CANDLE = { ...OWN, ...PRICES, start: AT, volume_sats: OF_A, sales: '9' }
const SALE = {
  ...{ ...OWN, order_id: 'a'.repeat(64), txid: 'b'.repeat(64), settled_at: AT, sold_at: AT },
  ...{ block_height: '7', is_taken_back: false, gross_price_sats: OF_A, net_price_sats: OF_A },
}
const MARKET = {
  ...{ ...OWN, live_asks: '1', live_bids: '0', floor_sats: OF_A, best_bid_sats: null },
  asked_sats: OF_A,
}

/** A card of a market that was not read yet, where that of another one was. */
const chosenAfter = (card: (chosen: Chosen) => preact.JSX.Element, key: string[], row: object) => {
  const [name = '', ...rest] = key
  const data = { rows: [row], from: null, interval: 'day' }
  const known = [['statistics', name, A, ...rest] as never, data] as const
  return shown(card(B), [known], card(A))
}
const grouped = OF_A.replace(/(?=(?:...)+$)/g, '\u202f')
const saves = (page: HTMLElement) =>
  [...page.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Save as CSV')

describe('what was read of one market is not shown as that of another', () => {
  test.each([
    ['volume', (chosen: Chosen) => <VolumeCard chosen={chosen} />, ['volume'], VOLUME],
    [
      'floor',
      (chosen: Chosen) => <FloorCard chosen={chosen} interval="day" />,
      ['floor', 'day'],
      FLOOR,
    ],
    ['depth', (chosen: Chosen) => <DepthCard chosen={chosen} />, ['depth'], DEPTH],
    [
      'candles',
      (chosen: Chosen) => <CandleCard chosen={chosen} interval="day" change={() => {}} />,
      ['candles', 'day'],
      CANDLE,
    ],
    ['sales', (chosen: Chosen) => <SaleTable chosen={chosen} />, ['sales'], SALE],
  ])('%s', async (_, card, key, row) => {
    const read = await chosenAfter(() => card(A), key, row)
    expect(read.textContent).toMatch(new RegExp(`${OF_A}|${grouped}`))
    const page = await chosenAfter(card, key, row)
    expect(page.textContent).not.toMatch(new RegExp(`${OF_A}|${grouped}`))
    expect(saves(page)).toHaveLength(0)
  })

  test('rows that name their market remain, marked, and are not saved as those of this one', async () => {
    const page = await chosenAfter((chosen) => <MarketTable chosen={chosen} />, ['market'], MARKET)
    expect(page.querySelector('tbody th')?.textContent).toBe('Inscriptions · A')
    expect(page.querySelector('section')?.getAttribute('aria-busy')).toBe('true')
    expect(saves(page).map(({ disabled }) => disabled)).toEqual([true])
  })
})

test.each([
  [
    'floor',
    FLOOR,
    'Floor and best bid by day',
    (interval: 'day' | 'hour') => <FloorCard chosen={A} interval={interval} />,
  ],
  [
    'candles',
    CANDLE,
    'Prices of the sales by day',
    (interval: 'day' | 'hour') => <CandleCard chosen={A} interval={interval} change={() => {}} />,
  ],
])(
  '%s of another interval remain until those of this one are read, named and marked as what they are',
  async (name, row, label, card) => {
    const data = { rows: [row], from: null, interval: 'day' }
    const known = [['statistics', name, A, 'day'] as never, data] as const
    const before = await shown(card('day'), [known])
    expect(before.querySelector('section')?.getAttribute('aria-busy')).toBe('false')
    expect(saves(before).map(({ disabled }) => disabled)).toEqual([false])
    const page = await shown(card('hour'), [known], card('day'))
    expect(page.querySelector('[data-label*=" by "]')?.getAttribute('data-label')).toBe(label)
    expect(page.querySelector('section')?.getAttribute('aria-busy')).toBe('true')
    expect(saves(page).map(({ disabled }) => disabled)).toEqual([true])
  },
)
