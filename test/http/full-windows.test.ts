import { beforeEach, expect, test } from 'vitest'
import { FullWindows } from '../../src/http/limits/full-windows.ts'

let now: number
let full: FullWindows
beforeEach(() => {
  now = 0
  full = new FullWindows({ monotonic: () => now }, 3)
})

test('a window is full until it ends', () => {
  full.note('a', 600, 1_500)
  expect(full.among(['a'])).toEqual({
    level: 0,
    count: { max: 600, remaining: 0, ttlInSeconds: 2 },
  })
  now = 1_499
  expect(full.among(['a'])?.count.ttlInSeconds).toBe(1)
  now = 1_500
  expect(full.among(['a'])).toBeNull()
})

test('a client is refused for a network around it too, the narrowest first', () => {
  full.note('10.0.0.0/16', 9_600, 1_000)
  expect(full.among(['10.0.0.1', '10.0.0.0/24', '10.0.0.0/16'])?.level).toBe(2)
  full.note('10.0.0.0/24', 2_400, 1_000)
  expect(full.among(['10.0.0.1', '10.0.0.0/24', '10.0.0.0/16'])?.level).toBe(1)
  expect(full.among(['10.1.0.1', '10.1.0.0/24', '10.1.0.0/16'])).toBeNull()
})

test('beyond the number remembered, the window noted first is forgotten', () => {
  for (const client of ['a', 'b', 'c', 'a', 'd']) full.note(client, 600, 1_000)
  const known = ['a', 'b', 'c', 'd'].map((client) => full.among([client]) !== null)
  expect(known).toEqual([true, false, true, true])
})
