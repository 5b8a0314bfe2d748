import { bech32, bech32m } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { carrierAddressOf } from '../../../src/pairing/fold/carrier-address.ts'
import type { Network } from '../../../src/schemas/scalars.ts'

// Spec 7 rule 6, and the eight failures of the design.

const REFUSAL = 'address is not a valid carrier P2WSH address'
const program = Uint8Array.from({ length: 32 }, (_, index) => index + 1)
const encode = (prefix: string, version: number, bytes: Uint8Array, coder = bech32): string =>
  coder.encode(prefix, [version, ...coder.toWords(bytes)], false)
const valid = encode('tb', 0, program)
const replaced = (at: number, by: string): string => valid.slice(0, at) + by + valid.slice(at + 1)
/** 52 words hold 260 bits: the last 4 are padding, here not zero. */
const padded = (): string => {
  const words = bech32.toWords(program)
  return bech32.encode('tb', [0, ...words.slice(0, -1), (words.at(-1) ?? 0) | 1])
}

describe('an address is refused [pairing 7 rule 6]', () => {
  test.each<[string, unknown]>([
    ['missing', undefined],
    ['empty', ''],
    ['that came twice', [valid, valid]],
    ['longer than 90 characters', encode('tb', 0, new Uint8Array(54))],
    ['of many characters', 'tb1'.padEnd(15_000, 'q')],
    ['in mixed case', valid.replace('tb1q', 'tb1Q')],
    ['in mixed case, by its prefix', valid.replace('tb', 'TB')],
    ['with a character that bech32 lacks', replaced(20, 'b')],
    ['with a character outside ASCII', replaced(20, '\u212a')],
    ['with white space', ` ${valid}`],
    ['without a separator', valid.replace('1', '')],
    ['with a wrong checksum', replaced(valid.length - 1, valid.endsWith('q') ? 'p' : 'q')],
    ['with the checksum of bech32m', encode('tb', 0, program, bech32m)],
    ['that is P2TR', encode('tb', 1, program, bech32m)],
    ['of mainnet', encode('bc', 0, program)],
    ['of regtest', encode('bcrt', 0, program)],
    ['of another chain', encode('ltc', 0, program)],
    ['of witness version 1', encode('tb', 1, program)],
    ['of witness version 16', encode('tb', 16, program)],
    ['that is P2WPKH', encode('tb', 0, program.slice(0, 20))],
    ['of 31 bytes', encode('tb', 0, program.slice(0, 31))],
    ['of 33 bytes', encode('tb', 0, new Uint8Array(33))],
    ['with a padding that is not zero', padded()],
    ['with no program', bech32.encode('tb', [0])],
    ['with no words', bech32.encode('tb', [])],
    ['that is base58', '2N3oefVeg6stiTb5Kh3ozCSkaqmx91FDbsm'],
  ])('%s', (_what, address) => {
    expect(() => carrierAddressOf(address, 'signet')).toThrow(REFUSAL)
  })
})

test.each<[Network, string]>([
  ['mainnet', 'bc'],
  ['signet', 'tb'],
  ['regtest', 'bcrt'],
])('one of %s is accepted only there, uppercase as well [pairing 7 rule 6]', (network, prefix) => {
  const address = encode(prefix, 0, program)
  expect(carrierAddressOf(address, network)).toBe(address)
  expect(carrierAddressOf(address.toUpperCase(), network)).toBe(address)
  for (const other of ['mainnet', 'signet', 'regtest'] as const)
    if (other !== network) expect(() => carrierAddressOf(address, other)).toThrow(REFUSAL)
})

test('the vector of BIP173', () => {
  const address = 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3'
  expect(carrierAddressOf(address, 'mainnet')).toBe(address)
})

test('any text is an address or the refusal', () => {
  const near = fc
    .tuple(fc.nat({ max: valid.length - 1 }), fc.string({ maxLength: 3 }))
    .map(([at, text]) => valid.slice(0, at) + text + valid.slice(at + 1))
  fc.assert(
    fc.property(fc.oneof(fc.string(), near, fc.anything()), (text) => {
      try {
        expect(carrierAddressOf(text, 'signet')).toBe(String(text).toLowerCase())
        expect(bech32.decode(String(text) as `${string}1${string}`).words).toHaveLength(53)
      } catch (error) {
        expect(error).toMatchObject({ name: 'InvalidQuestionError', message: REFUSAL })
      }
    }),
  )
})
