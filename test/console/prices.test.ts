import { describe, expect, test } from 'vitest'
import { type Priced, priceOf } from '../../console/src/book/postage.ts'
import { isTransactionHex, withoutSpace } from '../../console/src/ui/forms/pasted-bytes.ts'
import { satsIn } from '../../console/src/ui/values/amounts.ts'

const OWNER = `0014${'11'.repeat(20)}`

const order = (
  changes: Pick<Priced, 'side' | 'quotedPriceSats'>,
  held: readonly string[] = [OWNER],
): Priced => {
  const inputWitnessUtxos = held.map((scriptHex) => ({ scriptHex, valueSats: '10000' }))
  return { ...changes, sellerScriptHex: OWNER, inspection: { inputWitnessUtxos } }
}

describe('one price in the pages: the one that lists filter and sort by', () => {
  test.each([
    ['an ask', order({ side: 'ASK', quotedPriceSats: '85000' }), '85000', null, '75000'],
    ['a bid', order({ side: 'BID', quotedPriceSats: '75000' }), '75000', '85000', '75000'],
    ['a bid at a loss has none', order({ side: 'BID' }), null, null, null],
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
  ])('%s', (_, shown, price, withPostage, net) => {
    expect(priceOf(shown)).toMatchObject({ price, withPostage, net })
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
