import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SortedSlots } from '../../src/query-index/sorted.ts'

const walked = (sorted: SortedSlots, after: number | null, limit = Number.POSITIVE_INFINITY) => {
  const slots: number[] = []
  sorted.walk(after, (slot) => {
    slots.push(slot)
    return slots.length < limit
  })
  return slots
}

test('slots stay in order through splits of blocks, moves and removals', () => {
  const step = fc.record({ slot: fc.nat(4_999), value: fc.nat(400) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 3_000, maxLength: 6_000 }), (steps) => {
      const values = new Map<number, number>()
      const sorted = new SortedSlots((a, b) => values.get(a)! - values.get(b)! || a - b)
      for (const { slot, value } of steps) {
        if (values.has(slot)) sorted.remove(slot)
        if (value === 0) values.delete(slot)
        else values.set(slot, value)
        if (value !== 0) sorted.insert(slot)
      }
      const expected = [...values.keys()].sort((a, b) => values.get(a)! - values.get(b)! || a - b)
      expect(walked(sorted, null)).toEqual(expected)
      const middle = Math.floor(expected.length / 2)
      expect(walked(sorted, expected[middle]!, 10)).toEqual(expected.slice(middle + 1, middle + 11))
    }),
    { numRuns: 8 },
  )
})

test('all slots can be removed and added again', () => {
  const sorted = new SortedSlots((a, b) => a - b)
  const slots = Array.from({ length: 2_500 }, (_, n) => (n * 1_009) % 2_500)
  for (const slot of slots) sorted.insert(slot)
  for (const slot of slots) sorted.remove(slot)
  expect(walked(sorted, null)).toEqual([])
  sorted.insert(7)
  expect(walked(sorted, 3)).toEqual([7])
  expect(walked(sorted, 7)).toEqual([])
  expect(() => sorted.remove(8)).toThrow('slot 8 is not where its values say')
})
