import { expect, test } from 'vitest'
import { placesOf } from '../../src/operator/plan-fold.ts'

test.each([
  ['one block', 7, 7, [[7, 1]]],
  [
    'fewer blocks than places',
    0,
    2,
    [
      [0, 1],
      [1, 1],
      [2, 1],
    ],
  ],
  [
    'as many as are sampled',
    10,
    29,
    [
      [10, 4],
      [14, 4],
      [18, 4],
      [22, 4],
      [26, 4],
    ],
  ],
  [
    'many',
    100_000,
    199_999,
    [
      [109_998, 4],
      [129_998, 4],
      [149_998, 4],
      [169_998, 4],
      [189_998, 4],
    ],
  ],
])('places of %s are spread over the range, and overlap nowhere', (_, from, tip, places) => {
  expect(placesOf(from, tip).map(({ height, count }) => [height, count])).toEqual(places)
})

test('no place leaves the range, whatever its length', () => {
  for (let blocks = 1; blocks < 60; blocks += 1) {
    const heights = placesOf(1_000, 999 + blocks).flatMap(({ height, count }) =>
      Array.from({ length: count }, (_, at) => height + at),
    )
    expect(new Set(heights).size).toBe(heights.length)
    expect(heights).toEqual([...heights].sort((a, b) => a - b))
    expect(heights.length).toBe(Math.min(blocks, heights.length))
    expect(heights.every((height) => height >= 1_000 && height < 1_000 + blocks)).toBe(true)
  }
})
