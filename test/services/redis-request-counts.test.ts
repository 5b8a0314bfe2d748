import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisRequestCounts } from '../../src/adapters/redis/request-counts.ts'
import type { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { requestCountsContract } from '../contracts/request-counts.ts'
import { openKeyspace, RedisServer } from '../support/services/redis.ts'
import { openCounts } from '../support/services/redis-stores.ts'

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

requestCountsContract('redis', () => openCounts(server))

test('a window ends a minute after its first request, however many follow', async () => {
  const [one, two] = gateways
  await one.count('k', true)
  const [key = ''] = await server.admin.keys('*:limit:k')
  await server.admin.pexpire(key, 30_000)
  await two.count('k', true)
  const { current, ttlMs } = await one.count('k', false)
  expect(current).toBe(2)
  expect(ttlMs).toBeLessThanOrEqual(30_000)
  expect(await server.admin.pttl(key)).toBeGreaterThan(0)
})

test('the limits of a client are counted under one tag', async () => {
  for (const limit of ['read', 'write', 'quote'])
    await gateways[0].count(`${limit} 192.0.2.9`, true)
  const keys = await server.admin.keys('*:limit:*')
  expect(new Set(keys.map((key) => /^\{[^}]*\}/.exec(key)?.[0])).size).toBe(1)
  expect(keys).toHaveLength(3)
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
