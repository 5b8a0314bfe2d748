import { describe, expect, test } from 'vitest'
import { VouchedOrders } from '../../../src/actors/partition/vouched-orders.ts'
import type { OrderId } from '../../../src/schemas/scalars.ts'
import { hash } from '../../support/orders/evidence.ts'

const MINUTE = 60_000
const idOf = (n: number): OrderId => hash(`order ${n}`)

/** Adds so many, numbered from `first`. */
const add = (orders: VouchedOrders, count: number, first = 0): void => {
  for (let n = first; n < first + count; n += 1) orders.add(idOf(n))
}

describe('orders that a gateway vouched for', () => {
  test('are handed over once each, in their order, as ranges that hold them', () => {
    const orders = new VouchedOrders()
    add(orders, 3)
    const ranges = [...orders.take(2), ...orders.take(2)]
    expect(ranges).toHaveLength(3)
    for (const [n, { after, upTo }] of ranges.entries())
      expect(String(after) < idOf(n) && idOf(n) <= upTo).toBe(true)
    expect(orders.take(2)).toEqual([])
  })

  test('are handed over again by a new owner for two to four minutes', () => {
    const orders = new VouchedOrders()
    orders.reach(0)
    add(orders, 2)
    orders.take(2)
    const again = () => new VouchedOrders(orders.stored() ?? undefined).take(9)
    expect(again()).toHaveLength(2)
    orders.reach(2 * MINUTE)
    expect(again()).toHaveLength(2)
    orders.reach(4 * MINUTE)
    expect(orders.stored()).toBeNull()
  })

  test('are bounded, remembered and waiting, while the sweep has no room for hours', () => {
    const orders = new VouchedOrders()
    for (let turn = 0; turn < 4; turn += 1) {
      orders.reach(turn * 2 * MINUTE)
      add(orders, 9_000, turn * 9_000)
    }
    expect(new VouchedOrders(orders.stored() ?? undefined).take(99_999)).toHaveLength(2 * 8_192)
    expect(orders.take(99_999)).toHaveLength(2 * 8_192)
  })
})
