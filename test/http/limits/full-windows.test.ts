import { beforeEach, expect, test } from 'vitest'
import { FullWindows } from '../../../src/http/limits/full-windows.ts'

/** A monotonic clock is past 0, which the cache takes for no time at all. */
const START_MS = 1_000
let now: number
let full: FullWindows
beforeEach(() => {
  now = START_MS
  full = new FullWindows({ monotonic: () => now }, 3)
})

test('a window is full until it ends', () => {
  full.note('a', 600, 1_500)
  expect(full.among(['a'])).toEqual({
    level: 0,
    count: { max: 600, remaining: 0, ttlInSeconds: 2 },
  })
  now = START_MS + 1_499
  expect(full.among(['a'])?.count.ttlInSeconds).toBe(1)
  now = START_MS + 1_500
  expect(full.among(['a'])).toBeNull()
})

test('a window that ends now is not noted as full', () => {
  full.note('a', 600, 0)
  expect(full.among(['a'])).toBeNull()
})

test('a client is refused for a network around it too, the narrowest first', () => {
  full.note('10.0.0.0/16', 9_600, 1_000)
  expect(full.among(['10.0.0.1', '10.0.0.0/24', '10.0.0.0/16'])?.level).toBe(2)
  full.note('10.0.0.0/24', 2_400, 1_000)
  expect(full.among(['10.0.0.1', '10.0.0.0/24', '10.0.0.0/16'])?.level).toBe(1)
  expect(full.among(['10.1.0.1', '10.1.0.0/24', '10.1.0.0/16'])).toBeNull()
})

test('beyond the number remembered, the window noted first is forgotten, asked for or not', () => {
  for (const client of ['a', 'b', 'c', 'a', 'd']) {
    full.note(client, 600, 1_000)
    full.among(['b'])
  }
  const known = ['a', 'b', 'c', 'd'].map((client) => full.among([client]) !== null)
  expect(known).toEqual([true, false, true, true])
})

test('room for very many windows takes no memory before they are full', () => {
  const before = process.memoryUsage().rss
  full = new FullWindows({ monotonic: () => now }, 2_000_000_000)
  full.note('a', 600, 1_000)
  expect(full.among(['a'])?.level).toBe(0)
  expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 26)
})
