import { expect, test } from 'vitest'
import { RefusalError } from '../../../src/gateway/refusal.ts'
import { StreamPlaces } from '../../../src/http/streams/stream-places.ts'

const of = (n: number) => [`192.0.2.${n}`, '192.0.2.0/24']
const refusal = (take: () => unknown): unknown => {
  try {
    take()
  } catch (error) {
    return error instanceof RefusalError && [error.code, error.message]
  }
  return null
}

test('a client and its network have a number of places, and can reuse those they give back', () => {
  const places = new StreamPlaces({ perClient: 2, inAll: 100 })
  const leave = places.take(of(1))
  places.take(of(1))
  expect(refusal(() => places.take(of(1)))).toEqual([
    'MARKET_RATE_LIMITED',
    'at most 2 streams at a time',
  ])
  for (const n of [2, 2, 3, 3, 4, 4]) places.take(of(n))
  expect(refusal(() => places.take(of(5)))).toEqual([
    'MARKET_RATE_LIMITED',
    'at most 8 streams at a time from 192.0.2.0/24',
  ])
  leave()
  leave()
  expect(places.size).toBe(7)
  places.take(of(5))
  expect(places.size).toBe(8)
})

test('all clients together have a number of places', () => {
  const places = new StreamPlaces({ perClient: 8, inAll: 2 })
  const leave = places.take(['203.0.113.1'])
  places.take(['203.0.113.2'])
  const third = () => places.take(['203.0.113.3'])
  expect(refusal(third)).toEqual(['OVERLOADED', 'this gateway serves 2 streams already'])
  leave()
  expect(refusal(third)).toBeNull()
})
