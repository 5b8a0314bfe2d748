import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { runeLanding } from '../../src/domain/assets/runestone.ts'
import { judgeProof } from '../../src/domain/bip322/judge-proof.ts'
import { canonicalJson } from '../../src/domain/json/canonical-json.ts'
import { scriptOfAddress } from '../../src/domain/script/address.ts'
import { fieldCases } from '../support/field/field-cases.ts'

// What other projects reported, or carry in their tests, as pure functions answer it.

test('every case is there', () => {
  const kinds = ['inspect', 'event', 'proof', 'recipe', 'bundle', 'json', 'runes'] as const
  const counts = kinds.map((kind) => [kind, fieldCases(kind).length])
  expect(Object.fromEntries(counts)).toEqual({
    inspect: 18,
    event: 4,
    proof: 4,
    recipe: 2,
    bundle: 1,
    json: 1,
    runes: 1,
  })
})

describe('proofs of ownership', () => {
  test.each(fieldCases('proof'))('$name: $what', ({ input, expected }) => {
    const { address, message, proof } = input
    const scriptHex = scriptOfAddress(address, 'mainnet') ?? ''
    const answer = judgeProof({ message, scriptHex, proof }, ecc)
    expect(answer.status).toBe(expected.status)
    const reason = 'reason' in answer ? answer.reason : ''
    if (expected.reasonSaysWhitespace) expect(reason).toMatch(/white space/)
  })
})

describe('where runes go', () => {
  test.each(fieldCases('runes'))('$name: $what', ({ input, expected }) => {
    expect(runeLanding(input.outputScriptsHex)).toEqual(expected.landing)
  })
})

describe('canonical JSON', () => {
  test.each(fieldCases('json'))('$name: $what', ({ input }) => {
    for (const text of input.jsonTexts) expect(() => canonicalJson(JSON.parse(text))).toThrow()
  })
})
