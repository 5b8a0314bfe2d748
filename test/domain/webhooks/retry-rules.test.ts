import { expect, test } from 'vitest'
import {
  afterDelivery,
  afterFailure,
  afterLateDelivery,
  afterLateFailure,
  lastTried,
  MAX_DEAD,
  retryAfterOf,
  timeAfter,
  waitOf,
  withoutDead,
} from '../../../src/domain/webhooks/retry-rules.ts'
import type { DeliveryProgress } from '../../../src/schemas/webhooks/webhook-records.ts'

const NOW = Date.UTC(2030, 0, 1)
const HOUR = 3_600_000
const FRESH: DeliveryProgress = { version: 0, next: 7, failing: null, dead: [], died: 0 }
const place = { partition: 1, offset: 9, orderId: 'ab', seq: 3 }
const failed = (progress: DeliveryProgress, at: number, more = {}) =>
  afterFailure(progress, place, {
    ...{ reason: 'HTTP 500', at, triedAt: new Date(at).toISOString() },
    ...{ retryAfterMs: null, random: 0, ...more },
  })
/** Fails from a time on, each time at the end of its wait, until nothing has succeeded for a day. */
function failedForADay(from: number): { progress: DeliveryProgress; at: number } {
  let at = from
  for (
    let { progress, isDead } = failed(FRESH, at);
    ;
    { progress, isDead } = failed(progress, at)
  ) {
    if (isDead) return { progress, at }
    at += waitOf(progress, at)
  }
}

test('waits double up to an hour, minus a random half at most', () => {
  const waits: number[] = []
  let progress = FRESH
  for (let n = 0; n < 14; n += 1) {
    progress = failed(progress, NOW).progress
    waits.push(waitOf(progress, NOW))
  }
  expect(waits.slice(0, 5)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000])
  expect(waits.slice(-2)).toEqual([HOUR, HOUR])
  expect(waitOf(failed(FRESH, NOW, { random: 1 }).progress, NOW)).toBe(2_500)
})

test('Retry-After is respected, up to an hour', () => {
  expect(waitOf(failed(FRESH, NOW, { retryAfterMs: 60_000 }).progress, NOW)).toBe(60_000)
  expect(waitOf(failed(FRESH, NOW, { retryAfterMs: 10 * HOUR }).progress, NOW)).toBe(HOUR)
  expect(waitOf(failed(FRESH, NOW, { retryAfterMs: 0 }).progress, NOW)).toBe(5_000)
  expect(retryAfterOf('120', NOW)).toBe(120_000)
  expect(retryAfterOf(new Date(NOW + 5_000).toUTCString(), NOW)).toBe(5_000)
  expect(retryAfterOf(new Date(NOW - 5_000).toUTCString(), NOW)).toBe(0)
  for (const text of [null, '', '-1', '1.5', 'soon', '9'.repeat(11)]) {
    expect(retryAfterOf(text, NOW)).toBeNull()
  }
})

test('a clock that was set back makes no wait longer than an hour', () => {
  expect(waitOf(failed(FRESH, NOW).progress, NOW - 100 * HOUR)).toBe(HOUR)
})

test('a change is given up when nothing has succeeded for a day, and each after it at its first attempt', () => {
  const { progress: given, at } = failedForADay(NOW)
  expect(at - NOW).toBeGreaterThanOrEqual(24 * HOUR)
  expect(at - NOW).toBeLessThan(25 * HOUR)
  expect([given.next, given.died]).toEqual([10, 1])
  expect(given.dead).toEqual([{ ...place, at: new Date(at).toISOString(), reason: 'HTTP 500' }])
  const next = failed(given, at + HOUR)
  expect([next.isDead, next.progress.died]).toEqual([true, 2])
  const back = afterDelivery(next.progress, 12)
  expect([back.next, back.failing, back.dead.length]).toEqual([13, null, 2])
  expect(failed(back, at + 2 * HOUR).isDead).toBe(false)
})

test('no more than one change an hour is given up', () => {
  const { progress, at } = failedForADay(NOW)
  const next = failed(progress, at + HOUR, { random: 1 })
  expect([next.isDead, waitOf(next.progress, at + HOUR)]).toEqual([true, HOUR])
})

test('time in which nothing was asked is no part of the day, a late attempt is', () => {
  const since = new Date(NOW).toISOString()
  const failing = { since, attempts: 9, lastAt: since, retryAt: since, reason: 'HTTP 500' }
  const begun = { ...FRESH, failing }
  expect(failed(begun, NOW + 600_000).progress.failing?.since).toBe(since)
  const later = failed(begun, NOW + 90 * HOUR)
  expect(later.isDead).toBe(false)
  expect(later.progress.failing?.since).toBe(new Date(NOW + 90 * HOUR).toISOString())
  // What failed for a day before goes on to be given up at its first attempt.
  const { progress, at } = failedForADay(NOW)
  expect(failed(progress, at + 90 * HOUR).isDead).toBe(true)
  // A clock that was set back.
  expect(failed(begun, NOW - HOUR).progress.failing?.since).toBe(since)
})

test('of many dead letters the newest are kept', () => {
  let { progress, at } = failedForADay(NOW)
  for (let n = 0; n < MAX_DEAD + 2; n += 1) {
    at += HOUR
    progress = failed(progress, at).progress
  }
  expect(progress.dead).toHaveLength(MAX_DEAD)
  expect(progress.died).toBe(MAX_DEAD + 3)
  expect(progress.dead.at(-1)?.at).toBe(new Date(at).toISOString())
})

test('a dead letter that is delivered late ends the failing; one that is not, or is not wanted, does not', () => {
  const { progress } = failedForADay(NOW)
  const [letter] = progress.dead
  if (!letter) return expect.fail()
  expect(afterLateDelivery(progress, letter)).toEqual({ ...progress, dead: [], failing: null })
  expect(withoutDead(progress, letter)).toEqual({ ...progress, dead: [] })
  const at = new Date(NOW + 25 * HOUR).toISOString()
  expect(afterLateFailure(progress, letter, { triedAt: at, reason: 'timeout' })).toEqual({
    ...progress,
    dead: [{ ...letter, at, reason: 'timeout' }],
  })
})

test('a time is after another, whichever clock that is of', () => {
  const now = new Date(NOW).toISOString()
  expect(timeAfter(null, NOW)).toBe(now)
  expect(timeAfter(new Date(NOW - HOUR).toISOString(), NOW)).toBe(now)
  expect(timeAfter(new Date(NOW + HOUR).toISOString(), NOW)).toBe(
    new Date(NOW + HOUR + 1).toISOString(),
  )
  const { progress, at } = failedForADay(NOW)
  const later = failed({ ...progress, dead: [] }, at + HOUR).progress
  expect(lastTried([FRESH])).toBeNull()
  expect(lastTried([FRESH, later, progress])).toBe(new Date(at + HOUR).toISOString())
})
