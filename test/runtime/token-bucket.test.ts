import { expect, test } from 'vitest'
import { openTokenBucket } from '../../src/runtime/token-bucket.ts'
import { ManualClock } from '../support/manual-clock.ts'

test('a call that takes several tokens waits until there are as many', () => {
  const clock = new ManualClock()
  const bucket = openTokenBucket({ perSecond: 2, burst: 4 }, clock)
  expect(bucket.take(3)).toBe(0)
  expect(bucket.waitMs(3)).toBe(1_000)
  expect(bucket.take(3)).toBe(1_000)
  expect(bucket.take()).toBe(0)
  clock.advance(1_500)
  expect(bucket.take(3)).toBe(0)
  expect(bucket.waitMs()).toBe(500)
})

test('more than it holds are all that it holds: no call waits forever', () => {
  const clock = new ManualClock()
  const bucket = openTokenBucket({ perSecond: 2, burst: 4 }, clock)
  expect(bucket.take(1_000)).toBe(0)
  expect(bucket.waitMs(1_000)).toBe(2_000)
  clock.advance(2_000)
  expect(bucket.take(1_000)).toBe(0)
})
