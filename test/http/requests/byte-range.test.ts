import { describe, expect, test } from 'vitest'
import { byteRangeOf } from '../../../src/http/requests/byte-range.ts'

describe('a range of ten bytes', () => {
  test.each([
    ['bytes=0-0', [0, 0]],
    ['bytes=2-5', [2, 5]],
    ['bytes=2-', [2, 9]],
    ['bytes=2-99', [2, 9]],
    ['bytes=-3', [7, 9]],
    ['bytes=-99', [0, 9]],
    ['Bytes=2-5', [2, 5]],
    [`bytes=2-${'9'.repeat(400)}`, [2, 9]],
    [`bytes=-${'9'.repeat(400)}`, [0, 9]],
    [`bytes=${'0'.repeat(400)}2-5`, [2, 5]],
  ])('%s', (range, found) => {
    expect(byteRangeOf(range, 10)).toEqual(found)
  })

  test.each([
    undefined,
    '',
    'bytes=-',
    'bytes=5-2',
    'bytes=12-11',
    'bytes=0-1,3-4',
    `bytes=${'0-0,'.repeat(1_000)}0-0`,
    'rows=0-1',
    'bytes=1e1-',
    'bytes=0x1-2',
    'bytes=--5',
    'bytes=-1-2',
    'bytes=+1-2',
    'bytes=1.5-2',
    'bytes=Infinity-',
    'bytes= 0-1',
    'bytes=0-1\n',
    'bytes=\u0661-2',
  ])('%j is the whole', (range) => {
    expect(byteRangeOf(range, 10)).toBe('whole')
  })

  test.each(['bytes=10-', 'bytes=10-11', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    '%s is beyond its end',
    (range) => {
      expect(byteRangeOf(range, 10)).toBe('beyond')
    },
  )

  test('of nothing is the whole, or beyond it', () => {
    expect(byteRangeOf('bytes=-5', 0)).toBe('whole')
    expect(byteRangeOf('bytes=0-', 0)).toBe('beyond')
  })
})
