import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isPublicKey,
  newPrivateKey,
  publicKeyOf,
  sign,
  verifies,
} from '../../../src/domain/script/schnorr.ts'

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const FIELD = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('a new key signs, the same statement always alike, and only its public key verifies', () => {
  const key = newPrivateKey()
  const [publicKey, other] = [key, newPrivateKey()].map((one) => publicKeyOf(one) as Uint8Array)
  fc.assert(
    fc.property(bytes32, (digest) => {
      const signature = sign(digest, key)
      expect(sign(digest, key)).toEqual(signature)
      expect(verifies(digest, publicKey as Uint8Array, signature)).toBe(true)
      expect(verifies(digest, other as Uint8Array, signature)).toBe(false)
      expect(bitcoinerlab.verifySchnorr(digest, publicKey as Uint8Array, signature)).toBe(true)
    }),
    { numRuns: 20 },
  )
})

test('bytes of any length are no signature, and nothing throws', () => {
  const bytes = fc.uint8Array({ maxLength: 70 })
  fc.assert(
    fc.property(bytes, bytes, bytes, (digest, publicKey, signature) => {
      expect(verifies(digest, publicKey, signature)).toBe(false)
    }),
  )
})

test.each([
  ['', null],
  ['00', null],
  ['00'.repeat(32), null],
  [ORDER, null],
  ['ff'.repeat(32), null],
  ['01'.padStart(64, '0'), '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'],
  // The scalar before the order is the inverse of 1: the same x.
  [`${ORDER.slice(0, -2)}40`, '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'],
])('the public key of %s is %s', (privateKey, publicKey) => {
  expect(publicKeyOf(bytesOf(privateKey))).toEqual(publicKey && bytesOf(publicKey))
})

test('a public key is the x coordinate of a point, in 32 bytes', () => {
  for (const wrong of ['', '00'.repeat(32), FIELD, 'ff'.repeat(32), '79be667e'])
    expect(isPublicKey(bytesOf(wrong)), wrong).toBe(false)
  const generator = publicKeyOf(bytesOf('01'.padStart(64, '0'))) as Uint8Array
  expect(isPublicKey(generator)).toBe(true)
  expect(isPublicKey(Uint8Array.of(2, ...generator))).toBe(false)
  fc.assert(
    fc.property(bytes32, (x) => {
      expect(isPublicKey(x)).toBe(bitcoinerlab.isXOnlyPoint(x))
    }),
  )
})
