import { describe, expect, test } from 'vitest'
import { RefusalError } from '../../src/gateway/refusal.ts'
import { openStoredBudget } from '../../src/gateway/stored-budget.ts'
import type { OfferClaim } from '../../src/schemas/order-record.ts'
import { toOrderId, toOutpointText } from '../support/ids.ts'
import { askClaim, bidClaim, OUTPOINT } from '../support/orders/evidence.ts'

const MIB = 2 ** 20
const HOUR_MS = 3_600_000
const fat: OfferClaim = { ...askClaim(), artifact: 'A'.repeat(80_000) }

const NEW = { isNewOrder: true }

function opened() {
  let now = 0
  const budget = openStoredBudget(3 * MIB, { monotonic: () => now })
  let orders = 0
  const refusalOf = (
    client: string,
    claim: OfferClaim,
    order: { id?: string; isNewOrder: boolean } = { isNewOrder: false },
  ): RefusalError | null => {
    orders += 1
    try {
      const orderId = toOrderId(order.id ?? String(orders).padStart(64, '0'))
      budget.spend({ client, orderId, claims: [claim], isNewOrder: order.isNewOrder })
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

describe('the owner of an output', () => {
  const ofOutput = (vout: number): OfferClaim => ({
    ...fat,
    offer: { ...fat.offer, outpoint: toOutpointText(`${OUTPOINT.slice(0, 64)}:${vout}`) },
  })

  test('has no more for new orders with many clients than with one', () => {
    const { spendAll, refusalOf } = opened()
    const alone = spendAll('one', fat)
    for (let client = 0; client < alone; client += 1)
      expect(refusalOf(`client ${client}`, ofOutput(1), NEW)).toBeNull()
    const refusal = refusalOf('another client', ofOutput(1), NEW)
    expect(refusal?.code).toBe('MARKET_RATE_LIMITED')
    expect(refusal?.message).toContain('of one output')
    expect(refusal?.retryAfterSeconds).toBeGreaterThan(0)
    expect(refusalOf('another client', ofOutput(2), NEW)).toBeNull()
  })

  test('is charged once for an order that others send again before the views have it', () => {
    const { refusalOf } = opened()
    const order = { id: 'ab'.repeat(32), isNewOrder: true }
    for (let client = 0; client < 100; client += 1)
      expect(refusalOf(`client ${client}`, ofOutput(1), order)).toBeNull()
    expect(refusalOf('owner', ofOutput(1), NEW)).toBeNull()
  })

  test('is charged for no wrapper that a stranger adds to an order', () => {
    const { spendAll, refusalOf } = opened()
    for (let client = 0; client < 5; client += 1) spendAll(`client ${client}`, ofOutput(1))
    expect(refusalOf('owner', ofOutput(1), NEW)).toBeNull()
  })

  test('is charged for no bid that others fund, but the owner of its first funding is', () => {
    const { refusalOf } = opened()
    const bid: OfferClaim = { ...bidClaim(), artifact: fat.artifact }
    let taken = 0
    while (taken < 1_000 && refusalOf(`client ${taken}`, bid, NEW) === null) taken += 1
    expect(taken).toBeGreaterThan(5)
    expect(taken).toBeLessThan(1_000)
    expect(bid.offer.outpoint).toBe(OUTPOINT)
    expect(refusalOf('owner', fat, NEW)).toBeNull()
  })

  test('is charged for nothing that a client may not store', () => {
    const { spendAll, refusalOf } = opened()
    spendAll('one', fat)
    for (let n = 0; n < 100; n += 1) expect(refusalOf('one', ofOutput(1), NEW)).not.toBeNull()
    for (let client = 0; client < 5; client += 1)
      expect(refusalOf(`client ${client}`, ofOutput(1), NEW)).toBeNull()
  })
})

describe('customers', () => {
  const openedFor = (inAll: number, tierBytes: () => number | null = () => 6 * MIB) => {
    const stored: [string, number][] = []
    const budget = openStoredBudget(
      3 * MIB,
      { monotonic: () => 0 },
      {
        customers: {
          of: (client) => (client.startsWith('key:') ? tierBytes() : null),
          inAll,
          onStored: (client, bytes) => stored.push([client, bytes]),
        },
      },
    )
    let orders = 0
    const takenOf = (client: string): [taken: number, refusal: string] => {
      for (let taken = 0; ; taken += 1) {
        const orderId = toOrderId(String(orders++).padStart(64, '0'))
        try {
          budget.spend({ client, orderId, claims: [fat], isNewOrder: false })
        } catch (error) {
          return [taken, (error as RefusalError).message]
        }
      }
    }
    return { takenOf, stored }
  }

  test('have what their tier allows, and what they had stored is counted', () => {
    const { takenOf, stored } = openedFor(600 * MIB)
    const [strangers] = takenOf('192.0.2.1')
    expect(stored).toEqual([])
    const [taken, refusal] = takenOf('key:acme')
    expect(taken).toBeGreaterThan(2 * strangers - 2)
    expect(refusal).toBe('at most 6144 KiB of proved orders an hour with this key')
    expect(stored).toHaveLength(taken)
  })

  test('are bounded together, and take nothing from strangers', () => {
    const { takenOf } = openedFor(3 * MIB)
    const [taken, refusal] = takenOf('key:acme')
    expect(refusal).toBe('at most 3072 KiB of proved orders an hour with all keys')
    expect(takenOf('key:other')[0]).toBe(0)
    expect(takenOf('192.0.2.1')[0]).toBe(taken)
  })

  test('that move to another tier, or to one that is not configured, have what it allows', () => {
    let bytes: number | null = 6 * MIB
    const { takenOf } = openedFor(600 * MIB, () => bytes)
    const [small] = takenOf('key:acme')
    bytes = 60 * MIB
    const [large, refusal] = takenOf('key:acme')
    expect(large).toBeGreaterThan(10 * small - 10)
    expect(refusal).toContain('61440 KiB')
    expect(takenOf('key:acme')[0]).toBe(0)
    bytes = null
    expect(takenOf('key:acme')[0]).toBe(takenOf('192.0.2.1')[0])
  })
})

describe('all strangers together', () => {
  const HOURS = 2
  const openedFor = (inAll: number) => {
    let now = 0
    const clock = { monotonic: () => now }
    const budget = openStoredBudget(3 * MIB, clock, {
      customers: {
        of: (client) => (client.startsWith('key:') ? 300 * MIB : null),
        inAll: 300 * MIB,
        onStored: () => {},
      },
      strangers: { inAll, networkOf: (client) => client.split(' ')[0] ?? '' },
    })
    let orders = 0
    const refusalOf = (client: string): RefusalError | null => {
      const orderId = toOrderId(String(orders++).padStart(64, '0'))
      try {
        budget.spend({ client, orderId, claims: [fat], isNewOrder: false })
        return null
      } catch (error) {
        return error as RefusalError
      }
    }
    /** Of a network's clients, until each is refused: bytes, about. */
    const takenBy = (network: string, clients: number): number => {
      let taken = 0
      for (let client = 0; client < clients; client += 1)
        while (refusalOf(`${network} ${client}`) === null) taken += 1
      return taken * fat.artifact.length
    }
    return { refusalOf, takenBy, pass: (ms: number) => (now += ms) }
  }

  test('have no more stored an hour, from however many networks', () => {
    const { takenBy, pass } = openedFor(30 * MIB)
    let taken = 0
    for (let minute = 0; minute < 60 * HOURS; minute += 10) {
      for (let network = 0; network < 12; network += 1) taken += takenBy(`${network}`, 2)
      pass(10 * 60_000)
    }
    expect(taken).toBeLessThan((HOURS + 1 / 3) * 30 * MIB)
    expect(taken).toBeGreaterThan(HOURS * 0.7 * 30 * MIB)
  })

  test('beyond that are refused with the time until there is room, and then there is', () => {
    const { refusalOf, takenBy, pass } = openedFor(30 * MIB)
    for (let network = 0; network < 20; network += 1) takenBy(`${network}`, 1)
    const refusal = refusalOf('late')
    expect(refusal).toMatchObject({ code: 'OVERLOADED', statusCode: 503 })
    expect(refusal?.message).toBe(
      'at most 30720 KiB of proved orders an hour from all clients together: try again',
    )
    const seconds = refusal?.retryAfterSeconds ?? 0
    expect(seconds).toBeGreaterThan(0)
    pass(seconds * 1_000)
    expect(refusalOf('late')).toBeNull()
  })

  test('leave half of it to networks that had little, whatever one network sends', () => {
    const { refusalOf, takenBy, pass } = openedFor(30 * MIB)
    let taken = 0
    for (let minute = 0; minute < 60 * HOURS; minute += 10) {
      taken += takenBy('2001:db8::/48', 8)
      expect(refusalOf('2001:db8::/48 9')?.message).toBe(
        'at most 15360 KiB of proved orders an hour from networks that stored more than one client may: try again',
      )
      expect(refusalOf(`${minute}`)).toBeNull()
      pass(10 * 60_000)
    }
    expect(taken).toBeLessThan((HOURS + 1 / 3) * (15 + 3) * MIB)
    expect(taken).toBeGreaterThan(HOURS * 15 * MIB)
  })

  test('take nothing of what customers may have', () => {
    const { refusalOf, takenBy } = openedFor(3 * MIB)
    for (let network = 0; network < 3; network += 1) takenBy(`${network}`, 1)
    expect(refusalOf('late')).not.toBeNull()
    expect(refusalOf('key:acme')).toBeNull()
  })
})
