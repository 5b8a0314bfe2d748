import { expect, test } from 'vitest'
import { at, fields, rowsOf, sats, shortened, textOf } from '../../demo/stage/readable.ts'

const TXID = `0123abcd${'0'.repeat(48)}ffff4567`
const ADDRESS = 'bcrt1pk860sv00qzgpvzngz5xmqvnnm2xlgqtlj2pqu8ccjzxxvu8y9z5qz0ez3f'

test.each([
  ['a txid', TXID, '0123abcd…4567'],
  ['an inscription', `${TXID}i12`, '0123abcd…4567i12'],
  ['an outpoint', `${TXID}:1`, '0123abcd…4567:1'],
  ['a path', `orders/${TXID}/quote`, 'orders/0123abcd…4567/quote'],
  ['a taproot script', `5120${TXID}`, '51200123…4567'],
  ['a transaction', TXID.repeat(4), `${TXID.slice(0, 24)}… (256 characters)`],
  ['a PSBT', 'cHNidP8B'.repeat(20), `${'cHNidP8B'.repeat(3)}… (160 characters)`],
  ['an address', ADDRESS, 'bcrt1pk860…ez3f'],
  ['a sentence', 'nothing of it', 'nothing of it'],
])('%s is shortened to what distinguishes it', (_title, text, short) => {
  expect(shortened(text)).toBe(short)
})

test('a body is a line a field', () => {
  const outpoint = { txid: TXID, vout: 2 }
  expect(rowsOf({ outpoint, paddings: [outpoint, outpoint], none: [], count: 3 })).toEqual([
    ['outpoint', '0123abcd…4567:2'],
    ['paddings', '0123abcd…4567:2\n0123abcd…4567:2'],
    ['none', 'none'],
    ['count', '3'],
  ])
  expect(textOf({ inscriptionId: `${TXID}i0`, outpoint })).toBe(
    'inscriptionId 0123abcd…4567i0, outpoint 0123abcd…4567:2',
  )
  expect([textOf(undefined), textOf(null)]).toEqual(['–', 'null'])
})

test('a field is found by its dotted path', () => {
  const answer = { orders: [{ id: 'x' }], total: 1 }
  expect(at(answer, 'orders.0.id')).toBe('x')
  expect(at(answer, 'orders.1.id')).toBeUndefined()
  expect(fields('total', 'orders.0.id')(answer)).toEqual([
    ['total', '1'],
    ['orders.0.id', 'x'],
  ])
})

test('sats are grouped for the reader', () => {
  expect([sats(10_000n), sats('0')]).toEqual(['10,000 sats', '0 sats'])
})
