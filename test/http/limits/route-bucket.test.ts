import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { RouteBucket } from '../../../src/http/limits/route-bucket.ts'
import { BODY_BYTES } from '../../../src/http/requests/body-bytes.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const RATE = { perSecond: 32, burst: 64 }
const announcing = (bytes: number, bodyLimit: number, isBatch = false) =>
  ({
    headers: { 'content-length': String(bytes) },
    routeOptions: { bodyLimit, config: { isBatch } },
  }) as unknown as FastifyRequest

test('a long body takes a token for each 64 KiB after the first', () => {
  const bucket = new RouteBucket(RATE, new ManualClock())
  const long = announcing(BODY_BYTES.inspection, BODY_BYTES.inspection)
  expect([0, 1, 2, 3].map(() => bucket.take(long))).toEqual([0, 0, 0, 0])
  expect(bucket.take(long)).toBeGreaterThan(0)
  expect(bucket.take(announcing(1_000, BODY_BYTES.inspection))).toBe(0)
})

test("a stranger's batch is refused unread: it takes nothing from long bodies", () => {
  const bucket = new RouteBucket(RATE, new ManualClock())
  expect(bucket.take(announcing(BODY_BYTES.batch, BODY_BYTES.batch, true))).toBe(0)
  const long = announcing(BODY_BYTES.inspection, BODY_BYTES.inspection)
  expect([0, 1, 2, 3].map(() => bucket.take(long))).toEqual([0, 0, 0, 0])
})
