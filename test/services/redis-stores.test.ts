import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisBuiltAsks } from '../../src/adapters/redis/built-asks.ts'
import { RedisIdempotency } from '../../src/adapters/redis/idempotency.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'
import { openKeyspace, RedisServer } from '../support/services/redis.ts'
import { redisStoreContracts } from '../support/services/redis-stores.ts'

const NOW = Date.UTC(2030, 0, 1)
const CLAIM_MS = 60_000
const answer = { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{}' }
let server: RedisServer

beforeAll(async () => {
  server = await RedisServer.start()
})
afterAll(() => server.stop())
beforeEach(async () => {
  await server.admin.flushall()
})

redisStoreContracts('redis', () => server)

/** The stores of two gateways. */
async function withTwo(
  run: (one: RedisIdempotency, other: RedisIdempotency) => Promise<void>,
): Promise<void> {
  const spaces = [await openKeyspace(server.url), await openKeyspace(server.url)] as const
  try {
    await run(new RedisIdempotency(spaces[0]), new RedisIdempotency(spaces[1]))
  } finally {
    for (const space of spaces) space.close()
  }
}

test('a claim of one gateway is in use at the other, and its answer is replayed there', () =>
  withTwo(async (one, other) => {
    expect(await one.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
    expect(await other.begin('s', 'c', 'h', NOW + CLAIM_MS - 1)).toEqual({ status: 'in-use' })
    expect(await other.begin('s', 'c', 'other', NOW + 1)).toEqual({ status: 'other-body' })
    // A gateway neither answers nor ends a claim that it does not hold.
    await other.keep('s', answer, NOW)
    await other.release('s')
    expect(await other.begin('s', 'c', 'h', NOW + 1)).toEqual({ status: 'in-use' })
    await one.keep('s', answer, NOW + 2)
    expect(await other.begin('s', 'c', 'h', NOW + 3)).toEqual({ status: 'replay', answer })
  }))

test('a gateway that was paused for longer than a claim lasts does not end the claim of another', () =>
  withTwo(async (one, other) => {
    await one.begin('s', 'c', 'h', NOW)
    expect(await other.begin('s', 'c', 'h', NOW + CLAIM_MS)).toEqual({ status: 'new' })
    await one.release('s')
    expect(await one.begin('s', 'c', 'h', NOW + CLAIM_MS)).toEqual({ status: 'in-use' })
    await one.keep('s', { ...answer, body: 'old' }, NOW + CLAIM_MS)
    await other.keep('s', answer, NOW + CLAIM_MS)
    expect(await one.begin('s', 'c', 'h', NOW + CLAIM_MS)).toEqual({ status: 'replay', answer })
  }))

test('a claim whose answer was lost is given up', async () => {
  const keyspace = await openKeyspace(server.url)
  let calls = 0
  const store = new RedisIdempotency({
    root: keyspace.root,
    run: async (work) => {
      const isLost = ++calls === 1
      const answered = await keyspace.run(work)
      if (isLost) throw new Error('Command timed out')
      return answered
    },
  })
  await expect(store.begin('s', 'c', 'h', NOW)).rejects.toThrow('Command timed out')
  await expect.poll(() => server.admin.keys('{market:c:*}:claim:*')).toEqual([])
  expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
  keyspace.close()
})

test('claims and answers expire by themselves', () =>
  withTwo(async (one) => {
    await one.begin('s', 'c', 'h', NOW)
    const [key = ''] = await server.admin.keys('{market:c:*}:claim:*')
    expect(await server.admin.pttl(key)).toBeGreaterThan(CLAIM_MS - 5_000)
    expect(await server.admin.pttl(key)).toBeLessThanOrEqual(CLAIM_MS)
    await one.keep('s', answer, NOW + 1)
    expect(await server.admin.pttl(key)).toBeGreaterThan(23 * 3_600_000)
    const indexes = await server.admin.keys('*claims*')
    expect(indexes).toHaveLength(2)
    for (const index of indexes) {
      expect(await server.admin.pttl(index)).toBeGreaterThan(23 * 3_600_000)
    }
  }))

test('claims of a dead gateway give way, the oldest first', () =>
  withTwo(async (one, other) => {
    for (let n = 0; n < 128; n += 1) await one.begin(`key ${n}`, 'c', 'h', NOW + n)
    expect(await other.begin('more', 'c', 'h', NOW + 128)).toEqual({ status: 'new' })
    expect(await other.begin('key 127', 'c', 'h', NOW + 128)).toEqual({ status: 'in-use' })
    expect(await other.begin('key 0', 'c', 'h', NOW + 128)).toEqual({ status: 'new' })
  }))

test('scripts that Redis forgot are sent again', async () => {
  const keyspace = await openKeyspace(server.url)
  const store = new RedisIdempotency(keyspace)
  const builds = new RedisBuiltAsks(keyspace)
  const built = {
    outpoint: toOutpointText(`${'ab'.repeat(32)}:0`),
    protocolId: 'p',
    token: 't',
    quotedPriceSats: '1',
  }
  await store.begin('s', 'c', 'h', NOW)
  await builds.remember(toTxid('11'.repeat(32)), built, NOW)
  await server.admin.script('FLUSH')
  await store.keep('s', answer, NOW)
  expect((await store.begin('s', 'c', 'h', NOW)).status).toBe('replay')
  // The same fields in another order are the same build.
  const again = Object.fromEntries(Object.entries(built).reverse()) as typeof built
  expect(await builds.remember(toTxid('11'.repeat(32)), again, NOW)).toBe(true)
  keyspace.close()
})
