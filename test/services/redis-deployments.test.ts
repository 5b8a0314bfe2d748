import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ALL_REDIS_USES,
  redisRights,
  redisRules,
  usesAt,
} from '../../src/adapters/redis/rights/redis-uses.ts'
import { orderViewsContract } from '../contracts/order-views.ts'
import { rebuildViewsContract } from '../contracts/rebuild-views.ts'
import { requestCountsContract } from '../contracts/request-counts.ts'
import { openRedisViews, type RedisHost, RedisServer } from '../support/services/redis.ts'
import { RedisCluster } from '../support/services/redis-cluster.ts'
import {
  openCounts,
  openRebuild,
  redisStoreContracts,
  reopenedViews,
} from '../support/services/redis-stores.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// All that is kept in Redis, on what Redis also is: a cluster of three servers, and Valkey.

const PARTITIONS = 3
/** No power is lost here: what was written is there after a restart. */
const SETTINGS = { appendfsync: 'no' }

describe.each([
  ['redis cluster', () => RedisCluster.start({ settings: SETTINGS })],
  ['valkey', () => RedisServer.start(SETTINGS, 'VALKEY_SERVER')],
])('%s', (name, start: () => Promise<RedisHost>) => {
  let host: RedisHost
  beforeAll(async () => {
    host = await start()
  })
  afterAll(() => host?.stop())

  test('the least rights suffice', async () => {
    const rights = redisRights(usesAt(host, ALL_REDIS_USES))
    const rules = redisRules(rights, '{market}:')
    for (const admin of host.admins) {
      await admin.acl('SETUSER', 'least', 'reset', 'on', '>a-password', ...rules)
    }
    const login = { user: 'least', password: 'a-password', partitions: PARTITIONS }
    const { views, close } = await openRedisViews(host.url, { clock, ...login })
    expect(await views.freshness()).toEqual(new Map())
    close()
  })

  orderViewsContract(name, () => reopenedViews(host, PARTITIONS))
  rebuildViewsContract(name, () => openRebuild(host, PARTITIONS))
  redisStoreContracts(name, () => host)
  requestCountsContract(name, () => openCounts(host))
})
