import { expect, test } from 'vitest'
import { sizeText } from '../../../src/operator/usage/usage-table.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.00 kB'],
  [9_994, '9.99 kB'],
  [9_996, '10.0 kB'],
  [99_960, '100 kB'],
  [999_600, '1.00 MB'],
  [1_760_000_000_000, '1.76 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
