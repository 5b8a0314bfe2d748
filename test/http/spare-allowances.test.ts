import { beforeEach, expect, test } from 'vitest'
import { SpareAllowances } from '../../src/http/limits/spare-allowances.ts'

const MINUTE_S = 60
let now: number
let spare: SpareAllowances
beforeEach(() => {
  now = 0
  spare = new SpareAllowances({ monotonic: () => now }, 3)
})

const note = (client: string, requests: number, remaining = requests): void =>
  spare.note(client, requests, { max: 600, remaining, ttlInSeconds: MINUTE_S })
const takes = (client: string, count: number): number =>
  Array.from({ length: count }, () => spare.take(client)).filter((taken) => taken).length

test('a client that was never counted has nothing to spare', () => {
  expect(spare.take('a')).toBeNull()
})

test('all but the last 32 of a limit are spare', () => {
  note('a', 100)
  expect(takes('a', 200)).toBe(68)
  expect(spare.take('b')).toBeNull()
})

test('a client is shown its own count, less what it used since, and the time left', () => {
  note('a', 100, 400)
  now = 10_500
  expect(spare.take('a')).toEqual({ max: 600, remaining: 399, ttlInSeconds: 50 })
  expect(spare.take('a')).toEqual({ max: 600, remaining: 398, ttlInSeconds: 50 })
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
  expect(spare.take('a')).toBeNull()
  note('a', 600)
  expect(takes('a', 600)).toBe(568)
})

test('8 requests of an unknown client are served before one was counted', () => {
  const unknown = (client: string, count: number): number =>
    Array.from({ length: count }, () => spare.takeUnknown(client)).filter(Boolean).length
  expect(unknown('a', 20)).toBe(8)
  expect(unknown('b', 1)).toBe(1)
  note('a', 20)
  expect(unknown('a', 20)).toBe(0)
  now = MINUTE_S * 1_000
  expect(unknown('a', 20)).toBe(8)
})

test('once a count has failed, a client is served nothing before it was counted', () => {
  note('a', 100)
  spare.suspend('a')
  expect(spare.take('a')).toBeNull()
  expect(spare.takeUnknown('a')).toBe(false)
  expect(spare.takeUnknown('b')).toBe(false)
  note('a', 100)
  expect(takes('a', 100)).toBe(68)
  expect(spare.takeUnknown('b')).toBe(true)
})

test('beyond the number remembered, the longest idle client is forgotten', () => {
  for (const client of ['a', 'b', 'c', 'a', 'd']) note(client, 100)
  const known = ['a', 'b', 'c', 'd'].map((client) => spare.take(client) !== null)
  expect(known).toEqual([true, false, true, true])
})
