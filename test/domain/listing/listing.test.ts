import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareText, hasWordPrefix } from '../../../src/domain/listing/listing.ts'

test('texts are compared as their UTF-8 bytes are', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 6 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 2_000 },
  )
  expect(compareText('\u{1f600}', '\uffee')).toBeGreaterThan(0)
})

test('a prefix is found where a word begins, and nowhere else', () => {
  const cases: [string, string, boolean][] = [
    ['rare punk', 'punk', true],
    ['rare punk', 'rare p', true],
    ['rare punk', 'unk', false],
    ['a b c d e f g h', 'h', true],
    ['a b c d e f g h i', 'i', false],
    ['-------x', 'x', true],
    ['--------x', 'x', false],
    ['$punk', 'punk', true],
    ['$punk', '$p', true],
    ['cryptopunk punk', 'punk', true],
    ['été', 'té', false],
    ['𝔘ni', 'ni', false],
  ]
  for (const [text, prefix, found] of cases) expect(hasWordPrefix(text, prefix), text).toBe(found)
})
