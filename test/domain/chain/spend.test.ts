import { Transaction } from 'bitcoinjs-lib'
import { expect, test } from 'vitest'
import { bareTransaction, openTransaction } from '../../../src/domain/chain/bare-transaction.ts'
import { parseOutpoint } from '../../../src/domain/chain/outpoint.ts'
import { spendOf } from '../../../src/domain/chain/spend.ts'
import { toOutpointText, toTxid } from '../../support/ids.ts'
import { BUYER, hash, PAYOUT, spendBlock } from '../../support/orders/evidence.ts'

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const idBytes = (name: string) => bytes(hash(name)).reverse()

function transactionOf(inputs: [name: string, vout: number, scriptSig?: string][], outputs = 2) {
  const transaction = new Transaction()
  for (const [name, vout, scriptSig = ''] of inputs) {
    transaction.addInput(idBytes(name), vout, 0xfffffffd, bytes(scriptSig))
  }
  const scripts = [BUYER, PAYOUT.scriptHex].slice(0, outputs)
  for (const script of scripts) transaction.addOutput(bytes(script), BigInt(PAYOUT.valueSats))
  return transaction
}
const viewOf = (transaction: Transaction) =>
  openTransaction(bareTransaction({ txid: toTxid(transaction.getId()), hex: transaction.toHex() }))
const outpoint = (name: string, vout: number) =>
  parseOutpoint(toOutpointText(`${hash(name)}:${vout}`))

test('a spend names its input, and the output beside it', () => {
  const transaction = transactionOf([
    ['a', 0],
    ['b', 7],
  ])
  expect(spendOf(viewOf(transaction), outpoint('b', 7), spendBlock())).toEqual({
    txid: transaction.getId(),
    inputIndex: 1,
    unsignedTxid: transaction.getId(),
    pairedOutput: PAYOUT,
    block: spendBlock(),
  })
})

test('where there is no output beside the input, none is named', () => {
  const transaction = transactionOf(
    [
      ['a', 0],
      ['b', 7],
    ],
    1,
  )
  expect(spendOf(viewOf(transaction), outpoint('b', 7), null)?.pairedOutput).toBeNull()
})

test('another output of the same transaction is not spent', () => {
  expect(spendOf(viewOf(transactionOf([['b', 7]])), outpoint('b', 8), null)).toBeNull()
})

test('the unsigned txid is that without any scriptSig, as a bid commits to it', () => {
  const signed = viewOf(
    transactionOf([
      ['a', 0, '0102'],
      ['b', 7],
    ]),
  )
  const bare = transactionOf([
    ['a', 0],
    ['b', 7],
  ])
  expect(spendOf(signed, outpoint('b', 7), null)?.unsignedTxid).toBe(bare.getId())
  expect(signed.txid).not.toBe(bare.getId())
})
