import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSummary } from '../../../src/domain/order/order-summary.ts'
import { answerOf, showAnswer } from '../../../src/domain/order/stored-answer.ts'
import { LOG_SCHEMA, type Watermark } from '../../../src/schemas/log.ts'
import { OrderSummary } from '../../../src/schemas/order.ts'
import { orderKinds } from '../../support/orders/order-book.ts'

const orders = [...orderKinds()]
const START = Date.parse('2026-01-01T00:00:00.000Z')
const tip = { height: 900_000, hash: 'ab'.repeat(32), medianTime: 1_795_000_000 }

/** A partition's progress: covering or not, before and after what orders were verified under. */
const freshness = fc.option(
  fc
    .record({
      since: fc.integer({ min: 0, max: 9 }),
      at: fc.integer({ min: 0, max: 7_200_000 }),
      covers: fc.boolean(),
      height: fc.integer({ min: 899_980, max: 900_100 }),
      renewed: fc.boolean(),
    })
    .map(({ since, at, covers, height, renewed }) => ({
      continuousSince: { epoch: 1, n: since },
      ...(renewed ? { renewedUpTo: '8'.repeat(64) } : {}),
      watermark: {
        schema: LOG_SCHEMA,
        kind: 'watermark',
        epoch: 1,
        n: 10,
        at: new Date(START + at).toISOString(),
        covers,
        tip: { ...tip, height },
        mempoolSequence: 1,
        index: null,
        indexStatus: 'ready',
        touched: '',
      } as Watermark,
    })),
)

test('a stored answer is shown as the bytes of the summary, at any moment', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...orders),
      freshness,
      fc.integer({ min: 0, max: 7_200_000 }),
      fc.constantFrom(null, 'PSBT_HANDOFF', 'VIEW_ONLY'),
      (order, seen, afterMs, capability) => {
        const terms = {
          now: START + afterMs,
          maxAgeSeconds: 600,
          capabilityOf: () => capability,
        }
        const { body } = showAnswer({ order: answerOf(order), freshness: seen }, terms)
        const { summary } = toSummary({ order, freshness: seen }, terms)
        expect(body).toBe(JSON.stringify(summary))
        expect(OrderSummary.parse(JSON.parse(body))).toEqual(JSON.parse(body))
      },
    ),
    { numRuns: 500 },
  )
})

test('the tag of an answer identifies its bytes', () => {
  const tags = new Map<string, string>()
  for (const order of orders) {
    for (const now of [START, START + 3_600_000, START + 86_400_000]) {
      const terms = { now, maxAgeSeconds: 600, capabilityOf: () => null }
      const { body, tag } = showAnswer({ order: answerOf(order), freshness: null }, terms)
      expect(tags.get(tag) ?? body).toBe(body)
      // Of an ETag: visible ASCII without quotes (RFC 9110, 8.8.3).
      expect(tag).toMatch(/^[\x21\x23-\x7e]+$/)
      tags.set(tag, body)
    }
  }
  expect(new Set(tags.values()).size).toBe(tags.size)
})
