import { expect, test } from 'vitest'
import { type ObservedOrder, toSummary } from '../../../src/domain/order/order-summary.ts'
import { OrderSummary } from '../../../src/schemas/order.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { OrderState } from '../../../src/schemas/scalars.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'
import { bookOf } from '../../support/orders/order-book.ts'
import { watermarkOf } from '../../support/orders/order-changes.ts'

const VERIFIED = '2026-02-01T00:00:00.000Z'
const WATERMARK = '2026-02-01T01:00:00.000Z'
const NOW = Date.parse(WATERMARK) + 30_000

const [some] = bookOf(1, 41)
const { protocolId: _, ...base } = some!
const live: OrderRecord = {
  ...base,
  state: 'LIVE',
  verifiedAt: VERIFIED,
  quotedPriceSats: '1000',
  notes: [],
  anchor: { ...some!.anchor!, watermark: { epoch: 2, n: 7 } },
  kept: {
    ...some!.kept,
    inspection: {
      ...some!.kept.inspection,
      orderClass: 'ASK_ANYONECANPAY',
      safety: 'PUBLIC_RACEABLE',
    },
  },
}
const fresh = {
  watermark: { ...watermarkOf(9, WATERMARK), epoch: 2 },
  continuousSince: { epoch: 2, n: 7 },
}

const show = (
  order: Partial<OrderRecord> = {},
  freshness: ObservedOrder['freshness'] = fresh,
  now = NOW,
) =>
  toSummary(
    { order: { ...live, ...order }, freshness },
    {
      now,
      maxAgeSeconds: 600,
      capabilityOf: (id) =>
        id === 'handoff' ? 'PSBT_HANDOFF' : id === 'external' ? 'EXTERNAL_SETTLEMENT' : null,
    },
  )

test('an ask under unbroken watermarks is as fresh as the last of them', () => {
  const { summary, verification } = show()
  expect(verification).toEqual({
    checkedAt: WATERMARK,
    ageSeconds: 30,
    maxAgeSeconds: 600,
    stale: false,
  })
  expect(summary.validation.checkedAt).toBe(WATERMARK)
  expect(summary.actionability).toBe('HANDOFF_READY')
  expect(OrderSummary.parse(summary)).toEqual(summary)
})

const bid: OrderRecord['kept'] = {
  ...live.kept,
  inspection: { ...live.kept.inspection, orderClass: 'BID_FULLY_FUNDED' },
}

test('a bid is as fresh as its partition, whose watermarks name what was touched', () => {
  const { verification } = show({ kept: bid }, fresh)
  expect(verification).toMatchObject({ checkedAt: WATERMARK, stale: false })
})

test('what breaks continuity leaves an order with its own verification [spec 3 rule 4]', () => {
  const broken: [string, Partial<OrderRecord>, ObservedOrder['freshness']][] = [
    ['no watermark yet', {}, null],
    [
      'the watermark does not cover',
      {},
      { ...fresh, watermark: { ...fresh.watermark, covers: false } },
    ],
    ['verified before the gap', {}, { ...fresh, continuousSince: { epoch: 2, n: 8 } }],
    ['verified in an earlier epoch', {}, { ...fresh, continuousSince: { epoch: 3, n: 0 } }],
    ['verified under no watermark', { anchor: { ...live.anchor!, watermark: null } }, fresh],
    ['decided on a block not followed yet', { anchor: { ...live.anchor!, ahead: true } }, fresh],
    ['not live', { state: 'MEMPOOL_CONFLICTED' }, fresh],
  ]
  for (const [what, order, freshness] of broken) {
    const { verification, summary } = show(order, freshness)
    expect(verification, what).toMatchObject({
      checkedAt: VERIFIED,
      ageSeconds: 3_630,
      stale: true,
    })
    expect(summary.actionability, what).toBe('REVIEW_ONLY')
  }
})

test('a watermark older than the own verification changes nothing; a clock a minute behind makes no age', () => {
  const later = '2026-02-01T02:00:00.000Z'
  const at = (ms: number) => show({ verifiedAt: later }, fresh, Date.parse(later) + ms).verification
  expect(at(-60_000)).toEqual({
    checkedAt: later,
    ageSeconds: 0,
    maxAgeSeconds: 600,
    stale: false,
  })
  expect(at(600_000)).toMatchObject({ checkedAt: later, stale: false })
})

test('a clock set back makes stale what was verified under the old one, until a watermark renews it', () => {
  const future = '2026-02-01T02:00:00.000Z'
  const later = { ...fresh, watermark: { ...fresh.watermark, at: future } }
  const onlyOwn = show({ verifiedAt: future }, null)
  const both = show({ verifiedAt: future }, later)
  const onlyWatermark = show({}, later)
  for (const { verification, summary } of [onlyOwn, both, onlyWatermark]) {
    expect(verification.stale).toBe(true)
    expect(summary.actionability).toBe('REVIEW_ONLY')
  }
  const { verification, summary } = show({ verifiedAt: future })
  expect(verification).toMatchObject({ checkedAt: WATERMARK, ageSeconds: 30, stale: false })
  expect(summary.actionability).toBe('HANDOFF_READY')
  const own = show({ verifiedAt: WATERMARK }, later).verification
  expect(own).toMatchObject({ checkedAt: WATERMARK, ageSeconds: 30, stale: false })
})

