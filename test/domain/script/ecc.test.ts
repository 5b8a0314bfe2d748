import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import fc from 'fast-check'
import * as tiny from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { verifiesEcdsa, verifiesSchnorr } from '../../../src/domain/script/ecc.ts'
import { vectorText } from '../../support/vectors.ts'

const LIBRARIES = [tiny, bitcoinerlab]
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

describe('BIP-340', () => {
  test('every 32-byte message of the vectors, by both libraries', () => {
    const rows = vectorText('bip340.csv')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(','))
    let checked = 0
    for (const [index, , key, , message, signature, result] of rows) {
      if (message?.length !== 64) continue
      for (const ecc of LIBRARIES) {
        const verdict = verifiesSchnorr(ecc, bytes(message), bytes(key!), bytes(signature!))
        expect(verdict, `vector ${index}`).toBe(result === 'TRUE')
      }
      checked += 1
    }
    expect(checked).toBeGreaterThanOrEqual(15)
  })
})

test('for any bytes, both libraries give the same answer', () => {
  const near = fc.oneof(
    fc.uint8Array({ minLength: 0, maxLength: 66 }),
    fc.constantFrom(new Uint8Array(32), new Uint8Array(64).fill(0xff), new Uint8Array(64)),
  )
  const secret = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter((key) => tiny.isPrivate(key))
  const digest = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(secret, digest, near, fc.nat(6), (key, hash, odd, what) => {
      const point = tiny.pointFromScalar(key, true)!
      const xonly = point.slice(1)
      const ecdsa = what === 0 ? odd : tiny.sign(hash, key)
      const schnorr = what === 1 ? odd : tiny.signSchnorr(hash, key)
      const by = (ecc: typeof tiny | typeof bitcoinerlab) => [
        verifiesEcdsa(ecc, hash, what === 2 ? odd : point, ecdsa),
        verifiesSchnorr(ecc, hash, what === 3 ? odd : xonly, schnorr),
      ]
      const [one, other] = LIBRARIES.map(by)
      expect(one).toEqual(other)
      if (what > 3) expect(one).toEqual([true, true])
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
  )
})
