import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import * as tiny from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkInput, type SignedInput } from '../../../src/domain/script/script-check.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import { SCRIPTS, type ScriptKind, walletOf } from '../../support/chain/keys.ts'
import { completeAsk } from '../../support/market/buyer.ts'
import { makeAsk, outpointOf } from '../../support/orders/psbt-orders.ts'
import { highS } from '../../support/scripts/high-s.ts'
import { vector } from '../../support/vectors.ts'

const coin = (seed: string, kind: ScriptKind, valueSats: string) => {
  const wallet = walletOf(kind, seed)
  return { outpoint: outpointOf(seed), output: { valueSats, scriptHex: wallet.scriptHex }, wallet }
}
const SELLER = 2

/** A purchase with buyer's inputs of two kinds: the seller's input is at index 2. */
function purchase(script: ScriptKind): SignedInput {
  const ask = makeAsk({ script })
  const paddings = [coin('padding 1', 'p2tr', '600'), coin('padding 2', 'p2wpkh', '600')] as const
  const funding = [coin('funding', 'p2wsh-multisig', '90000')]
  const hex = completeAsk({
    psbt: ask.psbt,
    prevout: ask.prevout,
    paddings,
    funding,
    receiveScriptHex: walletOf('p2tr', 'receive').scriptHex,
    changeScriptHex: walletOf('p2wpkh', 'change').scriptHex,
  })
  return {
    transaction: Transaction.fromHex(hex),
    inputIndex: SELLER,
    prevouts: [...paddings.map(({ output }) => output), ask.prevout, funding[0]!.output],
  }
}

