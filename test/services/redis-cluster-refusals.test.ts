import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { RedisRefusedError } from '../../src/adapters/redis/client/errors.ts'
import { examineRedis } from '../../src/adapters/redis/examine.ts'
import {
  ALL_REDIS_USES,
  type RedisRights,
  redisRights,
  redisRules,
  usesAt,
} from '../../src/adapters/redis/rights/redis-uses.ts'
import { redisSizes } from '../../src/adapters/redis/sizes.ts'
import type { KeyspaceOptions } from '../../src/adapters/redis/views/keyspace.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { RedisCluster } from '../support/services/redis-cluster.ts'
import { openCounts } from '../support/services/redis-stores.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// What a start asks of every server of a cluster, whichever of them has the keys.

const PASSWORD = 'a-password-of-the-test'
const place = { prefix: 'market', network: 'regtest', partitions: 1 } as const
let cluster: RedisCluster
let all: RedisRights

beforeAll(async () => {
  cluster = await RedisCluster.start()
  all = redisRights(usesAt(cluster, ALL_REDIS_USES))
  await grant('market', all)
})
afterAll(() => cluster.stop())
afterEach(async () => {
  for (const admin of cluster.admins) {
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
  }
})

const grant = async (user: string, rights: RedisRights, admins = cluster.admins) => {
  const rules = ['reset', 'on', `>${PASSWORD}`, ...redisRules(rights, '{market}:')]
  for (const admin of admins) await admin.acl('SETUSER', user, ...rules)
}
const open = async (options: Partial<KeyspaceOptions> = {}) => {
  const { views, close } = await openRedisViews(cluster.url, { clock, ...place, ...options })
  await views.freshness()
  close()
}

async function expectRefusal(words: string | RegExp, options: Partial<KeyspaceOptions> = {}) {
  const opening = open(options)
  await expect(opening).rejects.toThrow(RedisRefusedError)
  await expect(opening).rejects.toThrow(words)
}

test('the printed rights suffice for the service, for doctor and for usage', async () => {
  const login = { url: cluster.url, user: 'market', password: PASSWORD }
  await open(login)
  const { gateways, close } = await openCounts(cluster)
  await Promise.all(Array.from({ length: 200 }, (_, n) => gateways[0].count(`read ${n}`, true)))
  await open(login)
  const facts = await examineRedis({ ...login, ...place, uses: ALL_REDIS_USES })
  expect(facts).toMatchObject({ servers: 3, isMade: true })
  const { families, isPart } = await redisSizes({ ...login, prefix: 'market' })
  expect(families).toContainEqual(expect.objectContaining({ name: 'limit', entries: 200 }))
  expect(families).toContainEqual(expect.objectContaining({ name: 'meta', entries: 1 }))
  expect(isPart).toBe(false)
  await close()
})

test.each(redisRights(['cluster']).commands)('without +%s a start is refused', async (command) => {
  const commands = all.commands.filter((one) => one !== command)
  await grant('poor', { ...all, commands })
  const login = { user: 'poor', password: PASSWORD }
  await expectRefusal(new RegExp(`NOPERM .*'${command.replace('|', '\\|')}'`), login)
})

test('a right that is missing on one server is named', async () => {
  for (const admin of cluster.admins) {
    await grant('poor', all)
    const keys = all.keys.filter(({ name }) => name !== 'limit:*')
    // Without the rights to all keys, which hide it.
    const rights = { ...all, keys: keys.filter(({ name, tag }) => `${tag}${name}` !== '**') }
    await grant('poor', rights, [admin])
    const uses = ALL_REDIS_USES.filter((use) => use !== 'sizes')
    const login = { user: 'poor', password: PASSWORD, uses }
    await expectRefusal('a permission on the keys {market:c:*}:limit:*', login)
  }
})

test('one server that evicts is refused, whichever it is', async () => {
  for (const admin of cluster.admins) {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expectRefusal('Redis evicts keys (maxmemory-policy allkeys-lru)')
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
  }
  await open()
})

test('a wrong password is refused', () =>
  expectRefusal('set REDIS_USER and REDIS_PASSWORD', { user: 'market', password: 'another' }))

test('a cluster that is named as one server, and servers that are no cluster, are refused', async () => {
  const [first] = cluster.servers
  await expectRefusal('REDIS_URL names one server of a Redis Cluster: name several', {
    url: first?.url ?? '',
  })
  const alone = [await RedisServer.start(), await RedisServer.start()]
  const url = alone.map((server) => server.url).join(',')
  await expectRefusal('REDIS_URL names several servers, but they are no Redis Cluster', { url })
  const asked = examineRedis({ url, ...place, uses: ALL_REDIS_USES })
  await expect(asked).rejects.toThrow(RedisRefusedError)
  await Promise.all(alone.map((server) => server.stop()))
})

test('doctor and usage do not wait for a cluster that is not there', async () => {
  const url = 'redis://127.0.0.1:1,redis://127.0.0.1:2'
  const words = 'no server of the cluster answers'
  await expect(examineRedis({ url, ...place, uses: ALL_REDIS_USES })).rejects.toThrow(words)
  await expect(redisSizes({ url, prefix: 'market' })).rejects.toThrow(words)
})
