import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRateLimiter } from '../../src/runtime/rate-limiter.ts'
import { ManualClock } from '../support/manual-clock.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a burst at once, then one after another, in the order of the requests', async () => {
  const clock = new ManualClock()
  const budget = openRateLimiter({ perSecond: 2, burst: 3 }, clock)
  const letThrough: number[] = []
  for (let n = 0; n < 6; n += 1) void budget.take().then(() => letThrough.push(n))
  await settle()
  expect(letThrough).toEqual([0, 1, 2])
  clock.advance(499)
  await settle()
  expect(letThrough).toHaveLength(3)
  clock.advance(1)
  await settle()
  expect(letThrough).toEqual([0, 1, 2, 3])
  clock.advance(1_000)
  await settle()
  expect(letThrough).toEqual([0, 1, 2, 3, 4, 5])
})

test('a cancelled wait ends at once', async () => {
  const clock = new ManualClock()
  const budget = openRateLimiter({ perSecond: 1, burst: 1 }, clock)
  await budget.take()
  await budget.take(AbortSignal.abort())
  const [first, behind] = [new AbortController(), new AbortController()]
  const waiting = [budget.take(first.signal), budget.take(behind.signal)]
  behind.abort()
  await waiting[1]
  first.abort()
  await waiting[0]
})

test('a cancelled wait leaves its turn to the next', async () => {
  const clock = new ManualClock()
  const budget = openRateLimiter({ perSecond: 1, burst: 2 }, clock)
  // Turns that were never taken leave the burst whole.
  for (let n = 0; n < 5; n += 1) await budget.take(AbortSignal.abort())
  const letThrough: string[] = []
  const take = (name: string, signal?: AbortSignal) =>
    void budget.take(signal).then(() => letThrough.push(name))
  const gone = [new AbortController(), new AbortController(), new AbortController()]
  take('first')
  take('second')
  for (const { signal } of gone) take('gone', signal)
  take('third')
  await settle()
  expect(letThrough).toEqual(['first', 'second'])
  clock.advance(500)
  for (const leaver of gone) leaver.abort()
  await settle()
  expect(letThrough).toEqual(['first', 'second', 'gone', 'gone', 'gone'])
  clock.advance(499)
  await settle()
  expect(letThrough).not.toContain('third')
  clock.advance(1)
  await settle()
  expect(letThrough).toContain('third')
})

test('never more in any period than its rate and one burst', async () => {
  const step = fc.record({
    ask: fc.integer({ min: 0, max: 20 }),
    waitMs: fc.integer({ min: 0, max: 3_000 }),
  })
  const rate = fc.record({
    perSecond: fc.integer({ min: 1, max: 50 }),
    burst: fc.integer({ min: 1, max: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(rate, fc.array(step, { maxLength: 20 }), async (limit, steps) => {
      const clock = new ManualClock()
      const budget = openRateLimiter(limit, clock)
      const times: number[] = []
      for (const { ask, waitMs } of steps) {
        for (let n = 0; n < ask; n += 1) void budget.take().then(() => times.push(clock.now()))
        await settle()
        clock.advance(waitMs)
        await settle()
      }
      times.forEach((from, first) => {
        times.slice(first).forEach((to, count) => {
          const allowed = limit.burst + ((to - from) / 1_000) * limit.perSecond
          // Waits that are due are resolved together at the end of a step of the clock.
          const late = (Math.max(...steps.map(({ waitMs }) => waitMs)) / 1_000) * limit.perSecond
          expect(count + 1).toBeLessThanOrEqual(Math.ceil(allowed + late) + 1)
        })
      })
    }),
    { numRuns: 50 },
  )
})
