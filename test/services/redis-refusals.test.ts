import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisBuiltAsks } from '../../src/adapters/redis/built-asks.ts'
import { RedisRefusedError } from '../../src/adapters/redis/client/errors.ts'
import { RedisIdempotency } from '../../src/adapters/redis/idempotency.ts'
import { LAYOUT, META_FIELDS } from '../../src/adapters/redis/rights/key-names.ts'
import {
  ALL_REDIS_USES,
  redisRights,
  redisRules,
} from '../../src/adapters/redis/rights/redis-uses.ts'
import type { KeyspaceOptions } from '../../src/adapters/redis/views/keyspace.ts'
import { toTxid } from '../support/ids.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf, outcomeOf } from '../support/orders/order-changes.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

let server: RedisServer

beforeAll(async () => {
  server = await RedisServer.start()
})
afterAll(() => server.stop())
beforeEach(async () => {
  await server.admin.flushall()
})

const open = async (options: Partial<KeyspaceOptions> = {}) =>
  (await openRedisViews(server.url, { clock, partitions: 3, ...options })).close()

async function expectRefusal(words: string | RegExp, options: Partial<KeyspaceOptions> = {}) {
  const opening = open(options)
  await expect(opening).rejects.toThrow(RedisRefusedError)
  await expect(opening).rejects.toThrow(words)
}

test('one that evicts is refused, with the fix', async () => {
  await server.admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await expectRefusal(
    'Redis evicts keys (maxmemory-policy allkeys-lru) and could lose orders silently: set maxmemory-policy noeviction',
  )
  await server.admin.config('SET', 'maxmemory-policy', 'noeviction')
  await open()
})

test('views of another partition count are refused, with the fix', async () => {
  await open()
  await expectRefusal(
    'the views in Redis were created with 3 partitions, but 8 are configured: set ORDER_PARTITIONS to 3, or flush this Redis database, or set REDIS_PREFIX to another one: the views are rebuilt from the log',
    { partitions: 8 },
  )
})

test('views of another release are beside those of this one: neither is read or changed by the other', async () => {
  const theirs = { application: 'market', network: 'regtest', partitions: '3' }
  const field = `generation.${LAYOUT + 1}`
  await server.admin.hset('{market}:meta', { ...theirs, [field]: 'theirs' })
  await server.admin.hset(`{market}:v:${LAYOUT + 1}:theirs:docs`, 'id', 'document')
  await open()
  const { [field]: kept, [META_FIELDS.current]: own } = await server.admin.hgetall('{market}:meta')
  expect(kept).toBe('theirs')
  expect(own).toMatch(/^[0-9a-f]{12}$/)
  await open()
  expect(await server.admin.hget('{market}:meta', META_FIELDS.current)).toBe(own)
  expect(await server.admin.hgetall(`{market}:v:${LAYOUT + 1}:theirs:docs`)).toEqual({
    id: 'document',
  })
})

test('another chain under the prefix is refused; under a prefix of its own it is not', async () => {
  await open()
  await expectRefusal(
    'the views in Redis are for regtest, but BITCOIN_NETWORK is signet: set REDIS_PREFIX to another one',
    { network: 'signet' },
  )
  await open({ network: 'signet', prefix: 'market-signet' })
})

test.each([
  ['a text', () => server.admin.set('{market}:meta', 'mine')],
  ['a hash of another application', () => server.admin.hset('{market}:meta', 'application', 'x')],
  ['a foreign hash', () => server.admin.hset('{market}:meta', 'generation', '1')],
])('%s under the prefix is refused, and not changed', async (_what, put) => {
  await put()
  const before = await server.admin.dump('{market}:meta')
  await expectRefusal(
    '{market}: in Redis belongs to another application: set REDIS_PREFIX to another one',
  )
  expect(await server.admin.dump('{market}:meta')).toEqual(before)
})

test('a password that is missing or wrong is refused, with the variable to set', async () => {
  await server.admin.acl('SETUSER', 'service', 'on', '>good', '~*', '&*', '+@all')
  await open({ user: 'service', password: 'good' })
  await expectRefusal(
    /^Redis rejected the user or password: set REDIS_USER and REDIS_PASSWORD \(WRONGPASS /,
    { user: 'service', password: 'bad' },
  )
  await server.admin.config('SET', 'requirepass', 'secret')
  try {
    await expectRefusal(
      /^Redis requires a password: set REDIS_PASSWORD, and REDIS_USER if it is not the default user \(NOAUTH /,
    )
    await open({ password: 'secret' })
  } finally {
    await server.admin.config('SET', 'requirepass', '')
  }
})

test.each([
  ['info', ['+@all', '-info']],
  ['zadd', ['+@all', '-zadd']],
  ['evalsha', ['+@all', '-evalsha']],
  ['multi', ['+@all', '-multi']],
  ['subscribe', ['+@all', '-subscribe']],
])('a user that may not %s is refused', async (command, rules) => {
  await server.admin.acl('SETUSER', 'poor', 'reset', 'on', '>p', '~*', '&*', ...rules)
  await expectRefusal(
    new RegExp(
      `^the Redis user lacks a permission: grant what "market acl redis" prints \\(NOPERM .*'${command}'`,
    ),
    { user: 'poor', password: 'p' },
  )
})

test('the rights that market acl redis prints are enough for every operation', async () => {
  const granted = redisRules(redisRights(ALL_REDIS_USES), '{market}:')
  await server.admin.acl('SETUSER', 'own', 'reset', 'on', '>p', ...granted)
  const user = { user: 'own', password: 'p' }
  const { views, keyspace, close } = await openRedisViews(server.url, { clock, ...user })
  const { changes: records, order } = lifeOf([bookOf(1, 1)[0]!])
  const batch = { partition: 0, nextOffset: 1, records: [...records, outcomeOf('r', order.id)] }
  await views.apply(batch)
  const next = await views.beginAgain()
  await next.apply(batch)
  await next.hold()
  expect(await next.takeOver()).toBe(true)
  for await (const _ of next.removeOthers());
  expect((await views.page({ includeWithdrawn: true, sort: 'newest', limit: 1 })).total).toBe(1)
  expect(await views.outcome('r')).not.toBeNull()
  const idempotency = new RedisIdempotency(keyspace)
  await idempotency.begin('s', 'c', 'h', clock.now())
  await idempotency.release('s')
  const built = { outpoint: order.outpoint, protocolId: 'p', token: 't', quotedPriceSats: '1' }
  await new RedisBuiltAsks(keyspace).remember(toTxid('11'.repeat(32)), built, clock.now())
  close()
  await server.admin.acl('SETUSER', 'own', 'resetkeys', '~other:*')
  await expectRefusal(/NOPERM/, user)
})
