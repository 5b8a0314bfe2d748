import { describe, expect, test } from 'vitest'
import type { CopiedRecord } from '../../../src/adapters/kafka/copy/raw-record.ts'
import {
  frameOf,
  framesIn,
  headAfter,
  NO_HEAD,
} from '../../../src/operator/backup/log/record-frames.ts'

const record = (more: Partial<CopiedRecord> = {}): CopiedRecord => ({
  ...{ key: Buffer.from('key'), value: Buffer.from('value'), headers: {} },
  ...{ timestamp: 1_764_288_000_000, offset: 2 ** 40, ...more },
})

const RECORDS: Readonly<Record<string, CopiedRecord>> = {
  'of a key and a value': record(),
  'without a key': record({ key: null }),
  'that deletes its key': record({ value: null }),
  'of empty parts': record({ key: Buffer.alloc(0), value: Buffer.alloc(0) }),
  'of bytes that are no text': record({ value: Buffer.from([0, 255, 128]) }),
  'with headers': record({
    headers: { place: Buffer.from('{}'), many: [Buffer.from('a'), Buffer.from('b')] },
  }),
}

describe('a record in a file', () => {
  test.each(Object.entries(RECORDS))('%s is read as it was written', (_, one) => {
    const bytes = Buffer.concat([frameOf(one), frameOf(record({ offset: 7 }))])
    const found = [...framesIn(bytes)]
    expect(found.map((framed) => framed.record)).toEqual([one, record({ offset: 7 })])
    expect(Buffer.concat(found.map(({ frame }) => frame))).toEqual(bytes)
  })

  test('is not read if it is cut', () => {
    const bytes = frameOf(record())
    for (let length = 1; length < bytes.length; length += 1)
      expect(() => [...framesIn(bytes.subarray(0, length))]).toThrow(RangeError)
  })
})

describe('the head of a partition', () => {
  const headOf = (records: readonly CopiedRecord[]) =>
    records.map(frameOf).reduce(headAfter, NO_HEAD)
  const [one, other] = [record({ offset: 1 }), record({ offset: 2 })]

  test.each<[string, CopiedRecord[]]>([
    ['another order', [other, one]],
    ['fewer records', [one]],
    ['another offset', [one, record({ offset: 3 })]],
    ['another value', [one, { ...other, value: Buffer.from('valuE') }]],
    ['no value', [one, { ...other, value: null }]],
  ])('differs for %s', (_, records) => {
    expect(headOf(records)).not.toBe(headOf([one, other]))
  })

  test('does not cover the time of a record, which a restore may change', () => {
    expect(headOf([one, { ...other, timestamp: 1 }])).toBe(headOf([one, other]))
  })
})
