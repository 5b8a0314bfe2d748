import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  integerOf,
  limitOf,
  parsedLimit,
  parsedObjectKey,
  searchQueryOf,
  txidOf,
  voutOf,
} from '../../../src/pairing/fold/parameters.ts'

// Whatever a client sends, a parameter is a value that may be looked up, or one exact message.

const digits = fc.stringMatching(/^-?[0-9]{1,400}$/)
const hexText = fc.stringMatching(/^[0-9a-fA-FxX]{60,68}$/)
const hostile = fc.oneof(digits, hexText, fc.string({ unit: 'binary' }), fc.anything())

test.each<[string, (value: unknown) => unknown, RegExp, string]>([
  [
    'limit',
    (value) => limitOf(parsedLimit(value, 50)),
    /^([1-9]|[1-9]\d|1\d\d|200)$/,
    'Validation failed (numeric string is expected) | limit must be between 1 and 200',
  ],
  [
    'vout',
    (value) => voutOf(integerOf(value)),
    /^\d{1,10}$/,
    'Validation failed (numeric string is expected) | vout is invalid',
  ],
  ['object key', parsedObjectKey, /^[0-9a-f]{64}$/, 'object key must be 32-byte hex'],
  ['txid', txidOf, /^[0-9a-f]{64}$/, 'txid must be 32-byte hex'],
  [
    'q',
    searchQueryOf,
    /^[A-Za-z0-9:._-]{1,128}$/,
    'search query must contain between 1 and 128 characters | search query contains unsupported characters',
  ],
])('%s has its form or is refused with its message', (_name, read, form, messages) => {
  fc.assert(
    fc.property(hostile, (value) => {
      try {
        expect(String(read(value))).toMatch(form)
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'InvalidQuestionError') throw error
        expect(messages.split(' | ')).toContain(error.message)
      }
    }),
    { numRuns: 2_000 },
  )
})
