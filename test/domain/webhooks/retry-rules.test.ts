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
import type { DeliveryProgress } from '../../../src/schemas/webhooks/webhook-records.ts'

const NOW = Date.UTC(2030, 0, 1)
const HOUR = 3_600_000
const FRESH: DeliveryProgress = { version: 0, next: 7, failing: null, dead: [], died: 0 }
const place = { partition: 1, offset: 9, orderId: 'ab', seq: 3 }
const failed = (progress: DeliveryProgress, at: number, more = {}) =>
  afterFailure(progress, place, { reason: 'HTTP 500', at, retryAfterMs: null, random: 0, ...more })

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
  const begun = failed(FRESH, NOW)
  expect([begun.isDead, begun.progress.next]).toEqual([false, 7])
  const last = failed(begun.progress, NOW + 24 * HOUR)
  expect([last.isDead, last.progress.next, last.progress.died]).toEqual([true, 10, 1])
  expect(last.progress.dead).toEqual([
    { ...place, at: new Date(NOW + 24 * HOUR).toISOString(), reason: 'HTTP 500' },
  ])
  const next = failed(last.progress, NOW + 25 * HOUR)
  expect([next.isDead, next.progress.died]).toEqual([true, 2])
  const back = afterDelivery(next.progress, 12)
  expect([back.next, back.failing, back.dead.length]).toEqual([13, null, 2])
  expect(failed(back, NOW + 26 * HOUR).isDead).toBe(false)
})

test('of many dead letters the newest are kept', () => {
  let { progress } = failed(FRESH, NOW)
  for (let n = 0; n < MAX_DEAD + 3; n += 1)
    progress = failed(progress, NOW + (24 + n) * HOUR).progress
  expect(progress.dead).toHaveLength(MAX_DEAD)
  expect(progress.died).toBe(MAX_DEAD + 3)
  expect(progress.dead.at(-1)?.at).toBe(new Date(NOW + (26 + MAX_DEAD) * HOUR).toISOString())
})

test('a dead letter that is delivered late ends the failing; one that is not, or is not wanted, does not', () => {
  const { progress } = failed(failed(FRESH, NOW).progress, NOW + 24 * HOUR)
  const [letter] = progress.dead
  if (!letter) return expect.fail()
  expect(afterLateDelivery(progress, letter)).toEqual({ ...progress, dead: [], failing: null })
  expect(withoutDead(progress, letter)).toEqual({ ...progress, dead: [] })
  const at = new Date(NOW + 25 * HOUR).toISOString()
  expect(afterLateFailure(progress, letter, { at: NOW + 25 * HOUR, reason: 'timeout' })).toEqual({
    ...progress,
    dead: [{ ...letter, at, reason: 'timeout' }],
  })
})
