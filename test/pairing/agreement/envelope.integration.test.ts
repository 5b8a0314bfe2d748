import { createHash } from 'node:crypto'
import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import { hex } from '@scure/base'
import fc from 'fast-check'
import * as tiny from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { isPublicKey, publicKeyOf, sign, verifies } from '../../../src/domain/script/schnorr.ts'
import {
  digestOf,
  MalformedEnvelopeError,
  parseEnvelope,
} from '../../../src/pairing/agreement/envelope.ts'
import { distrustOf, keyProblems, rememberingVerify } from '../../../src/pairing/agreement/trust.ts'
import { privateKeyOf, signerOf, tupleAt, xOnlyOf } from '../../support/pairing/pairing-pipeline.ts'
import { vectorText } from '../../support/vectors.ts'

const sealed = signerOf('A', 'a1').seal(tupleAt(7))
const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** Independent of the code: RFC 8785 of strings is sorted names, and JSON.stringify. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  const entries = Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join()}}`
}
const sha256 = (...parts: Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest()

describe('a signature', () => {
  test('is BIP340 over the tagged hash of the RFC 8785 form of all the rest', () => {
    const { signature, ...rest } = sealed
    const tag = sha256(Buffer.from('pairing/agreement'))
    const digest = sha256(tag, tag, Buffer.from(canonical(rest)))
    expect(Buffer.from(digestOf(sealed))).toEqual(digest)
    const publicKey = hex.decode(xOnlyOf('a1'))
    for (const library of [tiny, bitcoinerlab])
      expect(library.verifySchnorr(digest, publicKey, hex.decode(signature))).toBe(true)
  })

  test('is always the same for the same tuple', () => {
    expect(signerOf('A', 'a1').seal(tupleAt(7))).toEqual(sealed)
    expect(signerOf('A', 'a1').seal(tupleAt(8)).signature).not.toBe(sealed.signature)
  })

  test('of any bytes is verified or not, and never an error', () => {
    const bytes = fc.uint8Array({ maxLength: 70 })
    fc.assert(
      fc.property(bytes, bytes, bytes, (digest, key, signature) => {
        expect(verifies(digest, key, signature)).toBe(false)
        expect(publicKeyOf(key) === null || key.length === 32).toBe(true)
        expect(isPublicKey(key) && key.length !== 32).toBe(false)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the vectors of BIP340', () => {
  test('are verified as they say, and signed to the byte', () => {
    const rows = vectorText('bip340.csv').trim().split(/\r?\n/).slice(1)
    expect(rows.length).toBeGreaterThan(14)
    for (const row of rows) {
      const [, secret = '', key = '', random = '', message = '', signature = '', result] =
        row.split(',')
      const bytes = (text: string) => Buffer.from(text, 'hex')
      const isValid = verifies(bytes(message), bytes(key), bytes(signature))
      expect(isValid, row).toBe(result === 'TRUE')
      // A digest is signed here; other lengths are only ever verified.
      if (secret && message.length === 64 && /^0+$/.test(random))
        expect(Buffer.from(sign(bytes(message), bytes(secret)))).toEqual(bytes(signature))
    }
  })
})

describe('an envelope', () => {
  test('is read as it was signed', () => expect(parseEnvelope(bytesOf(sealed))).toEqual(sealed))

  test('is refused with every leaf missing, doubled, or no string', () => {
    const leaves = (value: object, path: string[] = []): string[][] =>
      Object.entries(value).flatMap(([name, one]) =>
        typeof one === 'string' ? [[...path, name]] : leaves(one as object, [...path, name]),
      )
    const all = leaves(sealed)
    expect(all).toHaveLength(16)
    for (const path of all) {
      const name = path.at(-1) ?? ''
      const edit = (change: (parent: Record<string, unknown>) => void) => {
        const copy = structuredClone(sealed)
        let parent = copy as unknown as Record<string, unknown>
        for (const step of path.slice(0, -1)) parent = parent[step] as Record<string, unknown>
        change(parent)
        return bytesOf(copy)
      }
      for (const wrong of [1, null, true, [], {}, '', undefined]) {
        const bytes = edit((parent) => {
          parent[name] = wrong
        })
        expect(() => parseEnvelope(bytes), `${path.join('.')} ${wrong}`).toThrow(
          MalformedEnvelopeError,
        )
      }
      const twice = JSON.stringify(sealed).replace(`"${name}":`, `"${name}":"x","${name}":`)
      expect(() => parseEnvelope(Buffer.from(twice)), name).toThrow('stands twice')
    }
  })

  test('of strangers is an envelope or malformed, whatever the bytes', () => {
    const text = JSON.stringify(sealed)
    const cut = fc
      .tuple(fc.nat({ max: text.length }), fc.string({ unit: 'binary', maxLength: 4 }))
      .map(([at, piece]) => Buffer.from(text.slice(0, at) + piece + text.slice(at + 1)))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          cut,
          fc.json().map((one) => Buffer.from(one)),
        ),
        (bytes) => {
          try {
            expect(Object.keys(parseEnvelope(bytes))).toHaveLength(5)
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedEnvelopeError)
          }
        },
      ),
    )
  })

  test('of more than 65,536 bytes is not parsed', () => {
    expect(() => parseEnvelope(new Uint8Array(65_537))).toThrow('larger than 65536 bytes')
    expect(() => parseEnvelope(new Uint8Array(65_536))).toThrow('not valid JSON')
  })
})

describe('trust', () => {
  const trusted = {
    A: new Map([
      ['a1', xOnlyOf('a1')],
      ['a2', xOnlyOf('a2')],
    ]),
    B: new Map([['b1', xOnlyOf('b1')]]),
  }
  test('is by letter and key id, several at once', () => {
    const verify = rememberingVerify()
    for (const keyId of ['a1', 'a2'])
      expect(distrustOf(signerOf('A', keyId).seal(tupleAt(1)), 'A', trusted, verify)).toBeNull()
    const b1 = signerOf('B', 'b1').seal(tupleAt(1))
    expect(distrustOf(b1, 'A', trusted, verify)).toBe('wrong_pipeline')
    expect(distrustOf({ ...b1, pipeline: 'A' }, 'A', trusted, verify)).toBe('unknown_key')
    expect(distrustOf({ ...b1, keyId: 'toString' }, 'B', trusted, verify)).toBe('unknown_key')
  })

  test('is remembered by every byte of digest, key and signature', () => {
    const verify = rememberingVerify()
    const digest = digestOf(sealed)
    const wrong = Buffer.from(digest).fill(0)
    for (let again = 0; again < 2; again += 1) {
      expect(verify(digest, xOnlyOf('a1'), sealed.signature)).toBe(true)
      expect(verify(wrong, xOnlyOf('a1'), sealed.signature)).toBe(false)
      expect(verify(digest, xOnlyOf('a2'), sealed.signature)).toBe(false)
      expect(verify(digest, xOnlyOf('a1'), '00'.repeat(64))).toBe(false)
    }
  })

  test('of the own key as the other pipeline’s is a problem', () => {
    const alone = { A: new Map([['a1', xOnlyOf('a1')]]), B: new Map([['b1', xOnlyOf('a1')]]) }
    expect(keyProblems(alone, signerOf('A', 'a1'))).toEqual([
      'the own key is trusted as b1 of pipeline B: the two pipelines need different keys',
    ])
    expect(keyProblems(alone, signerOf('B', 'b1'))).toEqual([
      'the private key is not that of the trusted key b1',
    ])
    expect(keyProblems(alone, null)).toEqual([])
  })

  test('of invalid keys is a problem, and names no secret', () => {
    expect(keyProblems(trusted, signerOf('A', 'a1'))).toEqual([])
    const bad = { A: new Map([['a1', xOnlyOf('a2')]]), B: new Map([['b1', 'ff'.repeat(32)]]) }
    const problems = keyProblems(bad, signerOf('A', 'a1'))
    expect(problems).toEqual([
      'the trusted key b1 of pipeline B is not an x-only public key',
      'the private key is not that of the trusted key a1',
    ])
    expect(problems.join()).not.toContain(privateKeyOf('a1'))
  })
})
