import { p2pkh, Transaction } from '@scure/btc-signer'
import { Transaction as BitcoinTransaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import {
  leastSpend,
  multisigSpend,
  type SpendSize,
  spendSizeOf,
  transactionVbytes,
  usualSpend,
} from '../../../src/domain/script/input-weight.ts'
import { SCRIPTS, secretOf, walletOf } from '../../support/chain/keys.ts'
import { spend } from '../../support/chain/spend.ts'
import { toTxid } from '../../support/ids.ts'

const PAY_TO = `5120${'11'.repeat(32)}`

function signed(kind: Parameters<typeof walletOf>[0], inputs: number) {
  const wallet = walletOf(kind, 'weight')
  const coins = Array.from({ length: inputs }, (_, vout) => ({
    outpoint: { txid: toTxid('cc'.repeat(32)), vout },
    output: { scriptHex: wallet.scriptHex, valueSats: '10000' },
    wallet,
  }))
  const hex = spend({ inputs: coins, outputs: [{ scriptHex: PAY_TO, valueSats: '9000' }] })
  return { wallet, transaction: BitcoinTransaction.fromHex(hex) }
}

const sizes = (size: SpendSize, count: number) => Array.from({ length: count }, () => size)

describe('the size of a spend, compared with signed transactions', () => {
  test.each([
    ['p2tr', 1],
    ['p2wpkh', 1],
    ['p2sh-p2wpkh', 1],
    ['p2wsh-multisig', 2],
  ] as const)('%s', (kind, signatures) => {
    for (const count of [1, 3, 40]) {
      const { wallet, transaction } = signed(kind, count)
      const usual = usualSpend(wallet.scriptHex)!
      const told = transactionVbytes(sizes(usual.size, count), [PAY_TO])
      const real = BigInt(transaction.virtualSize())
      expect(told).toBeGreaterThanOrEqual(real)
      // An ECDSA signature of low R is a byte shorter than the longest, and so is one of taproot that
      // names no sighash: a quarter of a vbyte, or so.
      expect(told - real).toBeLessThanOrEqual(BigInt(Math.ceil((count * signatures) / 2)))
      const exact = transaction.ins.map(({ script, witness }) =>
        spendSizeOf(wallet.scriptHex, { scriptSig: script, witness }),
      )
      expect(transactionVbytes(exact, [PAY_TO])).toBe(real)
    }
  })

  test.each(SCRIPTS)('%s: nothing that is signed is smaller than the least', (kind) => {
    const isExact = kind === 'p2tr' || kind === 'p2wpkh' || kind === 'p2sh-p2wpkh'
    const { wallet, transaction } = signed(kind, 1)
    const least = transactionVbytes([leastSpend(wallet.scriptHex)], [PAY_TO])
    const real = BigInt(transaction.virtualSize())
    expect(least).toBeLessThanOrEqual(real)
    if (isExact) expect(real - least).toBeLessThanOrEqual(1n)
  })

  test.each([
    [`76a914${'11'.repeat(20)}88ac`, 147n],
    [`21${'02'.repeat(33)}ac`, 113n],
    [`5221${'02'.repeat(33)}21${'03'.repeat(33)}52ae`, 185n],
    ['51024e73', 41n],
    ['6101', 41n],
  ])('the least input that spends %s has %d vB', (scriptHex, vbytes) => {
    const alone = transactionVbytes([], [PAY_TO])
    expect(transactionVbytes([leastSpend(scriptHex)], [PAY_TO]) - alone).toBe(vbytes)
  })

  test('signature operations of a P2SH script cost four times those of a witness', () => {
    const scriptSig = Uint8Array.of(0x04, 0xac, 0xac, 0x51, 0xae)
    const spendOf = (scriptHex: string) => spendSizeOf(scriptHex, { scriptSig, witness: [] }).sigops
    expect(spendOf(`a914${'11'.repeat(20)}87`)).toBe(12)
    expect(spendOf(`76a914${'11'.repeat(20)}88ac`)).toBe(0)
  })

  test('p2tr, with signatures that name their sighash', () => {
    const { wallet, transaction } = signed('p2tr', 8)
    for (const [at, { witness }] of transaction.ins.entries()) {
      transaction.setWitness(at, [Uint8Array.of(...witness[0]!, 0x01)])
    }
    const told = transactionVbytes(sizes(usualSpend(wallet.scriptHex)!.size, 8), [PAY_TO])
    expect(told).toBe(BigInt(transaction.virtualSize()))
  })

  test.each([1, 12])('%i inputs without a witness', (count) => {
    const transaction = new BitcoinTransaction()
    const size = usualSpend(`76a914${'11'.repeat(20)}88ac`)!.size
    for (let vout = 0; vout < count; vout += 1) {
      transaction.addInput(new Uint8Array(32), vout, 0, new Uint8Array(size.scriptSigBytes))
    }
    transaction.addOutput(Uint8Array.from(Buffer.from(PAY_TO, 'hex')), 9_000n)
    expect(transactionVbytes(sizes(size, count), [PAY_TO])).toBe(BigInt(transaction.virtualSize()))
  })

  test('p2pkh beside a segwit input', () => {
    const secret = secretOf('weight/p2pkh')
    const { script } = p2pkh(ecc.pointFromScalar(secret, true)!)
    const before = new Transaction()
    before.addOutput({ script, amount: 10_000n })
    before.addInput({ txid: 'dd'.repeat(32), index: 0, finalScriptSig: Uint8Array.of(0) }, true)
    const tx = new Transaction({ allowUnknownOutputs: true })
    tx.addInput({ txid: before.id, index: 0, nonWitnessUtxo: before.hex })
    const { scriptHex, fields, secrets } = walletOf('p2tr', 'weight')
    const witnessUtxo = { script: Buffer.from(scriptHex, 'hex'), amount: 10_000n }
    tx.addInput({ txid: 'cc'.repeat(32), index: 0, witnessUtxo, ...fields })
    tx.addOutput({ script: Buffer.from(PAY_TO, 'hex'), amount: 9_000n })
    tx.signIdx(secret, 0)
    tx.signIdx(secrets[0]!, 1)
    tx.finalize()
    const inputs = [Buffer.from(script).toString('hex'), scriptHex].map(
      (hex) => usualSpend(hex)!.size,
    )
    expect(Number(transactionVbytes(inputs, [PAY_TO])) - tx.vsize).toBeGreaterThanOrEqual(0)
    expect(Number(transactionVbytes(inputs, [PAY_TO])) - tx.vsize).toBeLessThanOrEqual(2)
  })

  test('a multisig grows with its keys and its signatures', () => {
    expect(multisigSpend({ required: 2, keys: 3 }).witnessBytes).toBe(1 + 1 + 2 * 73 + 1 + 105)
    // A script above 252 bytes has a size of three bytes before it.
    expect(multisigSpend({ required: 1, keys: 15 }).witnessBytes).toBe(1 + 1 + 73 + 3 + 513)
  })

  // Bitcoin Core 31.99 measures those above their bytes the same.
  describe('signature operations count where they weigh more than the bytes', () => {
    const key = `21${'02'.repeat(33)}`
    const bare = `51${key}51ae`
    const p2pkh = `76a914${'11'.repeat(20)}88ac`
    const taproot = usualSpend(PAY_TO)!.size
    const pay = walletOf('p2wpkh', 'weight').scriptHex

    test.each([
      ['a payout to a bare multisig, which counts for 20 keys', [pay, PAY_TO, bare, pay], 400n],
      ['and outputs of P2PKH', [p2pkh, p2pkh, bare, p2pkh], 460n],
      ['but not P2PKH alone', [p2pkh, p2pkh, p2pkh, p2pkh], 378n],
    ])('%s', (_title, outputs, vbytes) => {
      expect(transactionVbytes(sizes(taproot, 4), outputs)).toBe(vbytes)
    })

    test('a witness script with many, in a branch that is not run', () => {
      const script = Buffer.from(`0063${'ae'.repeat(150)}68${key}ac`, 'hex')
      const witness = [new Uint8Array(72), script]
      const own = { scriptSig: new Uint8Array(0), witness }
      const nested = {
        scriptSig: Uint8Array.of(34, 0, 32, ...new Uint8Array(32)),
        witness,
      }
      const [p2wsh, p2sh] = [`0020${'00'.repeat(32)}`, `a914${'00'.repeat(20)}87`]
      for (const spend of [spendSizeOf(p2wsh, own), spendSizeOf(p2sh, nested)]) {
        expect(spend.sigops).toBe(3_001)
        expect(transactionVbytes([spend], [PAY_TO])).toBe(15_005n)
      }
      expect(spendSizeOf(PAY_TO, own).sigops).toBe(0)
    })
  })

  test('a script without a known spend has no usual size', () => {
    expect(usualSpend('51')).toBeNull()
    expect(usualSpend('51024e73')).toBeNull()
  })
})
