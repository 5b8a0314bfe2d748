import { expect, test, vi } from 'vitest'
import { marksOf } from '../src/circles/draw.ts'
import { toScreen } from '../src/circles/view.ts'
import { CandleCard } from '../src/market/candle-card.tsx'
import { dotsOf } from '../src/market/dots.ts'
import type { CandleRow } from '../src/market/statistics.ts'
import { markText, timeMarks } from '../src/market/times.ts'
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

const DAY = 86_400
/** The days with marks of a chart that draws so many, whose axis has one more at each end. */
const marked = (days: number, width: number) => {
  const times = Array.from({ length: days }, (_, at) => at * DAY)
  return timeMarks({ times, from: -DAY, to: days * DAY, width }, DAY).map((at) => at / DAY)
}

test.each([
  [2, 170, [0, 1]],
  [3, 170, [0, 1, 2]],
  [4, 170, [0, 2, 3]],
  [30, 170, [0, 15, 29]],
  [3, 900, [0, 1, 2]],
  [30, 900, [0, 7, 15, 22, 29]],
])('of %d days, on %d px, the first, the middle and the last have a mark', (days, width, marks) => {
  expect(marked(days, width)).toEqual(marks)
})

test('what is drawn at one time alone has the ends of its axis marked too', () => {
  const shown = { times: [10 * DAY], from: 7 * DAY, to: 13 * DAY, width: 170 }
  expect(timeMarks(shown, DAY)).toEqual([7, 10, 13].map((day) => day * DAY))
})

test('where a part is looked at nearer, its own ends are marked, and a place without room has one mark', () => {
  const times = Array.from({ length: 30 }, (_, at) => at * DAY)
  const near = timeMarks({ times, from: 9.5 * DAY, to: 13.5 * DAY, width: 170 }, DAY)
  expect(near).toEqual([10 * DAY, 12 * DAY, 13 * DAY])
  expect(timeMarks({ times, from: 0, to: 29 * DAY, width: 30 }, DAY)).toEqual([0])
})

test('a mark is a day over its year, or an hour over its day', () => {
  const at = Date.parse('2026-11-30T14:00:00Z') / 1_000
  expect(markText(at, 'week')).toBe('11-30\n2026')
  expect(markText(at, 'hour')).toBe('14:00\n11-30')
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
