import { expect, test } from 'vitest'
import { diffOrder, isEmptyDiff } from '../../../src/domain/order/order-diff.ts'
import { AT, hash } from '../../support/orders/evidence.ts'
import { liveOrder, orderOf } from '../../support/orders/orders.ts'

const pending = {
  attempt: 4,
  begunAt: null,
  mempoolSequence: null,
  touched: false,
  asked: 0,
  requests: [{ requestId: 'r', kind: 'import' as const }],
  late: [],
  purpose: 'import' as const,
}

test('the first version is a change of every field, and none of its actor’s open work', () => {
  const { set, unset } = diffOrder(null, orderOf({ attempt: 4, pending, token: 'ORDI' }))
  expect(set).toEqual(orderOf({ token: 'ORDI' }))
  expect(unset).toEqual([])
})

test('a later version is the difference, by value and not by reference', () => {
  const before = liveOrder({ token: 'ORDI' })
  const { token: _token, ...after } = structuredClone(before)
  const diff = diffOrder(before, { ...after, state: 'SPENT', updatedAt: AT })
  expect(diff).toEqual({ set: { state: 'SPENT' }, unset: ['token'] })
})

test('seq, hash, attempt and the open question are never part of a change', () => {
  const before = liveOrder()
  const after = { ...before, seq: 9, hash: hash('another'), attempt: 4, pending }
  expect(isEmptyDiff(diffOrder(before, after))).toBe(true)
})
