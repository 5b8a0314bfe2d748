import { expect, test } from 'vitest'
import { boundStatistic, STATISTIC_NAMES } from '../../../src/domain/statistics/statistics.ts'

const NOW = Date.parse('2026-03-05T12:34:56.789Z')
const at = (day: string) => `${day}T00:00:00.000Z`

test.each([
  [
    { name: 'everything' },
    'there is no statistic everything: one of market, depth, book, volume, floor, candles, sales, inscription, transaction, sellers, time-to-settle, conflicts, verdicts, sources',
  ],
  [
    { name: 'constructor' },
    'there is no statistic constructor: one of market, depth, book, volume, floor, candles, sales, inscription, transaction, sellers, time-to-settle, conflicts, verdicts, sources',
  ],
  [{ name: 'depth' }, 'depth would read everything: name its protocol or token'],
  [{ name: 'book' }, 'book would read everything: name its at'],
  [{ name: 'inscription' }, 'inscription would read everything: name its inscription'],
  [{ name: 'transaction' }, 'transaction would read everything: name its txid'],
  [
    { name: 'sales', from: at('2026-01-01'), to: at('2026-02-02') },
    'sales would read too much: at most 31 days at once',
  ],
  [
    { name: 'candles', interval: 'hour' as const, from: at('2020-01-01') },
    'candles by hour would read too much: at most 31 days at once',
  ],
  [
    { name: 'candles', interval: 'week' as const, from: at('2000-01-01') },
    'candles by week would read too much: at most 3700 days at once',
  ],
  [
    { name: 'verdicts', from: at('2024-01-01') },
    'verdicts would read too much: at most 366 days at once',
  ],
  [
    { name: 'sources', from: at('2026-01-02'), to: at('2026-01-02') },
    'the range is empty: from is not before to',
  ],
  [{ name: 'market', from: at('2026-01-01') }, 'market has no range of time'],
  [{ name: 'market', seller: '00' }, 'market has no seller, only protocol, token'],
  [{ name: 'conflicts', token: 'ORDI' }, 'conflicts has no token'],
  [{ name: 'floor' }, 'floor would read everything: name its protocol or token'],
  [
    { name: 'floor', token: 'ORDI', interval: 'hour' as const, from: at('2026-01-01') },
    'floor by hour would read too much: at most 31 days at once',
  ],
  [
    { name: 'volume', from: at('2026-03-01'), to: at('2026-03-05') },
    'volume reads 60 days: it has no from, only to',
  ],
])('%o is refused with the bound', (question, refused) => {
  expect(boundStatistic(question, NOW)).toEqual({ refused })
})

test('a range ends with the present day unless it says otherwise, and is of a usual length', () => {
  const range = { from: at('2026-02-27'), to: at('2026-03-06') }
  expect(boundStatistic({ name: 'sales' }, NOW)).toEqual({ name: 'sales', filters: {}, range })
  expect(boundStatistic({ name: 'candles', token: 'ORDI' }, NOW)).toEqual({
    name: 'candles',
    filters: { token: 'ORDI', interval: 'day' },
    range: { from: at('2025-12-06'), to: at('2026-03-06') },
  })
  const longest = { name: 'sales', from: at('2026-01-01'), to: at('2026-02-01') }
  expect(boundStatistic(longest, NOW)).toMatchObject({ range: { from: longest.from } })
})

test.each([
  ['conflicts', {}, ['2026-01-05T12:00:00Z', '2026-01-05T13:00:00Z'], ['2026-01-05', '2026-01-06']],
  [
    'sellers',
    {},
    ['2026-01-05T23:59:59.999Z', '2026-01-06T00:00:00Z'],
    ['2026-01-05', '2026-01-06'],
  ],
  ['verdicts', {}, ['2026-01-05', '2026-01-07'], ['2026-01-05', '2026-01-07']],
  [
    'candles',
    { interval: 'day' },
    ['2026-01-05T12:00:00Z', '2026-01-06T12:00:00Z'],
    ['2026-01-05', '2026-01-07'],
  ],
  // 5 January 2026 was a Monday.
  [
    'candles',
    { interval: 'week' },
    ['2026-01-07', '2026-01-12T00:00:00.001Z'],
    ['2026-01-05', '2026-01-19'],
  ],
] as const)(
  '%s %o counts whole days or intervals: the range is widened to them',
  (name, filters, [from, to], [first, last]) => {
    const question = { name, ...filters, from, to }
    const range = { from: at(first), to: at(last) }
    expect(boundStatistic(question, NOW)).toMatchObject({ range })
    expect(boundStatistic({ ...question, ...range }, NOW)).toMatchObject({ range })
  },
)

test('candles by the hour are widened to hours, and sales to nothing', () => {
  const range = { from: '2026-01-05T12:30:00.000Z', to: '2026-01-05T12:45:00.000Z' }
  expect(boundStatistic({ name: 'candles', interval: 'hour', ...range }, NOW)).toMatchObject({
    range: { from: '2026-01-05T12:00:00.000Z', to: '2026-01-05T13:00:00.000Z' },
  })
  expect(boundStatistic({ name: 'sales', ...range }, NOW)).toMatchObject({ range })
})

test('what is of now ends with the present minute', () => {
  expect(boundStatistic({ name: 'volume' }, NOW)).toEqual({
    name: 'volume',
    filters: {},
    range: { from: '2026-01-04T12:35:00.000Z', to: '2026-03-05T12:35:00.000Z' },
  })
  expect(boundStatistic({ name: 'floor', token: 'ORDI', interval: 'hour' }, NOW)).toMatchObject({
    range: { from: '2026-02-26T12:35:00.000Z', to: '2026-03-05T12:35:00.000Z' },
  })
})

test('every statistic can be asked for', () => {
  for (const name of STATISTIC_NAMES)
    expect(
      boundStatistic(
        {
          name,
          ...(name === 'book' && { at: '900000' }),
          ...((name === 'depth' || name === 'floor') && { protocol: 'inscriptions' }),
          ...(name === 'inscription' && { inscription: `${'ab'.repeat(32)}i0` }),
          ...(name === 'transaction' && { txid: 'ab'.repeat(32) }),
        },
        NOW,
      ),
    ).toMatchObject({ name })
})
