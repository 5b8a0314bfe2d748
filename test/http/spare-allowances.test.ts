import { beforeEach, expect, test } from 'vitest'
import { SpareAllowances } from '../../src/http/plugins/spare-allowances.ts'

const MINUTE_MS = 60_000
let now: number
let spare: SpareAllowances
beforeEach(() => {
  now = 0
  spare = new SpareAllowances({ monotonic: () => now }, 3)
})

const takes = (client: string, count: number): number =>
  Array.from({ length: count }, () => spare.take(client)).filter((taken) => taken).length

test('a client that was never counted has nothing to spare', () => {
  expect(spare.take('a')).toBe(false)
})

test('all but the last 32 of a limit are spare', () => {
  spare.note('a', 100, MINUTE_MS)
  expect(takes('a', 200)).toBe(68)
  expect(spare.take('b')).toBe(false)
})

test('what is under way stays taken, though the count does not know of it yet', () => {
  spare.note('a', 100, MINUTE_MS)
  expect(takes('a', 50)).toBe(50)
  spare.note('a', 99, MINUTE_MS)
  expect(takes('a', 200)).toBe(18)
})

test('what others used of it is no longer spare', () => {
  spare.note('a', 100, MINUTE_MS)
  spare.note('a', 33, MINUTE_MS)
  expect(takes('a', 200)).toBe(1)
})

test('after its time it is unknown, and what is counted then is spare', () => {
  spare.note('a', 33, MINUTE_MS)
  now = MINUTE_MS - 1
  spare.note('a', 600, MINUTE_MS)
  expect(takes('a', 600)).toBe(1)
  now = MINUTE_MS
  expect(spare.take('a')).toBe(false)
  spare.note('a', 600, MINUTE_MS)
  expect(takes('a', 600)).toBe(568)
})

test('of more clients than are remembered the one longest not heard of is forgotten', () => {
  for (const client of ['a', 'b', 'c', 'a', 'd']) spare.note(client, 100, MINUTE_MS)
  expect(['a', 'b', 'c', 'd'].map((client) => spare.take(client))).toEqual([
    true,
    false,
    true,
    true,
  ])
})
