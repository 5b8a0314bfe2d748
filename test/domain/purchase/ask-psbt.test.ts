import { Transaction as ScureTransaction } from '@scure/btc-signer'
import { Psbt, Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { ASK_SEQUENCE, askPsbt, wantsPrevious } from '../../../src/domain/purchase/ask-psbt.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { walletOf } from '../../support/chain/keys.ts'
import { toTxid } from '../../support/ids.ts'
import { outpointOf } from '../../support/orders/psbt-orders.ts'

const output = { valueSats: '10000', scriptHex: walletOf('p2wpkh', 'seller').scriptHex }
const payout = { valueSats: '2100000000000000', scriptHex: walletOf('p2tr', 'payout').scriptHex }
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

/** A transaction that makes the output, with a witness and further outputs of these sizes. */
function previousOf({ witness = 0, outputs = 0 } = {}) {
  const transaction = new Transaction()
  transaction.version = 2
  transaction.addInput(bytesOf(outpointOf('before').txid), 0)
  transaction.setWitness(0, [new Uint8Array(witness)])
  transaction.addOutput(bytesOf(output.scriptHex), BigInt(output.valueSats))
  for (let n = 0; n < outputs; n += 1) transaction.addOutput(new Uint8Array(22), 1_000n)
  return { hex: transaction.toHex(), outpoint: { txid: toTxid(transaction.getId()), vout: 0 } }
}

const made = (previous: string | null, outpoint = outpointOf('asset')) =>
  Psbt.fromBase64(askPsbt({ outpoint, output, payout, previous, sequence: ASK_SEQUENCE }))

describe('the unsigned ask', () => {
  test('is of one input and one output, in the form that both parsers read alike', () => {
    const outpoint = outpointOf('asset', 7)
    const text = askPsbt({ outpoint, output, payout, previous: null, sequence: 0xfffffffb })
    expect(inspectPsbt(text)).toMatchObject({
      claimedPrevout: output,
      offer: {
        version: 2,
        locktime: 0,
        sequences: [0xfffffffb],
        outpoint: `${outpoint.txid}:7`,
        payouts: [payout],
      },
      inspection: {
        psbtVersion: 0,
        reasons: ['unsigned'],
        hasUnknownFields: false,
        hasProprietaryFields: false,
      },
    })
    const half = ScureTransaction.fromPSBT(Buffer.from(text, 'base64'))
    expect(half.getInput(0)).toMatchObject({ sighashType: 0x83, sequence: 0xfffffffb })
    expect(half.getOutput(0).amount).toBe(2_100_000_000_000_000n)
  })

  test('may be drafted while the output is unknown', () => {
    const draft = { outpoint: outpointOf('asset'), payout, previous: null, sequence: ASK_SEQUENCE }
    const drafted = inspectPsbt(askPsbt({ ...draft, output: null }))
    const whole = inspectPsbt(askPsbt({ ...draft, output }))
    expect(drafted.claimedPrevout).toBeNull()
    expect(drafted.inspection.unsignedTxid).toBe(whole.inspection.unsignedTxid)
  })

  test('carries the previous transaction without its witness, however large that is', () => {
    const { hex, outpoint } = previousOf({ witness: 300_000 })
    const [input] = made(hex, outpoint).data.inputs
    const kept = Transaction.fromBuffer(input?.nonWitnessUtxo ?? new Uint8Array())
    expect(kept.getId()).toBe(outpoint.txid)
    expect(kept.hasWitnesses()).toBe(false)
    expect(input?.witnessUtxo?.value).toBe(10_000n)
  })

  test('omits one of more than 16 kB: the signed ask must stay within its bound', () => {
    // 82 bytes beside the further outputs, 31 bytes each.
    const most = Math.floor((16_384 - 82) / 31)
    for (const [outputs, isKept] of [
      [most, true],
      [most + 1, false],
    ] as const) {
      const { hex, outpoint } = previousOf({ outputs })
      const psbt = made(hex, outpoint)
      expect(psbt.data.inputs[0]?.nonWitnessUtxo !== undefined).toBe(isKept)
      expect(inspectPsbt(psbt.toBase64()).inspection.inputCount).toBe(1)
    }
  })
})

test('only taproot signers never need the previous transaction', () => {
  for (const kind of ['p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig', 'p2wsh-other'] as const) {
    expect(wantsPrevious(walletOf(kind, 'x').scriptHex)).toBe(true)
  }
  for (const kind of ['p2tr', 'tapscript'] as const) {
    expect(wantsPrevious(walletOf(kind, 'x').scriptHex)).toBe(false)
  }
})
