import { expect, test } from 'vitest'
import { HeldRefusals } from '../../src/http/limits/held-refusals.ts'
import { ManualClock } from '../support/manual-clock.ts'

/** Whether each of so many refusals is answered before any time passes. */
async function answered(refusals: HeldRefusals, count: number): Promise<number> {
  let at = 0
  for (let n = 0; n < count; n += 1) void refusals.turn().then(() => (at += 1))
  await new Promise(setImmediate)
  return at
}

test('two hundred refusals are answered at once, then twenty a second; the others after a second', async () => {
  const clock = new ManualClock()
  const refusals = new HeldRefusals(clock)
  expect(await answered(refusals, 200)).toBe(200)
  expect(await answered(refusals, 10)).toBe(0)
  clock.advance(500)
  expect(await answered(refusals, 20)).toBe(10)
  let isAnswered = false
  void refusals.turn().then(() => {
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
  const refusals = new HeldRefusals(clock)
  await answered(refusals, 200)
  expect(await answered(refusals, 1_024)).toBe(0)
  expect(await answered(refusals, 5)).toBe(5)
  clock.advance(1_000)
  await new Promise(setImmediate)
  expect(await answered(refusals, 20 + 3)).toBe(20)
})
