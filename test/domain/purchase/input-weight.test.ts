import { p2pkh, Transaction } from '@scure/btc-signer'
import { Transaction as BitcoinTransaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import {
  multisigSpend,
  type SpendSize,
  spendSizeOf,
  transactionVbytes,
  usualSpend,
} from '../../../src/domain/purchase/input-weight.ts'
import { secretOf, walletOf } from '../../support/chain/keys.ts'
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
    ['p2tr', 0],
    ['p2wpkh', 1],
    ['p2sh-p2wpkh', 1],
    ['p2wsh-multisig', 2],
  ] as const)('%s', (kind, ecdsaSignatures) => {
    for (const count of [1, 3, 40]) {
      const { wallet, transaction } = signed(kind, count)
      const usual = usualSpend(wallet.scriptHex)!
      const told = transactionVbytes(sizes(usual.size, count), [PAY_TO])
      const real = BigInt(transaction.virtualSize())
      expect(told).toBeGreaterThanOrEqual(real)
      // An ECDSA signature of low R is a byte shorter than the longest: a quarter of a vbyte, or so.
      expect(told - real).toBeLessThanOrEqual(BigInt(Math.ceil((count * ecdsaSignatures) / 2)))
      const exact = transaction.ins.map(({ script, witness }) =>
        spendSizeOf({ scriptSig: script, witness }),
      )
      expect(transactionVbytes(exact, [PAY_TO])).toBe(real)
    }
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

  test('a script without a known spend has no usual size', () => {
    expect(usualSpend('51')).toBeNull()
    expect(usualSpend('51024e73')).toBeNull()
  })
})