const LOCAL = ['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const
const check = (input: SignedInput) => checkInput(input, tiny)

describe('what another library signed', () => {
  test.each(SCRIPTS)('%s: every input of a completed purchase', (script) => {
    const input = purchase(script)
    const verdicts = [0, 1, 2, 3].map((inputIndex) => check({ ...input, inputIndex }))
    const seller = LOCAL.some((kind) => kind === script) ? 'valid' : 'unsupported'
    expect(verdicts).toEqual(['valid', 'valid', seller, 'valid'])
  })

  test.each(LOCAL)(
    '%s: an ask needs no other prevout, a taproot input with SIGHASH_ALL does',
    (script) => {
      const { transaction, prevouts } = purchase(script)
      const own = prevouts.map((prevout, at) => (at === SELLER ? prevout : null))
      expect(check({ transaction, inputIndex: SELLER, prevouts: own })).toBe('valid')
      expect(check({ transaction, inputIndex: 0, prevouts: prevouts.with(SELLER, null) })).toBe(
        'unsupported',
      )
      expect(
        check({ transaction, inputIndex: SELLER, prevouts: prevouts.with(SELLER, null) }),
      ).toBe('unsupported')
    },
  )

  test.each(LOCAL)('%s: the value and the script are those of the prevout', (script) => {
    const input = purchase(script)
    const other = (change: Partial<TxOut>) =>
      check({
        ...input,
        prevouts: input.prevouts.with(SELLER, { ...input.prevouts[SELLER]!, ...change }),
      })
    expect(other({ valueSats: '10001' })).toBe('invalid')
    expect(other({ scriptHex: walletOf(script, 'somebody else').scriptHex })).toBe('invalid')
  })
})

describe('what a node does not relay is invalid', () => {
  const altered = (script: ScriptKind, alter: (witness: Uint8Array[]) => Uint8Array[]) => {
    const input = purchase(script)
    const { witness } = input.transaction.ins[SELLER]!
    input.transaction.setWitness(SELLER, alter([...witness]))
    return check(input)
  }
  const flip = (bytes: Uint8Array, at: number) => bytes.with(at, bytes.at(at)! ^ 1)
  const EMPTY = new Uint8Array()

  test.each<[ScriptKind, string, (witness: Uint8Array[]) => Uint8Array[]]>([
    ['p2tr', 'no witness', () => []],
    ['p2tr', 'a bit of the signature flipped', ([s]) => [flip(s!, 10)]],
    ['p2tr', 'the sighash byte left out', ([s]) => [s!.slice(0, 64)]],
    ['p2tr', 'the sighash byte 00', ([s]) => [s!.with(64, 0)]],
    ['p2tr', 'an undefined sighash byte', ([s]) => [s!.with(64, 0x84)]],
    ['p2tr', 'another sighash byte', ([s]) => [s!.with(64, 0x81)]],
    ['p2tr', 'a byte too many', ([s]) => [Uint8Array.of(...s!, 0x83)]],
    ['p2tr', 'an annex', ([s]) => [s!, Uint8Array.of(0x50, 1)]],
    ['p2wpkh', 'an item too many', ([s, k]) => [EMPTY, s!, k!]],
    ['p2wpkh', 'another key', ([s, k]) => [s!, flip(k!, 5)]],
    ['p2wpkh', 'a key that is not compressed', ([s, k]) => [s!, tiny.pointCompress(k!, false)]],
    ['p2wpkh', 'the sighash byte of ALL', ([s, k]) => [s!.with(-1, 0x01), k!]],
    ['p2wpkh', 'an undefined sighash byte', ([s, k]) => [s!.with(-1, 0x04), k!]],
    ['p2wpkh', 'a signature without its sighash byte', ([s, k]) => [s!.slice(0, -1), k!]],
    ['p2wpkh', 'no signature', ([, k]) => [EMPTY, k!]],
    ['p2sh-p2wpkh', 'another key', ([s, k]) => [s!, flip(k!, 5)]],
    ['p2wsh-multisig', 'a dummy that is not empty', ([, ...rest]) => [Uint8Array.of(0), ...rest]],
    ['p2wsh-multisig', 'no dummy', ([, ...rest]) => rest],
    ['p2wsh-multisig', 'a signature too few', ([d, s, , script]) => [d!, s!, script!]],
    ['p2wsh-multisig', 'the same signature twice', ([d, s, , script]) => [d!, s!, s!, script!]],
    ['p2wsh-multisig', 'signatures out of order', ([d, a, b, script]) => [d!, b!, a!, script!]],
    ['p2wsh-multisig', 'another script', ([d, a, b, script]) => [d!, a!, b!, flip(script!, 5)]],
  ])('%s: %s', (script, _, alter) => {
    expect(altered(script, alter)).toBe('invalid')
  })

  test('high S: good for consensus, refused by every node', () => {
    expect(altered('p2wpkh', ([s, k]) => [highS(s!), k!])).toBe('invalid')
  })

  test('a scriptSig on a native segwit input, and another redeem script', () => {
    for (const script of ['p2tr', 'p2wpkh', 'p2wsh-multisig'] as const) {
      const input = purchase(script)
      input.transaction.setInputScript(SELLER, Uint8Array.of(0x51))
      expect(check(input), script).toBe('invalid')
    }
    const nested = purchase('p2sh-p2wpkh')
    const redeem = nested.transaction.ins[SELLER]!.script
    nested.transaction.setInputScript(SELLER, flip(redeem, 8))
    expect(check(nested)).toBe('invalid')
  })

  test('SINGLE without an output beside it', () => {
    const input = purchase('p2tr')
    input.transaction.outs.splice(SELLER)
    expect(check(input)).toBe('invalid')
  })
})

test('what only a node can judge is distinguished', () => {
  const input = purchase('p2wpkh')
  for (const scriptHex of [
    `76a914${'11'.repeat(20)}88ac`,
    '51',
    '51024e73',
    `5220${'11'.repeat(32)}`,
  ]) {
    const prevouts = input.prevouts.with(SELLER, { valueSats: '10000', scriptHex })
    expect(check({ ...input, prevouts }), scriptHex).toBe('unsupported')
  }
})

describe('two secp256k1 libraries', () => {
  test('agree on every signature, valid, broken or absurd', () => {
    const inputs = LOCAL.map(purchase)
    const change = fc.record({
      input: fc.nat({ max: inputs.length - 1 }),
      item: fc.nat({ max: 3 }),
      at: fc.nat({ max: 110 }),
      byte: fc.nat({ max: 255 }),
      cut: fc.nat({ max: 3 }),
    })
    fc.assert(
      fc.property(change, ({ input, item, at, byte, cut }) => {
        const { transaction, prevouts, inputIndex } = inputs[input]!
        const changed = transaction.clone()
        const witness = [...changed.ins[inputIndex]!.witness]
        const bytes = witness[item % witness.length]!
        witness[item % witness.length] =
          bytes.length === 0
            ? Uint8Array.of(byte)
            : bytes.with(at % bytes.length, byte).slice(0, bytes.length - (cut === 3 ? 1 : 0))
        changed.setWitness(inputIndex, witness)
        const question = { transaction: changed, inputIndex, prevouts }
        expect(checkInput(question, bitcoinerlab)).toBe(checkInput(question, tiny))
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 400) },
    )
  })
})

const KeyPath = z.object({
  keyPathSpending: z.array(
    z.object({
      transaction: z.string(),
      prevouts: z.array(z.object({ scriptPubKey: z.string(), amountSats: z.int() })),
      inputs: z.array(
        z.object({ index: z.int(), hashType: z.int(), witness: z.array(z.string()) }),
      ),
    }),
  ),
})

describe('BIP-341 key path spends', () => {
  test('every one is valid, with no other sighash and for no other input', () => {
    const { keyPathSpending } = KeyPath.parse(vector('bip341-wallet.json'))
    expect(keyPathSpending.map(({ inputs }) => inputs.length)).toEqual([7])
    for (const spending of keyPathSpending) {
      const prevouts = spending.prevouts.map(({ scriptPubKey, amountSats }) => ({
        valueSats: String(amountSats),
        scriptHex: scriptPubKey,
      }))
      for (const input of spending.inputs) {
        const transaction = Transaction.fromHex(spending.transaction)
        const witness = input.witness.map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))
        transaction.setWitness(input.index, witness)
        const question = { transaction, inputIndex: input.index, prevouts }
        expect(check(question), `input ${input.index}`).toBe('valid')
        const other = input.hashType === 0x83 ? 0x81 : 0x83
        transaction.setWitness(input.index, [Uint8Array.of(...witness[0]!.slice(0, 64), other)])
        expect(check(question)).toBe('invalid')
      }
    }
  })
})
