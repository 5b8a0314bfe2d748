import { expect, test } from 'vitest'
import { lookedFor } from '../../console/src/find/looked-for.ts'

const HASH = 'ab'.repeat(32)

test.each([
  [` ${HASH.toUpperCase()} `, { hash: HASH, outpoint: null, address: null, pairing: HASH }],
  [`${HASH}:0`, { hash: null, outpoint: `${HASH}:0`, address: null, pairing: `${HASH}:0` }],
  [`${HASH}:01`, { hash: null, outpoint: null, address: null, pairing: `${HASH}:01` }],
  [`${HASH}i0`, { hash: null, outpoint: null, address: null, pairing: `${HASH}i0` }],
  [
    'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202',
    {
      hash: null,
      outpoint: null,
      address: 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202',
      pairing: 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202',
    },
  ],
  [
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    {
      hash: null,
      outpoint: null,
      address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      pairing: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    },
  ],
  ['ordi', { hash: null, outpoint: null, address: null, pairing: 'ordi' }],
  ['two words', { hash: null, outpoint: null, address: null, pairing: null }],
  ['', { hash: null, outpoint: null, address: null, pairing: null }],
])('%j is looked for as %j', (text, kinds) => {
  expect(lookedFor(text)).toEqual({ text: text.trim(), ...kinds })
})
