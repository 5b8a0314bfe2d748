import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namesNear } from '../../src/schemas/near-names.ts'

const KNOWN = ['protocol', 'protocols', 'state', 'states', 'priceMin', 'side', 'to', 'from']

test.each<[name: string, near: string[]]>([
  ['protocols_', ['protocols']],
  ['Protocol', ['protocol']],
  ['price_min', ['priceMin']],
  ['PRICE-MIN', ['priceMin']],
  ['pricemn', ['priceMin']],
  ['priceMinn', ['priceMin']],
  ['priceMix', ['priceMin']],
  ['pricMein', ['priceMin']],
  ['form', ['from']],
  ['protocolz', ['protocol', 'protocols']],
  ['stat', ['state']],
  ['minPrice', []],
  ['priceMinSats', []],
  ['sid', []],
  ['tos', []],
  ['s_i-d', []],
  ['utm_source', []],
  ['', []],
  ['__proto__', []],
  ...KNOWN.map((name): [string, string[]] => [name, []]),
])('%j is near %j', (name, near) => {
  expect(namesNear(name, KNOWN)).toEqual(near)
})

/** Every text that one edit makes of a text. */
function* editsOf(text: string, letters: string): Generator<string> {
  for (let at = 0; at <= text.length; at += 1) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    for (const letter of letters) {
      yield before + letter + after
      if (after !== '') yield before + letter + after.slice(1)
    }
    if (after !== '') yield before + after.slice(1)
    if (after.length > 1) yield before + after[1] + after[0] + after.slice(2)
  }
}

test('near are the texts that one edit makes, and no others', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 7 })
  fc.assert(
    fc.property(letters, letters, (name, known) => {
      const isNear = name !== known && [...editsOf(known, 'abc')].includes(name)
      expect(namesNear(name, [known])).toEqual(isNear ? [known] : [])
    }),
    { numRuns: 2_000 },
  )
})
