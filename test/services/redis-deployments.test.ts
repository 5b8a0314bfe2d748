import { afterAll, beforeAll, describe } from 'vitest'
import { orderViewsContract } from '../contracts/order-views.ts'
import { rebuildViewsContract } from '../contracts/rebuild-views.ts'
import { requestCountsContract } from '../contracts/request-counts.ts'
import { type RedisHost, RedisServer } from '../support/services/redis.ts'
import { RedisCluster } from '../support/services/redis-cluster.ts'
import {
  openCounts,
  openRebuild,
  redisStoreContracts,
  reopenedViews,
} from '../support/services/redis-stores.ts'

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

  orderViewsContract(name, () => reopenedViews(host, PARTITIONS))
  rebuildViewsContract(name, () => openRebuild(host, PARTITIONS))
  redisStoreContracts(name, () => host)
  requestCountsContract(name, () => openCounts(host))
})
