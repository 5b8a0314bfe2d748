import { expect, test } from 'vitest'
import { withDeadline } from '../../src/runtime/deadline.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { ManualClock } from '../support/manual-clock.ts'

const NEVER = new AbortController().signal
const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })

test('work that takes too long is aborted, even after garbage collection', async () => {
  const clock = new ManualClock()
  const told = withDeadline(clock, 100, NEVER, aborted)
  await clock.turn()
  collectGarbage()
  clock.advance(100)
  expect(await told).toMatchObject({
    name: 'TimeoutError',
    message: 'not finished within 100 ms',
  })
})

test('abandoned work is aborted', async () => {
  const stop = new AbortController()
  const told = withDeadline(new ManualClock(), 100, stop.signal, aborted)
  stop.abort('the end')
  expect(await told).toBe('the end')
  expect(await withDeadline(new ManualClock(), 100, stop.signal, aborted)).toBe('the end')
})

test('the work’s result or error is passed on, and nothing is left behind', async () => {
  const stop = new AbortController()
  let kept: AbortSignal | null = null
  const done = await withDeadline(new ManualClock(), 100, stop.signal, async (signal) => {
    kept = signal
    return 'done'
  })
  expect([done, kept]).toMatchObject(['done', { aborted: true }])
  const failing = withDeadline(new ManualClock(), 100, NEVER, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
})
