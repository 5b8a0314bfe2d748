import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeOfText } from '../../../src/schemas/api/statistics.ts'

test('a day, or a time in UTC, is read to the millisecond', () => {
  expect(timeOfText('2028-02-29')).toBe('2028-02-29T00:00:00.000Z')
  expect(timeOfText('2026-01-31T23:59:59Z')).toBe('2026-01-31T23:59:59.000Z')
  expect(timeOfText('2026-01-31T23:59:59.999Z')).toBe('2026-01-31T23:59:59.999Z')
})

test.each([
  ...['', '2026-02-29', '2026-02-30', '2026-04-31', '2026-00-10', '2026-13-01', '2026-01-00'],
  ...[
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T00:00:60Z',
  ],
  ...[
    '2026-1-1',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+00:00',
    ' 2026-01-01',
  ],
  // The engine takes year 0 for this year, and counts days from 1970 to 2149.
  ...['0000-01-05', '0000-11-01', '1899-01-01', '1999-12-31', '2100-01-01', '9999-12-31'],
])('%j is none', (text) => {
  expect(timeOfText(text)).toBeNull()
})

test('of the days of a form that looks right, those are read that a calendar has', () => {
  const two = (n: number) => String(n).padStart(2, '0')
  const year = fc.integer({ min: 2000, max: 2099 })
  const number = fc.integer({ min: 0, max: 40 })
  fc.assert(
    fc.property(year, number, number, (y, month, day) => {
      // Day 0 of the next month is the last of this one.
      const last = month >= 1 && month <= 12 ? new Date(Date.UTC(y, month, 0)).getUTCDate() : 0
      const text = `${y}-${two(month)}-${two(day)}`
      expect(timeOfText(text)).toBe(day >= 1 && day <= last ? `${text}T00:00:00.000Z` : null)
    }),
  )
})
