import { expect, test } from 'vitest'
import { type Second, slopeAnHour } from '../../bench/soak/figures.ts'

const second = (at: number, heapMb: number): Second => {
  return { at, heapMb, rssMb: 300, reads: 10, p99Ms: 5, lagMs: 1_000 }
}

test('a slope is what a measure grows by in an hour', () => {
  expect(slopeAnHour([second(1, 10), second(2, 11), second(3, 12)], 'heapMb')).toBeCloseTo(3_600)
  expect(slopeAnHour([second(1, 10), second(2, 12), second(3, 10)], 'heapMb')).toBeCloseTo(0)
  expect(slopeAnHour([second(1, 10), second(2, 11)], 'rssMb')).toBe(0)
  expect(slopeAnHour([second(1, 10)], 'heapMb')).toBe(0)
})
