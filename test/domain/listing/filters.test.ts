import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isListed, isWanted } from '../../../src/domain/listing/filters.ts'
import { matches } from '../../support/orders/naive-listing.ts'
import { bookOf, dice } from '../../support/orders/order-book.ts'
import { mutated } from '../../support/orders/order-changes.ts'
import { someFilters } from '../../support/orders/random-filters.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 200)

test('an order is listed as a plain implementation of the filters says', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const roll = dice(seed)
      const orders = bookOf(20, seed).map((order) => mutated(roll, order))
      const filters = { includeWithdrawn: roll.chance(0.5), ...someFilters(roll, orders) }
      for (const order of orders) {
        expect(isListed(order, filters), JSON.stringify(filters)).toBe(matches(order, filters))
      }
    }),
    { numRuns: RUNS },
  )
})

test('an order that leaves a list by its state or an operator still matches the other filters', () => {
  const [order] = bookOf(1, 1)
  if (!order) throw new Error('no order')
  const filters = { includeWithdrawn: false, state: 'LIVE' as const }
  const hidden = { hiddenAt: order.createdAt }
  for (const gone of [
    { ...order, state: 'WITHDRAWN' as const },
    { ...order, hidden },
  ]) {
    expect(isListed(gone, filters)).toBe(false)
    expect(isWanted(gone, filters)).toBe(true)
  }
})
