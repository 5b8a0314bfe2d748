import { expect, test } from 'vitest'
import { RefusalError } from '../../../src/gateway/refusal.ts'
import { FairSlots } from '../../../src/http/limits/fair-slots.ts'

const of = (n: number) => [`192.0.2.${n}`, '192.0.2.0/24']
/** A client in a network of its own. */
const alone = (n: number) => [`203.0.${n}.1`, `203.0.${n}.0/24`]
const holder = { isIdle: () => true, end: () => {} }
const refusal = (take: () => unknown): unknown => {
  try {
    take()
  } catch (error) {
    return error instanceof RefusalError && [error.code, error.message]
  }
  return null
}

test('a client and its network have a number of places, and can reuse those they give back', () => {
  const places = new FairSlots('streams', { perClient: 2, inAll: 100 })
  const leave = places.take(of(1), holder)
  places.take(of(1), { ...holder })
  expect(refusal(() => places.take(of(1), { ...holder }))).toEqual([
    'MARKET_RATE_LIMITED',
    'at most 2 streams at a time',
  ])
  for (const n of [2, 2, 3, 3, 4, 4]) places.take(of(n), { ...holder })
  expect(refusal(() => places.take(of(5), { ...holder }))).toEqual([
    'MARKET_RATE_LIMITED',
    'at most 8 streams at a time from 192.0.2.0/24',
  ])
  leave()
  leave()
  expect(places.size).toBe(7)
  places.take(of(5), { ...holder })
  expect(places.size).toBe(8)
})

test('all clients together have a number of places', () => {
  const places = new FairSlots('streams', { perClient: 8, inAll: 2 })
  const leave = places.take(['203.0.113.1'], { ...holder })
  places.take(['203.0.113.2'], { ...holder })
  const third = () => places.take(['203.0.113.3'], { ...holder })
  expect(refusal(third)).toEqual(['OVERLOADED', 'this gateway serves 2 streams already'])
  leave()
  expect(refusal(third)).toBeNull()
})

test('where all are taken, the network that holds most gives its oldest idle one to one that holds few', () => {
  const ended: string[] = []
  const places = new FairSlots('streams', { perClient: 8, inAll: 20 })
  const take = (networks: string[], name: string, isIdle = true) =>
    places.take(networks, { isIdle: () => isIdle, end: () => ended.push(name) })
  for (let n = 0; n < 12; n += 1) take(of(n % 2), `most ${n}`, n > 1)
  for (let n = 0; n < 8; n += 1) take(alone(99), `less ${n}`)
  expect(refusal(() => take(of(2), 'of the same network'))).toEqual([
    'OVERLOADED',
    'this gateway serves 20 streams already',
  ])
  expect(ended).toEqual([])
  take(alone(1), 'one')
  take(alone(2), 'another')
  expect(ended).toEqual(['most 2', 'most 3'])
  expect(places.size).toBe(20)
  // Those that hold many keep half between them.
  for (let n = 3; n <= 10; n += 1) take(alone(n), `single ${n}`)
  expect(ended).toHaveLength(10)
  expect(refusal(() => take(alone(11), 'one more'))).toEqual([
    'OVERLOADED',
    'this gateway serves 20 streams already',
  ])
})

test('a place that was taken away is not given back twice', () => {
  const places = new FairSlots('streams', { perClient: 8, inAll: 4 })
  const leaves = Array.from({ length: 4 }, () => places.take(of(1), { ...holder }))
  places.take(alone(1), { ...holder })
  for (const leave of leaves) leave()
  expect(places.size).toBe(1)
})
