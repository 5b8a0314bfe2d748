import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isListed, isWanted, type OrderFilters } from '../../../src/domain/listing/filters.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { matches } from '../../support/orders/naive-listing.ts'
import { bookOf, type Dice, dice, STATES } from '../../support/orders/order-book.ts'
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

test('a filter other than of states only narrows the list, and naming a state shows it', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const roll = dice(seed)
      const orders = bookOf(20, seed).map((order) => mutated(roll, order))
      const shows = { includeWithdrawn: roll.chance(0.2), ...someStates(roll) }
      const {
        state: _a,
        states: _b,
        includeWithdrawn: _c,
        hidden: _d,
        ...narrowing
      } = someFilters(roll, orders)
      for (const order of orders) {
        const narrowed = isListed(order, { ...narrowing, ...shows })
        expect(narrowed && !isListed(order, shows), JSON.stringify(narrowing)).toBe(false)
        const named = { includeWithdrawn: false, states: [order.state] }
        expect(isListed(order, named)).toBe(order.hidden === undefined)
        expect(isListed(order, { ...narrowing, ...named })).toBe(
          order.hidden === undefined &&
            isWanted(order, { ...narrowing, ...named }) &&
            isSince(order, narrowing),
        )
      }
    }),
    { numRuns: RUNS },
  )
})

function someStates(roll: Dice): Pick<OrderFilters, 'state' | 'states'> {
  return roll.of([{}, { state: roll.of(STATES) }, { states: [roll.of(STATES), roll.of(STATES)] }])
}

const isSince = (
  { updatedAt }: OrderRecord,
  { updatedSince = '' }: Partial<OrderFilters>,
): boolean => updatedAt >= updatedSince

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
