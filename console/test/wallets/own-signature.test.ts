import { hex } from '@scure/base'
import type { Transaction } from '@scure/btc-signer'
import { hash160 } from '@scure/btc-signer/utils.js'
import { expect, test } from 'vitest'
import { isOwnSignature } from '../../src/wallet/own-signature.ts'
import { keyOf } from './keys.ts'

const OWN = hex.decode(keyOf(1, 'p2wpkh').publicKey)
const OTHER = hex.decode(keyOf(2, 'p2wpkh').publicKey)
const SIGNATURE = new Uint8Array(71).fill(1)
const plain = `0014${hex.encode(hash160(OWN))}`
const SCRIPTS = {
  p2wpkh: plain,
  nested: `a914${hex.encode(hash160(hex.decode(plain)))}87`,
  p2pkh: `76a914${hex.encode(hash160(OWN))}88ac`,
}
type Kind = keyof typeof SCRIPTS

const finalOf = (kind: Kind, key: Uint8Array) =>
  kind === 'p2pkh'
    ? { finalScriptSig: Uint8Array.from([71, ...SIGNATURE, 33, ...key]) }
    : { finalScriptWitness: [SIGNATURE, key] }

const isOwn = (kind: Kind, signed: object): boolean => {
  const witnessUtxo = { script: hex.decode(SCRIPTS[kind]), amount: 1_000n }
  const input = { index: 0, witnessUtxo, ...signed }
  return isOwnSignature({ getInput: () => input } as unknown as Transaction, 0, input as never)
}

test.each(['p2wpkh', 'nested', 'p2pkh'] as const)('%s is signed by its own key alone', (kind) => {
  expect(isOwn(kind, { partialSig: [[OWN, SIGNATURE]] })).toBe(true)
  expect(isOwn(kind, { partialSig: [[OTHER, SIGNATURE]] })).toBe(false)
  expect(isOwn(kind, finalOf(kind, OWN))).toBe(true)
  expect(isOwn(kind, finalOf(kind, OTHER))).toBe(false)
  expect(isOwn(kind, {})).toBe(false)
})
