import { expect, test } from 'vitest'
import { Pace } from '../../../src/cli/terminal/pace.ts'

const at = (step: string, done: number, all: number | null) => ({ step, done, all })

test('there is a rate after a second, and what is left at that rate', () => {
  const pace = new Pace()
  expect(pace.after(at('fold', 0, 10_000), 0)).toBe('')
  expect(pace.after(at('fold', 500, 10_000), 500)).toBe('')
  expect(pace.after(at('fold', 2_000, 10_000), 2_000)).toBe('  1k/s, 8 s left')
  expect(pace.after(at('fold', 10_000, 10_000), 10_000)).toBe('  1k/s')
})

test('without a total there is no remaining time, and without progress nothing at all', () => {
  const pace = new Pace()
  pace.after(at('read', 0, null), 0)
  expect(pace.after(at('read', 30, null), 2_000)).toBe('  15/s')
  expect(new Pace().after(at('read', 30, null), 2_000)).toBe('')
  const still = new Pace()
  still.after(at('read', 5, 9), 0)
  expect(still.after(at('read', 5, 9), 60_000)).toBe('')
})

test('it is the recent rate, and that of this step', () => {
  const pace = new Pace()
  for (let second = 0; second <= 60; second += 1)
    pace.after(at('fold', second * 100, null), second * 1_000)
  for (let second = 61; second < 120; second += 1)
    pace.after(at('fold', 6_000 + (second - 60) * 2, null), second * 1_000)
  expect(pace.after(at('fold', 6_120, null), 120_000)).toBe('  2/s')
  expect(pace.after(at('write', 0, 7_000_000), 121_000)).toBe('')
  expect(pace.after(at('write', 1_500, 7_000_000), 122_000)).toBe('  1.5k/s, 1 h 17 m left')
})
