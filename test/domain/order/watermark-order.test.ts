import { expect, test } from 'vitest'
import { follows, precedes } from '../../../src/domain/order/watermark-order.ts'

const at = (epoch: number, n: number) => ({ epoch, n })

test.each([
  ['a lower number', at(1, 4), at(1, 5), true],
  ['the same', at(1, 5), at(1, 5), false],
  ['a higher number', at(1, 6), at(1, 5), false],
  ['a lower epoch with a higher number', at(1, 9), at(2, 0), true],
  ['a higher epoch with a lower number', at(2, 0), at(1, 9), false],
])('%s precedes: %j, %j, %s', (_, a, b, expected) => {
  expect(precedes(a, b)).toBe(expected)
})

test.each([
  ['the next number', at(1, 6), at(1, 5), true],
  ['a jump', at(1, 7), at(1, 5), false],
  ['the first of a new epoch', at(2, 0), at(1, 5), true],
  ['the first of an epoch further on', at(9, 0), at(1, 5), true],
  ['a new epoch whose first was missed', at(2, 1), at(1, 5), false],
])('%s follows: %j, %j, %s', (_, next, last, expected) => {
  expect(follows(next, last)).toBe(expected)
})
