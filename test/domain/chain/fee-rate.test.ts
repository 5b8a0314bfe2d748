import { expect, test } from 'vitest'
import { feeAt, feeRateText, parseFeeRate } from '../../../src/domain/chain/fee-rate.ts'

test.each(['0', '0.1', '1', '1.5', '12.345', '10000'])('%s sat/vB is read and written', (text) => {
  expect(feeRateText(parseFeeRate(text)!)).toBe(text)
})

test.each(['', '-1', '+1', '01', '1.', '.5', '1.2345', '1e3', ' 1', '1,5'])(
  '%s is not a fee rate',
  (text) => {
    expect(parseFeeRate(text)).toBeNull()
  },
)

test('a fee is rounded up to the sat', () => {
  expect(feeAt(1_000n, 141n)).toBe(141n)
  expect(feeAt(100n, 141n)).toBe(15n)
  expect(feeAt(1_001n, 141n)).toBe(142n)
})
