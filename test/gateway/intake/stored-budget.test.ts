import { expect, test } from 'vitest'
import { openStoredBudget } from '../../../src/gateway/intake/stored-budget.ts'
import { RefusalError } from '../../../src/gateway/refusal.ts'
import type { OfferClaim } from '../../../src/schemas/order-record.ts'
import { askClaim } from '../../support/orders/evidence.ts'

const MIB = 2 ** 20
const HOUR_MS = 3_600_000
const fat: OfferClaim = { ...askClaim(), artifact: 'A'.repeat(80_000) }

function opened() {
  let now = 0
  const budget = openStoredBudget(3 * MIB, { monotonic: () => now })
  const refusalOf = (client: string, claim: OfferClaim): RefusalError | null => {
    try {
      budget.spend(client, claim)
      return null
    } catch (error) {
      return error as RefusalError
    }
  }
  /** Until the first refusal. */
  const spendAll = (client: string, claim: OfferClaim): number => {
    let taken = 0
    while (refusalOf(client, claim) === null) taken += 1
    return taken
  }
  return {
    spendAll,
    refusalOf,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a client has a third of an hour’s bytes at once', () => {
  const { spendAll } = opened()
  const fats = spendAll('fat', fat)
  expect(fats * 80_000).toBeLessThan(MIB)
  expect(fats * 90_000).toBeGreaterThan(MIB - 90_000)
  expect(spendAll('thin', askClaim())).toBeGreaterThan(10 * fats)
})

test('no client is refused because of others', () => {
  const { spendAll } = opened()
  const one = spendAll('one', fat)
  expect(spendAll('two', fat)).toBe(one)
})

test('a refusal says when there is room again, and then there is', () => {
  const { spendAll, refusalOf, pass } = opened()
  spendAll('one', fat)
  const refusal = refusalOf('one', fat)
  expect(refusal).toBeInstanceOf(RefusalError)
  expect(refusal?.code).toBe('MARKET_RATE_LIMITED')
  const seconds = refusal?.retryAfterSeconds ?? 0
  expect(seconds).toBeGreaterThan(0)
  pass(seconds * 1_000)
  expect(refusalOf('one', fat)).toBeNull()
})

test('an hour allows no more than its bytes, and a burst', () => {
  const { spendAll, pass } = opened()
  let taken = spendAll('one', fat)
  for (let minute = 0; minute < 60; minute += 1) {
    pass(HOUR_MS / 60)
    taken += spendAll('one', fat)
  }
  expect(taken * 80_000).toBeLessThan(4 * MIB)
  expect(taken * 90_000).toBeGreaterThan(3 * MIB)
})
