import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashWord } from '../../../src/domain/order/hash-word.ts'

test('a word is four bytes of the hash of the text, big-endian', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(7), (text, word) => {
      const hash = createHash('sha256').update(text).digest()
      expect(hashWord(text, word)).toBe(hash.readUInt32BE(4 * word))
    }),
  )
})
