import { expect, test, vi } from 'vitest'
import { marksOf } from '../src/circles/draw.ts'
import { toScreen } from '../src/circles/view.ts'
import { CandleCard } from '../src/market/candle-card.tsx'
import { dotsOf } from '../src/market/dots.ts'
import type { CandleRow } from '../src/market/statistics.ts'
import { countSame } from '../src/pairing/tuple-table.tsx'
import { shown } from './shown.tsx'

// There is no canvas here.
vi.mock('../src/market/chart.tsx', () => ({
  Chart: ({ data }: { data: unknown }) => <p data-drawn={JSON.stringify(data)} />,
}))

test.each([
  [330, 2],
  [330, 4],
  [330, 900],
  [1_200, 4],
  [1_200, 100_000],
])('on %d px, heights of %d blocks do not collide', (width, blocks) => {
  const view = { x: 150.7, y: 0, width: blocks, height: 5 }
  const size = { width, height: 400 }
  const { x } = toScreen(view, size)
  const marks = marksOf(view, size).map(x)
  expect(marks.length).toBeLessThanOrEqual(9)
  const gaps = marks.slice(1).map((at, before) => at - (marks[before] ?? 0))
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(72)
})

const candleOf = (second: number, [open, high, low, close]: string[], sales: string) =>
  ({
    start: new Date(second * 1_000).toISOString(),
    ...{ open_sats: open, high_sats: high, low_sats: low, close_sats: close, volume_sats: '1' },
    ...{ sales, protocol_id: 'inscriptions', token: null },
  }) as CandleRow

test('dots are the prices of the candles, in time', () => {
  const rows = [
    candleOf(30, ['700', '900', '700', '900'], '3'),
    candleOf(10, ['500', '500', '500', '500'], '1'),
  ]
  expect(dotsOf(rows)).toEqual([
    [10, 30, 30],
    [500, 700, 900],
  ])
})

test('few sales are drawn from the candles, however old, and the range is said', async () => {
  const chosen = { protocol: 'inscriptions', token: null }
  const rows = [candleOf(86_400, ['500', '500', '500', '500'], '1')]
  const known = [
    ['statistics', 'candles', chosen, 'day'],
    { rows, from: '1969-12-01T00:00:00.000Z' },
  ]
  const card = <CandleCard chosen={chosen} interval="day" change={() => {}} />
  const page = await shown(card, [known as never])
  expect(page.textContent).toContain('Since 1969-12-01 00:00 UTC.')
  expect(page.querySelector('[data-drawn]')?.getAttribute('data-drawn')).toBe('[[86400],[500]]')
})

test('fields agree that are the same, or under the same checkpoint; what differs does not', () => {
  const tuple = {
    deployment: 'd',
    network: 'regtest',
    height: '7',
    blockHash: 'aa',
    previousCheckpointHash: 'bb',
    objectsRoot: 'cc',
    carriersRoot: 'dd',
    eventsRoot: 'ee',
    checkpointHash: 'ff',
  }
  const own = { name: 'own', tuple }
  const signed = { name: 'both', tuple: { height: '7', blockHash: 'aa', checkpointHash: 'ff' } }
  expect(countSame(own, signed)).toBe(9)
  expect(countSame(own, { name: 'other', tuple: { ...tuple, eventsRoot: '00' } })).toBe(8)
  expect(countSame(own, { name: 'other', tuple: { checkpointHash: '00' } })).toBe(0)
})
