import { Gauge } from 'prom-client'
import { RedisBuiltAsks } from '../../adapters/redis/built-asks.ts'
import { RedisIdempotency } from '../../adapters/redis/idempotency.ts'
import { RedisRequestCounts } from '../../adapters/redis/request-counts.ts'
import { RedisUnprovedPool } from '../../adapters/redis/unproved-pool.ts'
import { Keyspace } from '../../adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../adapters/redis/views/views.ts'
import { RedisWebhookProgress } from '../../adapters/redis/webhook-progress.ts'
import type { OnPoint } from '../../ports/log/crash-points.ts'
import type { BuiltAsks } from '../../ports/views/built-asks.ts'
import type { IdempotencyStore } from '../../ports/views/idempotency.ts'
import type { RebuildableViews } from '../../ports/views/order-views.ts'
import type { RequestCounts } from '../../ports/views/request-counts.ts'
import type { UnprovedPool } from '../../ports/views/unproved-pool.ts'
import type { WebhookProgress } from '../../ports/webhooks/webhook-progress.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { Closer } from '../context/closer.ts'
import type { Outages } from '../context/outages.ts'
import { lastAnswer } from '../observe/last-answer.ts'
import type { Metrics } from '../observe/metrics.ts'
import { redisUsesOf } from '../rights/needs-of.ts'
import { NeedsNotListedError, type ServerNeeds } from '../rights/server-needs.ts'
import { type RedisConfig, redisAddressOf } from './redis-address.ts'

/** The state shared by gateways and written by the projector, on the Redis of REDIS_URL. */
export interface RedisStores {
  views: RebuildableViews
  idempotency: IdempotencyStore
  builds: BuiltAsks
  pool: UnprovedPool
  webhookProgress: WebhookProgress
  sharedCounts: RequestCounts
}

/** No value while Redis gives no answer; the limit is 0 if Redis has none. Of a cluster, the fullest server. */
function meterRedisMemory({ registry }: Pick<Metrics, 'registry'>, keyspace: Keyspace): void {
  const registers = [registry]
  const limit = new Gauge({
    name: 'market_redis_limit_bytes',
    help: 'The maxmemory of Redis: beyond it writes fail.',
    registers,
  })
  const read = lastAnswer(() => keyspace.memory())
  new Gauge({
    name: 'market_redis_used_bytes',
    help: 'The memory that Redis uses.',
    registers,
    collect() {
      this.remove()
      limit.remove()
      const memory = read()
      if (!memory) return
      this.set(memory.usedBytes)
      limit.set(memory.limitBytes)
    },
  })
}

export interface RedisSurroundings {
  needs: readonly ServerNeeds[]
  clock: Clock
  outages: Pick<Outages, 'watch'>
  metrics: Pick<Metrics, 'registry'>
  closer: Closer
  onPoint?: OnPoint
}

/**
 * Throws `RedisRefusedError`, with the cure, for a Redis that cannot be used as it is. One that is
 * unavailable is not refused: until it is back every call, `views.probe` included, fails with
 * `StorageUnavailableError`.
 */
export async function openRedisStores(
  config: RedisConfig & Pick<Config, 'REDIS_PREFIX' | 'BITCOIN_NETWORK' | 'ORDER_PARTITIONS'>,
  { needs, clock, outages, metrics, closer, onPoint }: RedisSurroundings,
): Promise<RedisStores> {
  const uses = redisUsesOf(needs)
  if (uses.length === 0) throw new NeedsNotListedError('Redis')
  const keyspace = await Keyspace.open({
    ...redisAddressOf(config),
    prefix: config.REDIS_PREFIX,
    network: config.BITCOIN_NETWORK,
    partitions: config.ORDER_PARTITIONS,
    uses,
  })
  closer.add(() => keyspace.close())
  const views = await RedisViews.open({ keyspace, clock, ...(onPoint ? { onPoint } : {}) })
  closer.add(() => views.close())
  // A command that only reads has no right to try a write.
  outages.watch('redis', () => (uses.includes('serve') ? views.probe() : views.freshness()))
  meterRedisMemory(metrics, keyspace)
  return {
    views,
    idempotency: new RedisIdempotency(keyspace),
    builds: new RedisBuiltAsks(keyspace),
    pool: new RedisUnprovedPool(keyspace),
    webhookProgress: new RedisWebhookProgress(keyspace),
    sharedCounts: new RedisRequestCounts(keyspace),
  }
}
