import { describe, expect, test } from 'vitest'
import { WaitingOrders } from '../../src/actors/waiting-orders.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { watermark } from '../support/log/watermarks.ts'
import { hash } from '../support/orders/evidence.ts'
import { orderOf } from '../support/orders/orders.ts'

/** Waits for the node, last checked in that second. */
const waiting = (name: string, second: number): OrderRecord => {
  const order = orderOf({ id: hash(name), reason: 'node_unavailable' })
  const checkedAt = new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString()
  return { ...order, validation: { ...order.validation, checkedAt } }
}
const ORDERS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => waiting(name, at % 3))
const expected = ORDERS.toSorted((a, b) =>
  `${a.validation.checkedAt}${a.id}` < `${b.validation.checkedAt}${b.id}` ? -1 : 1,
).map(({ id }) => id)

function filledWith(orders: readonly OrderRecord[]) {
  const all = new WaitingOrders()
  for (const order of orders) all.put(order)
  return all
}
const idsOf = (all: WaitingOrders, limit: number) =>
  all.due(watermark(1), limit).map(({ id }) => id)

describe('the orders that wait', () => {
  test.each([0, 1, 2, 3, 5, 6, 100])('at most %d are due, those checked longest ago', (limit) => {
    expect(idsOf(filledWith(ORDERS), limit)).toEqual(expected.slice(0, limit))
  })

  test('are due in the same order, however they were added', () => {
    const turned = filledWith([...ORDERS.toReversed(), ORDERS[3] ?? waiting('d', 0)])
    expect(idsOf(turned, 4)).toEqual(expected.slice(0, 4))
  })

  test('are removed when they wait for nothing, or are dropped', () => {
    const all = filledWith(ORDERS)
    const [first, second] = ORDERS
    if (!first || !second) throw new Error('no orders')
    all.put({ ...first, closedAt: first.createdAt })
    all.drop(second.id)
    expect(all.size).toBe(ORDERS.length - 2)
    expect(idsOf(all, 100)).not.toContain(first.id)
  })
})