test('the bound itself is fresh, a millisecond more is stale; never verified is stale [spec 2.2 VerificationView.stale]', () => {
  const at = Date.parse(WATERMARK)
  expect(show({}, fresh, at + 600_000).verification.stale).toBe(false)
  expect(show({}, fresh, at + 600_001).verification.stale).toBe(true)
  const checkedAt = WATERMARK
  const never = { verifiedAt: null, validation: { ...live.validation, checkedAt } }
  expect(show(never).verification).toMatchObject({ checkedAt, stale: true })
})

test('every state has its actionability, whatever else holds [spec 3 rule 6]', () => {
  const expected = {
    LIVE: 'HANDOFF_READY',
    PENDING_NODE: 'REVIEW_ONLY',
    PENDING_ASSET: 'REVIEW_ONLY',
    MEMPOOL_CONFLICTED: 'REVIEW_ONLY',
    SPENT: 'BLOCKED',
    SETTLED: 'BLOCKED',
    REJECTED: 'BLOCKED',
    WITHDRAWN: 'BLOCKED',
  }
  for (const state of OrderState.options) {
    expect(show({ state }).summary.actionability, state).toBe(expected[state])
  }
})

test('only a raceable ask of a market that hands off is ready [spec 3 rule 6]', () => {
  const ready = (order: Partial<OrderRecord>) => show(order).summary.actionability
  expect(ready({ protocolId: 'handoff' })).toBe('HANDOFF_READY')
  expect(ready({ protocolId: 'external' })).toBe('REVIEW_ONLY')
  expect(ready({ protocolId: 'unknown' })).toBe('REVIEW_ONLY')
  const inspection = { ...live.kept.inspection, safety: 'TARGETED_REVIEW' as const }
  expect(ready({ kept: { ...live.kept, inspection } })).toBe('REVIEW_ONLY')
})

test('confirmations are counted from the tip of the last watermark', () => {
  const settlement = { txid: toTxid('cc'.repeat(32)), observedAt: VERIFIED, confirmations: 1 }
  const spendAt = (height: number | null) => ({
    txid: settlement.txid,
    inputIndex: 0,
    unsignedTxid: settlement.txid,
    pairedOutput: null,
    block: height === null ? null : { height, hash: toBlockHash('dd'.repeat(32)), time: 0 },
  })
  const confirmations = (height: number | null, freshness: ObservedOrder['freshness'] = fresh) =>
    show({ state: 'SETTLED', settlement, spend: spendAt(height) }, freshness).summary.settlement
      ?.confirmations
  const tip = fresh.watermark.tip.height
  expect(confirmations(tip)).toBe(1)
  expect(confirmations(tip - 99)).toBe(100)
  // The view is ahead of its watermark, or there is none: the count as of its observation.
  expect(confirmations(tip + 1)).toBe(1)
  expect(confirmations(tip - 5, null)).toBe(1)
  expect(confirmations(null)).toBe(1)
})

test('a claimed price that differs is shown once, with the notes and reasons', () => {
  const source = { ...live.sources[0]!, claimedPriceSats: '999' }
  const reasons = (order: Partial<OrderRecord>) => show(order).summary.validation.reasons
  const noted = {
    sources: [source, source],
    notes: ['utxo_without_vout'],
    validation: { ...live.validation, reasons: ['asset_mismatch', 'utxo_without_vout'] },
  }
  expect(reasons(noted)).toEqual(['asset_mismatch', 'utxo_without_vout', 'price_claim_differs'])
  expect(reasons({ ...noted, quotedPriceSats: '999' })).toEqual([
    'asset_mismatch',
    'utxo_without_vout',
  ])
})

test('a LIVE order names the runes that it was proved to hold, a few of many', () => {
  const proof = live.indexProof!
  const reasons = (count: number, state: OrderRecord['state'] = 'LIVE') => {
    const runes = Array.from({ length: count }, (_, n) => ({ name: `RUNE•${n}`, amount: `${n}.5` }))
    return show({ state, indexProof: { ...proof, runes } }).summary.validation.reasons
  }
  expect(reasons(1)).toContain('holds_rune 0.5 RUNE•0')
  expect(reasons(9)).toContain('holds_rune and 1 more')
  expect(reasons(9).filter((reason) => reason.startsWith('holds_rune'))).toHaveLength(9)
  expect(reasons(1, 'SPENT').join()).not.toContain('holds_rune')
})

test('a withdrawn order says that it can still be spent, until a block spends it [spec 1 rule 5]', () => {
  const reasons = (order: Partial<OrderRecord>, signature = 'VALID' as 'VALID' | 'INVALID') => {
    const inspection = { ...live.kept.inspection, signatureStatus: signature }
    const kept = { ...live.kept, inspection }
    return show({ state: 'WITHDRAWN', kept, ...order }).summary.validation.reasons
  }
  const spend = {
    txid: toTxid('aa'.repeat(32)),
    inputIndex: 0,
    unsignedTxid: toTxid('cc'.repeat(32)),
    pairedOutput: null,
    block: null,
  }
  expect(reasons({})).toContain('still_spendable')
  expect(reasons({ spend })).toContain('still_spendable')
  const block = { height: 7, hash: toBlockHash('dd'.repeat(32)), time: 0 }
  expect(reasons({ spend: { ...spend, block } })).not.toContain('still_spendable')
  expect(reasons({}, 'INVALID')).not.toContain('still_spendable')
  expect(reasons({ state: 'LIVE' })).not.toContain('still_spendable')
})
