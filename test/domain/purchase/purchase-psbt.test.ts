import { Psbt, Transaction } from 'bitcoinjs-lib'
import { describe, expect, test, vi } from 'vitest'
import { type PurchaseParts, purchasePsbt } from '../../../src/domain/purchase/purchase-psbt.ts'
import { usualSpend } from '../../../src/domain/script/input-weight.ts'
import { bytesOf, hexOf } from '../../../src/domain/script/script-template.ts'
import { toTxid } from '../../support/ids.ts'

const P2WPKH = `0014${'22'.repeat(20)}`
const P2PKH = `76a914${'55'.repeat(20)}88ac`

const input = (scriptHex: string, vout: number, txid = toTxid('ab'.repeat(32))) => ({
  outpoint: { txid, vout },
  output: { scriptHex, valueSats: `${1_000 + vout}` },
  spend: usualSpend(scriptHex)!.size,
})

const parts = (changes: Partial<PurchaseParts> = {}): PurchaseParts => ({
  version: 2,
  locktime: 0,
  sellerSequence: 7,
  sellerIndex: 1,
  sellerScripts: { witness: [Uint8Array.of(1, 2, 3)], scriptSig: Uint8Array.of(4) },
  inputs: [0, 1, 2].map((vout) => input(P2WPKH, vout)),
  outputs: [
    { scriptHex: P2WPKH, valueSats: '600' },
    { scriptHex: P2PKH, valueSats: '5000000000' },
  ],
  previous: new Map(),
  ...changes,
})

describe('the PSBT of a purchase', () => {
  test('describes every input and output', () => {
    const psbt = Psbt.fromBase64(purchasePsbt(parts()))
    expect([psbt.version, psbt.locktime]).toEqual([2, 0])
    expect(
      psbt.txInputs.map(({ hash, index, sequence }) => [
        hexOf(Uint8Array.from(hash).reverse()),
        index,
        sequence,
      ]),
    ).toEqual([
      ['ab'.repeat(32), 0, 0xfffffffd],
      ['ab'.repeat(32), 1, 7],
      ['ab'.repeat(32), 2, 0xfffffffd],
    ])
    expect(psbt.txOutputs.map(({ script, value }) => [hexOf(script), value])).toEqual([
      [P2WPKH, 600n],
      [P2PKH, 5_000_000_000n],
    ])
    const [first, seller] = psbt.data.inputs
    expect(first).toEqual({ witnessUtxo: { script: bytesOf(P2WPKH), value: 1_000n } })
    expect(seller).toEqual({
      witnessUtxo: { script: bytesOf(P2WPKH), value: 1_001n },
      finalScriptWitness: Uint8Array.of(1, 3, 1, 2, 3),
      finalScriptSig: Uint8Array.of(4),
    })
  })

  test('carries the whole previous transaction of a legacy output, and no witness utxo (BIP174)', () => {
    const made = new Transaction()
    made.addInput(new Uint8Array(32).fill(9), 0)
    for (let at = 0; at < 3; at += 1) made.addOutput(bytesOf(P2PKH), BigInt(1_000 + at))
    const legacy = input(P2PKH, 2, toTxid(made.getId()))
    const inputs = [input(P2WPKH, 0), input(P2WPKH, 1), legacy]
    const previous = new Map([[made.getId(), made.toBuffer()]])
    const psbt = Psbt.fromBase64(purchasePsbt(parts({ inputs, previous })))
    expect(Object.keys(psbt.data.inputs[2] ?? {})).toEqual(['nonWitnessUtxo'])
    expect(psbt.data.inputs[2]?.nonWitnessUtxo).toEqual(made.toBuffer())
    expect(() => purchasePsbt(parts({ inputs }))).toThrow(`the transaction ${made.getId()}`)
  })

  test('writes the transaction once, however many inputs there are', () => {
    const counts = [4, 64, 202].map((size) => {
      const written = vi.spyOn(Transaction.prototype, 'toBuffer')
      const cloned = vi.spyOn(Transaction.prototype, 'clone')
      purchasePsbt(parts({ inputs: Array.from({ length: size }, (_, at) => input(P2WPKH, at)) }))
      const calls = [written.mock.calls.length, cloned.mock.calls.length]
      written.mockRestore()
      cloned.mockRestore()
      return calls
    })
    expect(counts).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ])
  })
})
