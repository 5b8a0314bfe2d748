import { script as bitcoinScript, crypto } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { isStandardInput } from '../../../src/domain/script/input-standard.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { judgeSignature } from '../../../src/domain/verdict/signatures.ts'
import { walletOf } from '../../support/chain/keys.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import { makeBid } from '../../support/orders/psbt-orders.ts'
import { fragments, publicKey } from '../../support/scripts/fragments.ts'

const { pk, pkh, multi, threshOfKeys } = fragments('witness-v0')
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const pushing = (...pushes: Uint8Array[]) => bitcoinScript.compile(pushes)
const signature = new Uint8Array(71).fill(0x30)
const seeds = (count: number) => Array.from({ length: count }, (_, n) => `key ${n}`)

/** The output of a redeem script, and a scriptSig that pushes it. */
const inP2sh = (redeem: string): [string, Uint8Array] => [
  `a914${Buffer.from(crypto.hash160(bytes(redeem))).toString('hex')}87`,
  pushing(signature, bytes(redeem)),
]

describe('inputs that nodes relay', () => {
  test.each<[string, string, Uint8Array]>([
    ['a key', pk('a'), pushing(signature)],
    [
      'a key that is not compressed',
      `41${Buffer.from(publicKey('a', false)).toString('hex')}ac`,
      pushing(signature),
    ],
    ['a key hash', pkh('a'), pushing(signature, publicKey('a'))],
    ['2 of 4 keys', multi(2, ['a', 'b', 'c', 'd']), pushing(signature)],
    ['a witness program', walletOf('p2wpkh', 'a').scriptHex, new Uint8Array()],
    ['15 keys inside P2SH', ...inP2sh(multi(1, seeds(15)))],
    ['15 checks inside P2SH', ...inP2sh(`${pk('a')}${'ad'.repeat(14)}`)],
  ])('%s', (_, scriptHex, scriptSig) => {
    expect(isStandardInput(scriptHex, scriptSig)).toBe(true)
  })

  test.each<[string, string, Uint8Array]>([
    ['a bare script that is no template', threshOfKeys(1, ['a', 'b']), pushing(signature)],
    ['16 checks inside P2SH', ...inP2sh(`${pk('a')}${'ac'.repeat(15)}`)],
    ['an OP_CHECKMULTISIG whose number of keys is no opcode', ...inP2sh(`61ae${pk('a')}`)],
    ['P2SH without its redeem script', inP2sh(pk('a'))[0], new Uint8Array()],
    ['a scriptSig that does more than push', pkh('a'), Uint8Array.of(0x61, ...pushing(signature))],
    [
      'a scriptSig of 1,651 bytes',
      pkh('a'),
      pushing(...[547, 547, 548].map((length) => new Uint8Array(length))),
    ],
    ['a scriptSig that is cut short', pkh('a'), Uint8Array.of(2, 1)],
  ])('%s is none', (_, scriptHex, scriptSig) => {
    expect(isStandardInput(scriptHex, scriptSig)).toBe(false)
  })
})

test('a bid is not valid with an input that no node relays, whatever its script says', () => {
  const bid = makeBid({ sellerIndex: 1 })
  const judged = (scriptHex: string, scriptSig: Uint8Array) => {
    const psbt = changePsbt(bid.psbt, ({ inputs }) => {
      inputs[0] = [...inputs[0]!.filter(({ type }) => type < 0x02), field(0x07, scriptSig)]
    })
    expect(inspectPsbt(psbt).inspection.orderClass).toBe('BID_FULLY_FUNDED')
    const prevouts = [{ valueSats: '100000', scriptHex }, bid.prevout]
    return judgeSignature({ psbt, inputIndex: 0, prevouts }, ecc)
  }
  const der = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1, 0x01)
  expect(judged(pkh('a'), pushing(der, publicKey('a'))).status).toBe('ask-node')
  expect(judged(threshOfKeys(1, ['a', 'b']), pushing(new Uint8Array(), der))).toEqual({
    status: 'invalid',
    reason: 'witness_not_standard',
  })
})
