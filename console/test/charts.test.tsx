import { expect, test } from 'vitest'
import { marksOf } from '../src/circles/draw.ts'
import { toScreen } from '../src/circles/view.ts'
import { dotsOf } from '../src/market/dots.ts'
import type { SaleRow } from '../src/market/statistics.ts'
import { countSame } from '../src/pairing/tuple-table.tsx'

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

const saleOf = (second: number, sats: string | null, isTakenBack = false) =>
  ({
    sold_at: new Date(second * 1_000).toISOString(),
    gross_price_sats: sats,
    is_taken_back: isTakenBack,
  }) as SaleRow

test('dots are the sales that hold, in time', () => {
  const rows = [saleOf(30, '700'), saleOf(20, '500', true), saleOf(10, '900'), saleOf(5, null)]
  expect(dotsOf(rows)).toEqual([
    [10, 30],
    [900, 700],
  ])
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
