import { describe, expect, test } from 'vitest'
import { isExactPayout, signedPrice } from '../../../src/domain/verdict/payout.ts'
import {
  askClaim,
  bidClaim,
  PAYOUT,
  PREVOUT,
  SELLER,
  spendBy,
} from '../../support/orders/evidence.ts'

const ask = askClaim().offer
const bid = bidClaim().offer

describe('the exact payout', () => {
  test('of an ask is at the index of the spending input', () => {
    expect(isExactPayout(ask, spendBy('a'))).toBe(true)
    expect(isExactPayout(ask, spendBy('a', { pairedOutput: { ...PAYOUT, valueSats: '1' } }))).toBe(
      false,
    )
    expect(isExactPayout(ask, spendBy('a', { pairedOutput: null }))).toBe(false)
    expect(isExactPayout({ ...ask, payouts: [] }, spendBy('a'))).toBe(false)
  })

  test('of a bid is its own transaction', () => {
    expect(isExactPayout(bid, spendBy('a'))).toBe(false)
    expect(isExactPayout(bid, spendBy('a', { unsignedTxid: bid.unsignedTxid }))).toBe(true)
  })
})

describe('the signed price', () => {
  test('of an ask is its payout, known before any authority answers', () => {
    expect(signedPrice(ask, null)).toBe(PAYOUT.valueSats)
  })

  test("of a bid is what reaches the seller's script less the asset's own value", () => {
    expect(signedPrice(bid, PREVOUT)).toBe('500000')
    expect(signedPrice(bid, null)).toBeNull()
  })

  test('of a bid that leaves the seller nothing is none', () => {
    const [postage] = bid.payouts
    const back = { valueSats: PREVOUT.valueSats, scriptHex: SELLER }
    expect(signedPrice({ ...bid, payouts: postage ? [postage, back] : [] }, PREVOUT)).toBeNull()
    expect(signedPrice(bid, { ...PREVOUT, scriptHex: `0014${'00'.repeat(20)}` })).toBeNull()
  })
})
