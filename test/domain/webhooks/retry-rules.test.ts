import { expect, test } from 'vitest'
import {
  afterDelivery,
  afterFailure,
  afterLateDelivery,
  afterLateFailure,
  MAX_DEAD,
  retryAfterOf,
  waitOf,
  withoutDead,
} from '../../../src/domain/webhooks/retry-rules.ts'
import type { LaneProgress } from '../../../src/schemas/webhooks/webhook-records.ts'

const NOW = Date.UTC(2030, 0, 1)
const HOUR = 3_600_000
const FRESH: LaneProgress = { version: 0, next: 7, failing: null, dead: [], died: 0 }
const place = { partition: 1, offset: 9, orderId: 'ab', seq: 3 }
const failed = (lane: LaneProgress, at: number, more = {}) =>
  afterFailure(lane, place, { reason: 'HTTP 500', at, retryAfterMs: null, random: 0, ...more })

test('waits double up to an hour, minus a random half at most', () => {
  const waits: number[] = []
  let lane = FRESH
  for (let n = 0; n < 14; n += 1) {
    lane = failed(lane, NOW).lane
    waits.push(waitOf(lane, NOW))
  }
  expect(waits.slice(0, 5)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000])
  expect(waits.slice(-2)).toEqual([HOUR, HOUR])
  expect(waitOf(failed(FRESH, NOW, { random: 1 }).lane, NOW)).toBe(2_500)
})

test('Retry-After is respected, up to an hour', () => {
  expect(waitOf(failed(FRESH, NOW, { retryAfterMs: 60_000 }).lane, NOW)).toBe(60_000)
  expect(waitOf(failed(FRESH, NOW, { retryAfterMs: 10 * HOUR }).lane, NOW)).toBe(HOUR)
  expect(waitOf(failed(FRESH, NOW, { retryAfterMs: 0 }).lane, NOW)).toBe(5_000)
  expect(retryAfterOf('120', NOW)).toBe(120_000)
  expect(retryAfterOf(new Date(NOW + 5_000).toUTCString(), NOW)).toBe(5_000)
  expect(retryAfterOf(new Date(NOW - 5_000).toUTCString(), NOW)).toBe(0)
  for (const text of [null, '', '-1', '1.5', 'soon', '9'.repeat(11)]) {
    expect(retryAfterOf(text, NOW)).toBeNull()
  }
})

test('a clock that was set back makes no wait longer than an hour', () => {
  expect(waitOf(failed(FRESH, NOW).lane, NOW - 100 * HOUR)).toBe(HOUR)
})

test('a change is given up when nothing has succeeded for a day, and each after it at its first attempt', () => {
  const begun = failed(FRESH, NOW)
  expect([begun.isDead, begun.lane.next]).toEqual([false, 7])
  const last = failed(begun.lane, NOW + 24 * HOUR)
  expect([last.isDead, last.lane.next, last.lane.died]).toEqual([true, 10, 1])
  expect(last.lane.dead).toEqual([
    { ...place, at: new Date(NOW + 24 * HOUR).toISOString(), reason: 'HTTP 500' },
  ])
  const next = failed(last.lane, NOW + 25 * HOUR)
  expect([next.isDead, next.lane.died]).toEqual([true, 2])
  const back = afterDelivery(next.lane, 12)
  expect([back.next, back.failing, back.dead.length]).toEqual([13, null, 2])
  expect(failed(back, NOW + 26 * HOUR).isDead).toBe(false)
})

test('of many dead letters the newest are kept', () => {
  let { lane } = failed(FRESH, NOW)
  for (let n = 0; n < MAX_DEAD + 3; n += 1) lane = failed(lane, NOW + (24 + n) * HOUR).lane
  expect(lane.dead).toHaveLength(MAX_DEAD)
  expect(lane.died).toBe(MAX_DEAD + 3)
  expect(lane.dead.at(-1)?.at).toBe(new Date(NOW + (26 + MAX_DEAD) * HOUR).toISOString())
})

test('a dead letter that is delivered late ends the failing; one that is not, or is not wanted, does not', () => {
  const { lane } = failed(failed(FRESH, NOW).lane, NOW + 24 * HOUR)
  const [letter] = lane.dead
  if (!letter) return expect.fail()
  expect(afterLateDelivery(lane, letter)).toEqual({ ...lane, dead: [], failing: null })
  expect(withoutDead(lane, letter)).toEqual({ ...lane, dead: [] })
  const at = new Date(NOW + 25 * HOUR).toISOString()
  expect(afterLateFailure(lane, letter, { at: NOW + 25 * HOUR, reason: 'timeout' })).toEqual({
    ...lane,
    dead: [{ ...letter, at, reason: 'timeout' }],
  })
})
