import { expect, test } from 'vitest'
import { backoffMs } from '../../src/runtime/backoff.ts'

test('a wait doubles with each failure in a row, up to its bound, however many there are', () => {
  const backoff = { firstMs: 250, lastMs: 5_000 }
  const waits = [0, 1, 2, 3, 4, 5, 6, 100, 10_000].map((failures) => backoffMs(failures, backoff))
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000])
})
