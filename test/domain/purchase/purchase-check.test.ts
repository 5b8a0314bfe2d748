import { describe, expect, test } from 'vitest'
import type { FinalTransaction } from '../../../src/domain/purchase/final-transaction.ts'
import {
  bindPurchase,
  traceAssets,
  traceRunes,
  traceSats,
} from '../../../src/domain/purchase/purchase-check.ts'
import type { Offer } from '../../../src/schemas/order-record.ts'
import { toOutpointText, toTxid } from '../../support/ids.ts'

/** Taproot of an existing key: the generator's. */
const SCRIPT = '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const txid = (digit: string) => toTxid(digit.repeat(64))
const pays = (sats: number, scriptHex = SCRIPT) => ({ scriptHex, valueSats: sats.toString() })
const offered = { txid: txid('a'), vout: 0 }

const offer: Offer = {
  side: 'ASK',
  sellerIndex: 0,
  outpoint: toOutpointText(`${offered.txid}:0`),
  version: 2,
  locktime: 100,
  sequences: [1],
  payouts: [pays(5_000)],
  funding: [],
  unsignedTxid: txid('f'),
}

const purchase = (changes: Partial<FinalTransaction> = {}): FinalTransaction => ({
  hex: '',
  txid: txid('e'),
  vsize: 0,
  version: 2,
  locktime: 100,
  inputs: [
    { outpoint: { txid: txid('b'), vout: 0 }, sequence: 0, sighashes: [] },
    { outpoint: offered, sequence: 1, sighashes: [] },
  ],
  outputs: [pays(600), pays(5_000)],
  ...changes,
})

describe('a transaction is bound to the order that it buys', () => {
  test('by the offered input and the payout at one index', () => {
    expect(bindPurchase(purchase(), offer)).toEqual({ sellerIndex: 1 })
  })

  test.each([
    ['locktime', { locktime: 0 }, "locktime 0 is not the seller's 100"],
    ['version', { version: 1 }, "version 1 is not the seller's 2"],
  ])('a changed %s is named', (_name, changes, detail) => {
    expect(bindPurchase(purchase(changes), offer)).toEqual({
      code: 'authorisation_changed',
      detail,
    })
  })

  test('a duplicate input is named', () => {
    const [first, second] = purchase().inputs
    if (!first || !second) throw new Error('a purchase has two inputs')
    expect(bindPurchase(purchase({ inputs: [first, second, first] }), offer)).toEqual({
      code: 'duplicate_input',
      detail: `${txid('b')}:0 is spent twice`,
    })
  })
})

describe('each asset reaches the buyer', () => {
  const at = (offset: number) => ({ id: `${txid('c')}i0`, number: 1, offset: offset.toString() })
  const prevouts = [pays(600), pays(2_000), pays(9_000)]

  test('two of one output may part: the second is lost', () => {
    const outputs = [pays(1_600), pays(5_000), pays(4_000)]
    expect(traceAssets(purchase({ outputs }), 1, prevouts, [at(0)])).toEqual([
      { inscriptionId: at(0).id, output: 0, offset: 600n },
    ])
    expect(traceAssets(purchase({ outputs }), 1, prevouts, [at(0), at(1_000)])).toMatchObject({
      code: 'asset_to_payout',
    })
  })

  test.each([
    ['data', '6a0461736574'],
    ['an anchor', '51024e73'],
    ['a witness version without rules', `5220${'11'.repeat(32)}`],
    ['a taproot output of no key', `5120${'ff'.repeat(32)}`],
  ])('to %s it is lost', (_name, scriptHex) => {
    const outputs = [pays(600, scriptHex), pays(5_000)]
    const inputs = [pays(0), pays(600), pays(9_000)]
    const burned = { code: 'asset_burned' }
    expect(traceAssets(purchase({ outputs }), 1, inputs, [at(0)])).toMatchObject(burned)
    expect(traceSats(purchase({ outputs }), 1, inputs)).toMatchObject(burned)
  })

  test.each([
    [
      'one output of the buyer',
      [pays(600), pays(5_000), pays(2_000)],
      [pays(5_600), pays(2_000)],
      null,
    ],
    [
      'two of them',
      [pays(600), pays(5_000), pays(900), pays(1_100)],
      [pays(5_600), pays(2_000)],
      null,
    ],
    [
      'two of them, and data without a sat between them',
      [pays(600), pays(5_000), pays(900), pays(0, '6a0161'), pays(1_100)],
      [pays(5_600), pays(2_000)],
      null,
    ],
    [
      'the payout, in part',
      [pays(1_599), pays(5_000)],
      [pays(600), pays(1_000)],
      'asset_to_payout',
    ],
    [
      'the payout, first sat',
      [pays(600), pays(5_000), pays(9_000)],
      [pays(5_599), pays(9_001)],
      'asset_to_payout',
    ],
    [
      'the miner, in part',
      [pays(600), pays(5_000), pays(1_999)],
      [pays(5_600), pays(2_000)],
      'asset_to_fee',
    ],
  ] as const)(
    'sold as plain sats, all of them are followed: to %s',
    (_name, outputs, inputs, code) => {
      const fault = traceSats(purchase({ outputs: [...outputs] }), 1, inputs)
      expect(fault?.code ?? null).toBe(code)
    },
  )

  test('runes go to the first output, unless a message says otherwise', () => {
    expect(traceRunes(purchase(), 1)).toBeNull()
    expect(traceRunes(purchase(), 0)).toMatchObject({ code: 'runes_to_payout' })
    const outputs = [pays(600), pays(5_000), pays(0, '6a5d0116')]
    expect(traceRunes(purchase({ outputs }), 1)).toMatchObject({ code: 'runes_burned' })
  })

  test('runes do not go to an output without an owner', () => {
    const anchor = pays(240, '51024e73')
    expect(traceRunes(purchase({ outputs: [anchor, pays(5_000), pays(600)] }), 1)).toEqual({
      code: 'runes_burned',
      detail: 'runes would go to output 0, which has no owner',
    })
    const outputs = [pays(600), pays(5_000), anchor, pays(0, '6a5d021602')]
    expect(traceRunes(purchase({ outputs }), 1)).toMatchObject({ code: 'runes_burned' })
  })
})
