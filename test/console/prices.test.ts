import { describe, expect, test } from 'vitest'
import { type Priced, priceOf } from '../../console/src/book/postage.ts'
import { isTransactionHex, withoutSpace } from '../../console/src/ui/forms/pasted-bytes.ts'
import { satsIn } from '../../console/src/ui/values/amounts.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import { fieldCases } from '../support/field/field-cases.ts'

const OWNER = `0014${'11'.repeat(20)}`

const order = (
  changes: Pick<Priced, 'side' | 'quotedPriceSats'>,
  held: readonly string[] = [OWNER],
  pays: readonly string[] = [],
): Priced => {
  const inputWitnessUtxos = held.map((scriptHex) => ({ scriptHex, valueSats: '10000' }))
  // The first output is of the bidder.
  const outputValuesSats = ['70000', ...pays]
  const outputScriptsHex = ['00', ...pays.map(() => OWNER)]
  const inspection = { inputWitnessUtxos, outputValuesSats, outputScriptsHex }
  return { ...changes, sellerScriptHex: OWNER, inspection }
}

const bidWithout = (pays: readonly string[], held?: readonly string[]): Priced =>
  order({ side: 'BID' }, held, pays)

describe('one price in the pages: the one that lists filter and sort by', () => {
  test.each([
    ['an ask', order({ side: 'ASK', quotedPriceSats: '85000' }), '85000', null, '75000'],
    ['a bid', order({ side: 'BID', quotedPriceSats: '75000' }), '75000', '85000', '75000'],
    ['a bid at a loss has none', bidWithout(['6000']), null, '6000', '-4000'],
    ['nor one that leaves nothing', bidWithout(['6000', '4000']), null, '10000', '0'],
    ['a bid whose price is not known yet', bidWithout(['50000']), null, null, null],
    ['a bid without price or postage', bidWithout(['6000'], []), null, null, null],
    [
      'a bid of unknown postage',
      order({ side: 'BID', quotedPriceSats: '75000' }, []),
      '75000',
      null,
      '75000',
    ],
    [
      'an ask of two inputs with one script',
      order({ side: 'ASK', quotedPriceSats: '85000' }, [OWNER, OWNER]),
      '85000',
      null,
      null,
    ],
  ])('%s', (_, shown, price, paid, net) => {
    expect(priceOf(shown)).toMatchObject({ price, paid, net })
  })

  test('a published bid below the postage says what it pays, and the loss', () => {
    const bid = fieldCases('inspect').find(({ name }) => name.startsWith('bid-pays-owner-less'))
    const { inspection } = inspectPsbt(bid?.input.psbt ?? '')
    const sellerScriptHex = bid?.input.prevouts[0]?.scriptHex ?? ''
    expect(priceOf({ side: 'BID', sellerScriptHex, inspection })).toEqual({
      price: null,
      paid: '5000',
      postage: '10000',
      net: '-5000',
    })
  })
})

describe('what is pasted', () => {
  test.each([
    ['a PSBT in base64', 'cHNidP8BAFICAAAAA', false],
    ['a PSBT in hexadecimal', '70736274ff01005202', false],
    ['the same in capitals', '70736274FF01005202', false],
    ['a transaction', '0200000001', true],
    ['half a byte', '0200000', false],
  ])('%s', (_, text, isTransaction) => {
    expect(isTransactionHex(text)).toBe(isTransaction)
    expect(withoutSpace(` ${text}\r\n`)).toBe(text)
  })
})

test.each([
  ['100000', '100000'],
  ['100 000', '100000'],
  ['100\u202f000', '100000'],
  ['100,000', '100000'],
  ['1,234,567', '1234567'],
  ['007', '7'],
  ['0.001 BTC', '100000'],
  ['1btc', '100000000'],
  ['0.00000001 BTC', '1'],
  ['', ''],
  ['0.001', '0.001'],
  ['0,001 BTC', '0,001 BTC'],
  ['1,5', '1,5'],
  ['-5', '-5'],
  ['0.000000001 BTC', '0.000000001 BTC'],
])('who writes %j means %j sats', (text, sats) => {
  expect(satsIn(text)).toBe(sats)
})
