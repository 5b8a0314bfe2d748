import { expect, test } from 'vitest'
import { toSummary } from '../../../src/domain/order/order-summary.ts'
import { ChangedOrder, tellingFor } from '../../../src/gateway/streaming/changed-orders.ts'
import type { RecentChange } from '../../../src/streams/activity/recent-changes.ts'
import { toTxid } from '../../support/ids.ts'
import { bookOf } from '../../support/orders/order-book.ts'

const [order] = bookOf(1, 7)
if (!order) throw new Error('the book is empty')
const terms = { now: Date.parse(order.updatedAt), maxAgeSeconds: 60, capabilityOf: () => null }
const { summary } = toSummary({ order, freshness: null }, terms)
const KNOWN = toTxid('ab'.repeat(32))

function telling(lostSpender: RecentChange['lostSpender'], search?: string, token?: string) {
  const { id, seq, updatedAt } = order as NonNullable<typeof order>
  const change: RecentChange = {
    ...{ partition: 0, offset: 0, orderId: id, seq, observedAt: updatedAt },
    ...{ entry: null, isVerified: false, ...(lostSpender && { lostSpender }) },
  }
  const filters = { includeWithdrawn: true, ...(search && { search }), ...(token && { token }) }
  const changed = new ChangedOrder(change, order as NonNullable<typeof order>, summary)
  return tellingFor(changed, { orderId: undefined, filters, staleMs: 60_000 })
}

test.each<[RecentChange['lostSpender'], string, 'unlisted' | null]>([
  [KNOWN, 'ABAB', 'unlisted'],
  [KNOWN, KNOWN, 'unlisted'],
  [KNOWN, 'bb', null],
  ['unknown', 'bb', 'unlisted'],
  ['unknown', 'not of a txid', null],
  [undefined, 'abab', null],
])('an order that lost the spender %s is for a search of %s: %s', (lost, search, expected) => {
  expect(telling(lost, search)).toBe(expected)
})

test('the other filters hold for an order that a search finds no longer', () => {
  expect(telling(KNOWN, 'abab', 'a token of no order')).toBeNull()
})
