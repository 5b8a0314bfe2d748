import { expect, test } from 'vitest'
import { RefusalThrottle } from '../../../src/http/limits/refusal-throttle.ts'
import { ManualClock } from '../../support/manual-clock.ts'

/** Whether each of so many refusals is answered before any time passes. */
async function answered(throttle: RefusalThrottle, count: number): Promise<number> {
  let at = 0
  for (let n = 0; n < count; n += 1) void throttle.delay().then(() => (at += 1))
  await new Promise(setImmediate)
  return at
}

test('two hundred refusals are answered at once, then twenty a second; the others after a second', async () => {
  const clock = new ManualClock()
  const throttle = new RefusalThrottle(clock)
  expect(await answered(throttle, 200)).toBe(200)
  expect(await answered(throttle, 10)).toBe(0)
  clock.advance(500)
  expect(await answered(throttle, 20)).toBe(10)
  let isAnswered = false
  void throttle.delay().then(() => {
    isAnswered = true
  })
  clock.advance(999)
  await new Promise(setImmediate)
  expect(isAnswered).toBe(false)
  clock.advance(1)
  await new Promise(setImmediate)
  expect(isAnswered).toBe(true)
})

test('no more than 1,024 are held, and their places are free again', async () => {
  const clock = new ManualClock()
  const throttle = new RefusalThrottle(clock)
  await answered(throttle, 200)
  expect(await answered(throttle, 1_024)).toBe(0)
  expect(await answered(throttle, 5)).toBe(5)
  clock.advance(1_000)
  await new Promise(setImmediate)
  expect(await answered(throttle, 20 + 3)).toBe(20)
})
