import { p2pkh, Transaction } from '@scure/btc-signer'
import { Transaction as BitcoinTransaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { PsbtRefusedError } from '../../../src/domain/psbt/psbt-refused.ts'
import {
  finaliseSigned,
  isWholeSigned,
  MalformedTransactionError,
  readFinalTransaction,
} from '../../../src/domain/purchase/final-transaction.ts'
import { readPurchase } from '../../../src/domain/purchase/read-purchase.ts'
import { almost } from '../../support/chain/byte-edits.ts'
import { SCRIPTS, secretOf, walletOf } from '../../support/chain/keys.ts'
import { spend } from '../../support/chain/spend.ts'
import { toTxid } from '../../support/ids.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 500)
const PAY_TO = `5120${'11'.repeat(32)}`
const OUTPOINT = { txid: toTxid('cc'.repeat(32)), vout: 3 }

function unsigned(kind: (typeof SCRIPTS)[number]) {
  const wallet = walletOf(kind, 'final')
  const tx = new Transaction({ allowUnknownOutputs: true, disableScriptCheck: true })
  const witnessUtxo = { script: Buffer.from(wallet.scriptHex, 'hex'), amount: 10_000n }
  tx.addInput({ txid: OUTPOINT.txid, index: OUTPOINT.vout, witnessUtxo, ...wallet.fields })
  tx.addOutput({ script: Buffer.from(PAY_TO, 'hex'), amount: 9_000n })
  return { tx, wallet }
}

const base64 = (tx: Transaction) => Buffer.from(tx.toPSBT()).toString('base64')

describe('a signed PSBT is finalised as another library does it', () => {
  test.each(SCRIPTS)('%s', (kind) => {
    const { tx, wallet } = unsigned(kind)
    for (const secret of wallet.secrets) tx.signIdx(secret, 0)
    const partial = finaliseSigned(base64(tx))
    tx.finalize()
    expect(partial.hex).toBe(tx.hex)
    expect(partial).toMatchObject({ txid: tx.id, vsize: tx.vsize })
    expect(finaliseSigned(base64(tx)).hex).toBe(tx.hex)
    expect(readFinalTransaction(tx.hex)).toEqual(partial)
  })

  test('p2pkh, for which the PSBT carries the previous transaction', () => {
    const secret = secretOf('final/p2pkh')
    const { script } = p2pkh(ecc.pointFromScalar(secret, true)!)
    const before = new Transaction()
    before.addOutput({ script, amount: 10_000n })
    before.addInput({ txid: 'dd'.repeat(32), index: 0, finalScriptSig: Uint8Array.of(0) }, true)
    const tx = new Transaction({ allowUnknownOutputs: true })
    tx.addInput({ txid: before.id, index: 0, nonWitnessUtxo: before.hex })
    tx.addOutput({ script: Buffer.from(PAY_TO, 'hex'), amount: 9_000n })
    tx.signIdx(secret, 0)
    const partial = finaliseSigned(base64(tx))
    tx.finalize()
    expect(partial.hex).toBe(tx.hex)
  })
})

describe('a final input says what its signatures commit to', () => {
  test.each(SCRIPTS.filter((kind) => kind !== 'p2wsh-other'))('%s', (kind) => {
    for (const sighash of [0x01, 0x02, 0x81, 0x82, 0x83]) {
      const { tx, wallet } = unsigned(kind)
      tx.updateInput(0, { sighashType: sighash }, true)
      for (const secret of wallet.secrets) tx.signIdx(secret, 0, [sighash])
      const [input] = finaliseSigned(base64(tx)).inputs
      expect(new Set(input?.sighashes)).toEqual(new Set([sighash]))
      expect(input && isWholeSigned(input)).toBe(sighash === 0x01)
    }
  })

  test('taproot by default all', () => {
    const { tx, wallet } = unsigned('p2tr')
    tx.signIdx(wallet.secrets[0]!, 0)
    const [input] = finaliseSigned(base64(tx)).inputs
    expect(input?.sighashes).toEqual([0x00])
    expect(input && isWholeSigned(input)).toBe(true)
  })
})

test('a PSBT of as many inputs as a quote has is finalised with the derivations of a multisig', () => {
  const { wallet } = unsigned('p2wsh-multisig')
  const keys = ['one', 'two', 'three'].map((name) => ecc.pointFromScalar(secretOf(name), true)!)
  const derivation = { fingerprint: 1, path: [0, 1] }
  const derivations = keys.map((key): [Uint8Array, typeof derivation] => [key, derivation])
  const tx = new Transaction({ allowUnknownOutputs: true, disableScriptCheck: true })
  const script = Buffer.from(wallet.scriptHex, 'hex')
  for (let index = 0; index < 64; index += 1) {
    const witnessUtxo = { script, amount: 10_000n }
    const input = { txid: OUTPOINT.txid, index, witnessUtxo, ...wallet.fields }
    tx.addInput({ ...input, bip32Derivation: derivations })
  }
  for (const amount of [9_000n, 600n, 600n])
    tx.addOutput({ script, amount, bip32Derivation: derivations })
  for (let index = 0; index < 64; index += 1)
    for (const secret of wallet.secrets) tx.signIdx(secret, index)
  expect(finaliseSigned(base64(tx)).inputs).toHaveLength(64)
})

test('a signed PSBT that is too large is refused with the way out', () => {
  const signedPsbt = `cHNidP8B${'A'.repeat(540_000)}`
  expect(readPurchase({ signedPsbt })).toEqual({
    status: 'refused',
    code: 'PSBT_TOO_LARGE',
    message:
      'the PSBT is larger than 400000 bytes: finalise it, and send the transaction as finalTxHex',
  })
})

describe('what could not be broadcast is refused', () => {
  test('an unsigned input', () => {
    const { tx } = unsigned('p2wpkh')
    expect(() => finaliseSigned(base64(tx))).toThrow('input 0 is not signed')
  })

  test('a multisig with one signature of two', () => {
    const { tx, wallet } = unsigned('p2wsh-multisig')
    tx.signIdx(wallet.secrets[0]!, 0)
    expect(() => finaliseSigned(base64(tx))).toThrow(
      'input 0 cannot be finalised: its fields do not suffice',
    )
  })

  test('bytes after a transaction, and capital letters', () => {
    const wallet = walletOf('p2tr', 'final')
    const output = { scriptHex: wallet.scriptHex, valueSats: '10000' }
    const inputs = [{ outpoint: OUTPOINT, output, wallet }]
    const hex = spend({ inputs, outputs: [{ scriptHex: PAY_TO, valueSats: '9000' }] })
    expect(readFinalTransaction(hex).inputs[0]?.outpoint).toEqual(OUTPOINT)
    expect(() => readFinalTransaction(`${hex}00`)).toThrow(MalformedTransactionError)
    expect(() => readFinalTransaction(hex.toUpperCase())).toThrow(MalformedTransactionError)
    const bare = BitcoinTransaction.fromHex(hex)
    bare.setWitness(0, [])
    expect(() => readFinalTransaction(bare.toHex())).toThrow('input 0 is not signed')
  })

  test('more inputs, outputs or witness items than a purchase has, before any query about them', () => {
    const large = (inputs: number, outputs: number, items = 1) => {
      const tx = new BitcoinTransaction()
      for (let at = 0; at < inputs; at += 1) {
        tx.addInput(Buffer.from(OUTPOINT.txid, 'hex'), at)
        tx.setWitness(at, Array<Uint8Array>(at === 0 ? items : 1).fill(new Uint8Array()))
      }
      for (let at = 0; at < outputs; at += 1) tx.addOutput(Buffer.from(PAY_TO, 'hex'), 1n)
      return tx.toHex()
    }
    expect(readFinalTransaction(large(128, 1)).inputs).toHaveLength(128)
    expect(readFinalTransaction(large(1, 128)).outputs).toHaveLength(128)
    for (const hex of [large(129, 1), large(1, 129), large(1, 1, 20_000)]) {
      expect(hex.length).toBeLessThan(800_000)
      expect(() => readFinalTransaction(hex)).toThrow(MalformedTransactionError)
      expect(() => readFinalTransaction(hex)).toThrow('the transaction has more than')
    }
  })

  test('whatever the bytes, with these texts or those of the PSBT, and with no other error', () => {
    const good = SCRIPTS.map((kind) => {
      const { tx, wallet } = unsigned(kind)
      for (const secret of wallet.secrets) tx.signIdx(secret, 0)
      const partial = tx.toPSBT()
      tx.finalize()
      return { partial, final: tx.toPSBT(), hex: tx.extract() }
    })
    const read = (kind: string, text: string) => {
      try {
        const found = kind === 'hex' ? readFinalTransaction(text) : finaliseSigned(text)
        expect(readFinalTransaction(found.hex)).toEqual(found)
      } catch (error) {
        const isRefusal =
          error instanceof MalformedTransactionError || error instanceof PsbtRefusedError
        if (!isRefusal) throw error
        expect(error.message).toMatch(/^[\x20-\x7e]{1,300}$/)
      }
    }
    const inHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    const psbts = good.flatMap(({ partial, final }) => [partial, final])
    const texts = fc.oneof(
      { weight: 4, arbitrary: almost(good.map(({ hex }) => hex)).map(inHex) },
      {
        weight: 4,
        arbitrary: almost(psbts).map((bytes) => Buffer.from(bytes).toString('base64')),
      },
      fc.stringMatching(/^0[12]0000000001[0-9a-f]{0,300}$/),
      fc.stringMatching(/^70736274ff[0-9a-f]{0,300}$/),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        read('hex', text)
        read('psbt', text)
      }),
      { numRuns: RUNS },
    )
  })
})
