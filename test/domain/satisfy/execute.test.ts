import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { judgeSignature } from '../../../src/domain/verdict/signatures.ts'
import { fragments } from '../../support/scripts/fragments.ts'
import { handwrittenAsks } from '../../support/scripts/handwritten-asks.ts'
import { makeScriptAsk, type ScriptAsk } from '../../support/scripts/script-asks.ts'

const judged = ({ psbt, prevout }: ScriptAsk) =>
  judgeSignature({ psbt, inputIndex: 0, prevouts: [prevout] }, ecc)

describe('an item that the script looks at again may be anything that is of use there', () => {
  test.each(handwrittenAsks('p2wsh'))('$name', ({ good, bad }) => {
    expect(judged(good).status).toBe('ask-node')
    expect(judged(bad)).toEqual({ status: 'invalid', reason: 'signature_invalid' })
  })

  test('inside P2SH', () => {
    for (const { good } of handwrittenAsks('p2sh-p2wsh'))
      expect(judged(good).status).toBe('ask-node')
  })
})

describe('where not every value can be tried, the signature is not called invalid', () => {
  const { pk } = fragments('witness-v0')
  test.each([
    ['a number above 5', `55a069${pk('a')}`],
    ['a number that is 9 with 7', `57935988${pk('a')}`],
    [
      'an OP_CHECKMULTISIG whose empty item is in the script',
      `007b7b52${pk('a').slice(0, -2)}${pk('b').slice(0, -2)}52ae`,
    ],
  ])('%s', (_, script) => {
    const ask = makeScriptAsk({ output: { kind: 'p2wsh', script }, signers: [{ seed: 'a' }] })
    expect(judged(ask).status).toBe('unverifiable')
  })
})

test('numbers of a script that may be items count, each as a run', () => {
  const numbers = Array.from({ length: 1_100 }, (_, n) => `02${(0x1001 + n).toString(16)}`).join('')
  const script = `7691${numbers}${'6d'.repeat(550)}69`
  const ask = makeScriptAsk({
    output: { kind: 'p2tr', leaves: [`${script.repeat(12)}${fragments('tapscript').pk('a')}`] },
    signers: [{ seed: 'a' }],
  })
  expect(judged(ask).status).toBe('beyond-bound')
})
