import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { canonicalJson } from '../../../src/domain/json/canonical-json.ts'
import { vector } from '../../support/vectors.ts'

test('writes what the library writes, whatever the keys and texts', () => {
  const key = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('10', '9', 'a', 'B', 'é', 'toJSON', '__proto__', '\\ud800', '"', '\u2028'),
  )
  const any = fc.object({ key, maxDepth: 3, values: [fc.string(), fc.double(), fc.boolean()] })
  fc.assert(
    fc.property(any, (value) => {
      expect(attempt(() => canonicalJson(value))).toEqual(attempt(() => canonicalize(value)))
    }),
  )
})

test.each([
  [
    'keys in the order of their UTF-16 units',
    { b: 1, a: 2, é: 3, B: 4 },
    '{"B":4,"a":2,"b":1,"é":3}',
  ],
  ['keys that look like indices too', { 10: 1, 9: 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
  ['objects within lists', [{ b: null, a: [] }, {}], '[{"a":[],"b":null},{}]'],
  ['no field that is undefined', { a: undefined, b: 1e21 }, '{"b":1e+21}'],
  ['a key that sets a prototype', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ['what only looks like an escape', { a: '\\ud800' }, '{"a":"\\\\ud800"}'],
])('%s', (_, value, text) => {
  expect(canonicalJson(value)).toBe(text)
})

test.each([
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '\ud800',
  { a: ['\udc00'] },
  { '\ud800': 1 },
  undefined,
])('has no form of %s', (value) => {
  expect(() => canonicalJson(value)).toThrow()
})

test('writes the vectors of RFC 8785 to the byte', () => {
  const Case = z.object({ case: z.string(), inputHex: z.string(), canonicalHex: z.string() })
  const cases = z.array(Case).parse(vector('rfc8785.json'))
  expect(cases).toHaveLength(6)
  for (const { case: name, inputHex, canonicalHex } of cases) {
    const written = canonicalJson(JSON.parse(Buffer.from(inputHex, 'hex').toString()))
    expect(Buffer.from(written).toString('hex'), name).toBe(canonicalHex)
  }
})

/** What it gives; null where it throws. */
function attempt<T>(run: () => T): T | null {
  try {
    return run()
  } catch {
    return null
  }
}
