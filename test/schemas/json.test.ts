import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSON_LIMITS, JsonRefusedError, parseJson } from '../../src/schemas/json.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
/** Far below what other requests would notice, far above what these take here. */
const MAX_MS = 2_000

const refused = (text: string): string => {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof JsonRefusedError) return error.message
    throw error
  }
  return 'parsed'
}

describe('what JSON readers disagree on is refused with its name', () => {
  test.each([
    ['{"a":1,"a":2}', 'the name "a" stands twice in one object'],
    ['{"a":1,"\\u0061":2}', 'the name "a" stands twice in one object'],
    ['{"a":{"b":1},"b":2,"a":[]}', 'the name "a" stands twice in one object'],
    ['{"__proto__":{}}', 'the name "__proto__" is not allowed'],
    ['{"\\u005f_proto__":{}}', 'the name "__proto__" is not allowed'],
    ['{"constructor":{"prototype":1}}', 'the name "constructor" is not allowed'],
    ['["\\ud800"]', 'the JSON holds a lone surrogate'],
    ['{"\\udfff":1}', 'the JSON holds a lone surrogate'],
    ['\uFEFF{}', 'the JSON starts with a byte order mark'],
    ['[1e400]', 'the JSON holds a number that cannot be kept exactly'],
    ['[-1e400]', 'the JSON holds a number that cannot be kept exactly'],
    ['[1e-400]', 'the JSON holds a number that cannot be kept exactly'],
    ['[9007199254740993]', 'the JSON holds a number that cannot be kept exactly'],
    ['[1000.00000000000000000001]', 'the JSON holds a number that cannot be kept exactly'],
    [`[1.${'0'.repeat(1_000_000)}1]`, 'the JSON holds a number that cannot be kept exactly'],
    ['['.repeat(10_000), `the JSON is nested deeper than ${JSON_LIMITS.depth} levels`],
    ['{"a":'.repeat(10_000), `the JSON is nested deeper than ${JSON_LIMITS.depth} levels`],
    [`[${'1,'.repeat(500_000)}1]`, `the JSON holds more than ${JSON_LIMITS.values} values`],
    ['', 'the text is not valid JSON'],
    ['{', 'the text is not valid JSON'],
    ['"abc', 'the text is not valid JSON'],
    ['[01]', 'the text is not valid JSON'],
    ['{} {}', 'the text is not valid JSON'],
    ["{'a':1}", 'the text is not valid JSON'],
    ['NaN', 'the text is not valid JSON'],
  ])('%s', (text, reason) => {
    const begun = performance.now()
    expect(refused(text)).toBe(reason)
    expect(performance.now() - begun).toBeLessThan(MAX_MS)
  })

  test('a refused name is shown shortened', () => {
    const name = 'n'.repeat(500_000)
    expect(refused(`{"${name}":1,"${name}":2}`).length).toBeLessThan(120)
  })
})

test.each([
  ['{"a":1,"b":{"a":2}}', { a: 1, b: { a: 2 } }],
  ['[1.50,1e3,2100000000000000]', [1.5, 1_000, 2_100_000_000_000_000]],
  ['{"a\\"b":"\\\\","":[]}', { 'a"b': '\\', '': [] }],
  ['["\\ud83d\\ude00","😀"]', ['😀', '😀']],
  [' null ', null],
])('%s is read as it is', (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

test('whatever JSON.stringify writes of plain values is read back equal', () => {
  const key = fc.string({ unit: 'grapheme', maxLength: 5 })
  const named = key.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: 'grapheme' }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(named, tie('value'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, (tree) => {
      const text = JSON.stringify(tree)
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
    { numRuns: RUNS },
  )
})

test('any text is either read as JSON.parse reads it, or refused: nothing else is ever thrown', () => {
  const fragment = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1', '-', 'e', '.', 'a')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (sample) => {
      if (refused(sample) === 'parsed') expect(parseJson(sample)).toEqual(JSON.parse(sample))
    }),
    { numRuns: RUNS },
  )
})
