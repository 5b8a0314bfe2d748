import { beforeEach, expect, test } from 'vitest'
import { OptimisticCounts } from '../../../src/http/limits/optimistic-counts.ts'

const MINUTE_S = 60
let now: number
let counts: OptimisticCounts
beforeEach(() => {
  now = 0
  counts = new OptimisticCounts({ monotonic: () => now }, 3)
})

const note = (client: string, requests: number, remaining = requests): void =>
  counts.note(client, requests, { max: 600, remaining, ttlInSeconds: MINUTE_S })
const takes = (client: string, count: number): number =>
  Array.from({ length: count }, () => counts.take(client)).filter((taken) => taken).length

test('a client that was never counted has nothing to spare', () => {
  expect(counts.take('a')).toBeNull()
})

test('all but the last 32 of a limit are spare', () => {
  note('a', 100)
  expect(takes('a', 200)).toBe(68)
  expect(counts.take('b')).toBeNull()
})

test('a client is shown its own count, less what it used since, and the time left', () => {
  note('a', 100, 400)
  now = 10_500
  expect(counts.take('a')).toEqual({ max: 600, remaining: 399, ttlInSeconds: 50 })
  expect(counts.take('a')).toEqual({ max: 600, remaining: 398, ttlInSeconds: 50 })
})

test('requests in flight stay counted, though the shared count lacks them yet', () => {
  note('a', 100)
  expect(takes('a', 50)).toBe(50)
  note('a', 99)
  expect(takes('a', 200)).toBe(18)
})

test('what others used of it is no longer spare', () => {
  note('a', 100)
  note('a', 33)
  expect(takes('a', 200)).toBe(1)
})

test('after its time it is unknown, and what is counted then is spare', () => {
  note('a', 33)
  now = MINUTE_S * 1_000 - 1
  note('a', 600)
  expect(takes('a', 600)).toBe(1)
  now = MINUTE_S * 1_000
  expect(counts.take('a')).toBeNull()
  note('a', 600)
  expect(takes('a', 600)).toBe(568)
})

test('8 requests of an unknown client are served before one was counted', () => {
  const unknown = (client: string, count: number): number =>
    Array.from({ length: count }, () => counts.admitUncounted(client)).filter(Boolean).length
  expect(unknown('a', 20)).toBe(8)
  expect(unknown('b', 1)).toBe(1)
  note('a', 20)
  expect(unknown('a', 20)).toBe(0)
  now = MINUTE_S * 1_000
  expect(unknown('a', 20)).toBe(8)
})

test('once a count has failed, a client is served nothing before it was counted', () => {
  note('a', 100)
  counts.suspend('a')
  expect(counts.take('a')).toBeNull()
  expect(counts.admitUncounted('a')).toBe(false)
  expect(counts.admitUncounted('b')).toBe(false)
  note('a', 100)
  expect(takes('a', 100)).toBe(68)
  expect(counts.admitUncounted('b')).toBe(true)
})

test('beyond the number remembered, the longest idle client is forgotten', () => {
  for (const client of ['a', 'b', 'c', 'a', 'd']) note(client, 100)
  const known = ['a', 'b', 'c', 'd'].map((client) => counts.take(client) !== null)
  expect(known).toEqual([true, false, true, true])
})
