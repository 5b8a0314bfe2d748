import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../../../src/domain/json/exact-json.ts'

describe('parseExactJson', () => {
  test('a fraction, an exponent and a long integer keep their digits', () => {
    expect(parseExactJson('{"value": 0.12345678, "n": 3}')).toEqual({ value: '0.12345678', n: 3 })
    expect(parseExactJson('[50.00000000, -0.1, 4.6e-10, 1E5]')).toEqual([
      '50.00000000',
      '-0.1',
      '4.6e-10',
      '1E5',
    ])
    expect(parseExactJson('[340282366920938463463374607431768211455]')).toEqual([
      '340282366920938463463374607431768211455',
    ])
    expect(parseExactJson('[999999999999999, 1000000000000000]')).toEqual([
      999999999999999,
      '1000000000000000',
    ])
  })

  test('numbers within strings are not touched, escaped quotes and all', () => {
    const text = String.raw`{"a\"1.5": "0.1 \\", "b": "\"2.5\"", "c": 1.5}`
    expect(parseExactJson(text)).toEqual({ 'a"1.5': '0.1 \\', b: '"2.5"', c: '1.5' })
  })

  test.each(['01.5', '[1.5.5]', '[1.]', '[.5]', '{"a":1.5,}', '[1.5', '"1.5', ''])(
    'refuses %s as JSON.parse does',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError)
    },
  )

  test('gives what JSON.parse gives, except for the numbers that it keeps as text', () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        numbers,
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    }))
    fc.assert(
      fc.property(value, (document) => {
        const text = JSON.stringify(document)
        const exact = parseExactJson(text)
        expect(floats(exact, JSON.parse(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) },
    )
  })

  test('a string of megabytes is cheap', () => {
    const hex = '0123456789abcdef'.repeat(500_000)
    expect(parseExactJson(JSON.stringify({ hex, value: 1 }))).toEqual({ hex, value: 1 })
  })
})

/** Turns texts back to numbers where the plain parse has a number at the same place. */
function floats(exact: unknown, plain: unknown): unknown {
  if (typeof plain === 'number' && typeof exact === 'string') return Number(exact)
  if (Array.isArray(plain) && Array.isArray(exact))
    return exact.map((item, i) => floats(item, plain[i]))
  if (isRecord(plain) && isRecord(exact))
    return Object.fromEntries(
      Object.entries(exact).map(([key, item]) => [key, floats(item, plain[key])]),
    )
  return exact
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
