import { base64, hex } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { misreadProof } from '../../../src/domain/bip322/misread-proof.ts'
import { readProof } from '../../../src/domain/bip322/read-proof.ts'
import { walletOf } from '../../support/chain/keys.ts'
import { proveOwnership } from '../../support/orders/ownership-proof.ts'

const reasonOf = (text: string): string => {
  const read = readProof(text)
  return 'reason' in read ? read.reason : 'a proof'
}
const bytes = (length: number, first: number) => Uint8Array.of(first, ...new Uint8Array(length - 1))

describe('what is no proof of BIP-322 is named by what it looks like', () => {
  test.each([27, 31, 35, 39, 42])('a signature of BIP-137 with header %i', (header) => {
    const expected = /looks like a signature of BIP-137 .* here BIP-322 is needed/
    expect(reasonOf(base64.encode(bytes(65, header)))).toMatch(expected)
    expect(reasonOf(hex.encode(bytes(65, header)))).toMatch(expected)
  })

  test('one in its armor', () => {
    const armored = `-----BEGIN BITCOIN SIGNED MESSAGE-----\nhello\n-----BEGIN SIGNATURE-----\nx`
    expect(reasonOf(armored)).toContain('frame of dashes')
  })

  test('a PSBT', () => {
    expect(reasonOf(base64.encode(hex.decode('70736274ff01003a')))).toMatch(/^this is a PSBT/)
  })

  test('a bare signature: Schnorr, or DER', () => {
    expect(reasonOf(base64.encode(bytes(64, 0x8a)))).toMatch(/bare signature/)
    const der = hex.decode(`3044022${'0'}${'11'.repeat(32)}0220${'22'.repeat(32)}01`)
    expect(reasonOf(base64.encode(der))).toMatch(/bare signature/)
  })

  test('hexadecimal, of whatever else', () => {
    expect(reasonOf('ab'.repeat(70))).toBe('this looks like hexadecimal; here base64 is needed')
  })

  test('white space, and the rest, as before', () => {
    expect(reasonOf('AAAA\n')).toMatch(/white space/)
    expect(reasonOf('?')).toMatch(/canonical base64/)
    expect(reasonOf(base64.encode(bytes(80, 7)))).toMatch(/neither a witness stack nor/)
  })
})

test('a proof is never misread', () => {
  for (const kind of ['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const) {
    for (const format of ['simple', 'full'] as const) {
      const { text } = proveOwnership(walletOf(kind, 'owner'), 'a message', { format })
      expect(reasonOf(text)).toBe('a proof')
      expect(misreadProof(text)).toBeNull()
    }
  }
})

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      misreadProof(text)
      readProof(text)
    }),
  )
})
