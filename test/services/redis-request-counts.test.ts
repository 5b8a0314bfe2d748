import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisRequestCounts } from '../../src/adapters/redis/request-counts.ts'
import type { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { openKeyspace, RedisServer } from '../support/services/redis.ts'

let server: RedisServer
let spaces: [Keyspace, Keyspace]
let gateways: [RedisRequestCounts, RedisRequestCounts]

beforeAll(async () => {
  server = await RedisServer.start()
  spaces = [await openKeyspace(server.url), await openKeyspace(server.url)]
  const [one, two] = spaces
  gateways = [new RedisRequestCounts(one), new RedisRequestCounts(two)]
})
afterAll(async () => {
  for (const space of spaces) space.close()
  await server.stop()
})
beforeEach(async () => {
  await server.admin.flushall()
})

const call = fc.record({ key: fc.constantFrom('a', 'b', 'c'), isCounted: fc.boolean() })
const turn = fc.record({
  gateway: fc.constantFrom<0 | 1>(0, 1),
  calls: fc.array(call, { maxLength: 12 }),
  endsWindowOf: fc.option(fc.constantFrom('a', 'b', 'c')),
})

test('the calls of a turn get the counts that they would get one by one, at either gateway', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 8 }), async (turns) => {
      await server.admin.flushall()
      const plain = new Map<string, number>()
      for (const { gateway, calls, endsWindowOf } of turns) {
        const expected = calls.map(({ key, isCounted }) => {
          const current = (plain.get(key) ?? 0) + (isCounted ? 1 : 0)
          plain.set(key, current)
          return current
        })
        const counts = await Promise.all(
          calls.map(({ key, isCounted }) => gateways[gateway].count(key, isCounted)),
        )
        expect(counts.map((count) => count.current)).toEqual(expected)
        for (const { current, ttlMs } of counts) {
          expect(ttlMs > 0 && ttlMs <= 60_000).toBe(current > 0)
        }
        if (endsWindowOf === null) continue
        plain.delete(endsWindowOf)
        await server.admin.del(`{market}:limit:${endsWindowOf}`)
      }
    }),
    { numRuns: 60 },
  )
})

test('a window ends a minute after its first request, however many follow', async () => {
  const [one, two] = gateways
  await one.count('k', true)
  await server.admin.pexpire('{market}:limit:k', 30_000)
  await two.count('k', true)
  const { current, ttlMs } = await one.count('k', false)
  expect(current).toBe(2)
  expect(ttlMs).toBeLessThanOrEqual(30_000)
  expect(await server.admin.pttl('{market}:limit:k')).toBeGreaterThan(0)
})

test('a turn with more keys than a script takes counts each of them', async () => {
  const keys = Array.from({ length: 1_500 }, (_, n) => `client ${n}`)
  const counts = await Promise.all(keys.map((key) => gateways[0].count(key, true)))
  expect(counts.every((count) => count.current === 1)).toBe(true)
  expect(await server.admin.dbsize()).toBeGreaterThanOrEqual(keys.length)
})

test('every call of a turn fails while Redis is unavailable, and none is counted later', async () => {
  const space = await openKeyspace(server.url)
  const gateway = new RedisRequestCounts(space)
  await gateway.count('k', true)
  space.close()
  const failed = await Promise.allSettled([gateway.count('k', true), gateway.count('j', false)])
  for (const result of failed) {
    expect(result).toMatchObject({ reason: expect.any(StorageUnavailableError) })
  }
  expect((await gateways[0].count('k', false)).current).toBe(1)
})
