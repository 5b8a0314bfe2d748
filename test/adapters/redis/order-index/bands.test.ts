import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BandTree,
  bandsOf,
  coverOf,
  PRICE_BANDS,
  PRICE_END,
  TIME_BANDS,
  TIME_END,
} from '../../../../src/adapters/redis/order-index/bands.ts'

const trees: [name: string, tree: BandTree, end: bigint, most: number][] = [
  ['prices', PRICE_BANDS, PRICE_END, 64],
  ['times', TIME_BANDS, TIME_END, 128],
]

/** Of every magnitude, evenly. */
const numbers = (end: bigint) =>
  fc
    .tuple(fc.bigInt({ min: 0n, max: end }), fc.integer({ min: 0, max: 51 }))
    .map(([value, shift]) => value >> BigInt(shift))

test.each(trees)(
  'a number is covered exactly once by the bands of a range of %s if it is in the range, else not',
  (_name, tree, end, most) => {
    fc.assert(
      fc.property(numbers(end), numbers(end), numbers(end), (one, other, value) => {
        const [from, to] = one < other ? [one, other] : [other, one]
        const { whole, ends } = coverOf(tree, from, to)
        expect(whole.length + ends.length).toBeLessThanOrEqual(most)
        for (const number of [value, from, to, from - 1n, to + 1n]) {
          if (number < 0n || number > end) continue
          const ways =
            bandsOf(tree, number).filter((name) => whole.includes(name)).length +
            ends.filter(([low, high]) => low <= number && number <= high).length
          expect(ways).toBe(number >= from && number <= to ? 1 : 0)
        }
      }),
      { numRuns: 300 },
    )
  },
)

test('a number is in one band of each width, and round prices end a range without a remainder', () => {
  expect(bandsOf(PRICE_BANDS, 7n)).toEqual(['price^2^', 'price^2^0', 'price^2^07'])
  expect(bandsOf(PRICE_BANDS, 123_456n)).toEqual(['price^6^', 'price^6^1', 'price^6^12'])
  expect(coverOf(PRICE_BANDS, 10_000n, 499_999n)).toEqual({
    whole: ['price^5^', 'price^6^1', 'price^6^2', 'price^6^3', 'price^6^4'],
    ends: [],
  })
  expect(coverOf(PRICE_BANDS, 1_000n, PRICE_END).ends).toEqual([])
})
