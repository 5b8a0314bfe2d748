import type { Redis } from 'ioredis'
import { RedisRefusedError, redisRefusalOf } from '../client/errors.ts'
import { infoField } from '../client/server-facts.ts'
import { patternOf, type RedisUse, redisRights } from './redis-uses.ts'
import { type RedisCommand, triesOf, tryOfKey } from './tried-commands.ts'

const OLDEST = 7

/**
 * Throws `RedisRefusedError` for a server that is too old, evicts, or restricts this user too much for
 * these uses, or is of a cluster that is not used as one.
 */
export async function requireServer(
  redis: Redis,
  root: string,
  uses: readonly RedisUse[],
): Promise<void> {
  const info = await redis.info()
  if (infoField(info, 'cluster_enabled') === '1' && !uses.includes('cluster')) {
    throw new RedisRefusedError(
      'REDIS_URL names one server of a Redis Cluster: name several of them, separated by commas',
    )
  }
  const version = infoField(info, 'redis_version')
  if (Number.parseInt(version, 10) < OLDEST) {
    throw new RedisRefusedError(`Redis is ${version}: the views need Redis ${OLDEST} or newer`)
  }
  const policy = infoField(info, 'maxmemory_policy')
  if (policy !== 'noeviction') {
    throw new RedisRefusedError(
      `Redis evicts keys (maxmemory-policy ${policy}) and could lose orders silently: set maxmemory-policy noeviction`,
    )
  }
  await requireRights(redis, root, uses)
}

/** Tries every command in use on short-lived keys, then every pattern of keys, and changes none. */
async function requireRights(redis: Redis, root: string, uses: readonly RedisUse[]): Promise<void> {
  const { commands, keys } = redisRights(uses)
  await requireAll(redis, triesOf(commands, root), () => 'a permission')
  const patterns = keys.map((right) => patternOf(right, root))
  const tries = keys.map(({ access }, at) =>
    tryOfKey(patterns[at]?.replaceAll('*', 'tried') ?? root, access),
  )
  await requireAll(redis, tries, (at) => `a permission on the keys ${patterns[at]}`)
  await requireTransactions(redis, commands)
}

/**
 * A replica or a full server refuses the writes among them, a server of a cluster the keys that another
 * has: that is not a matter of permission, which each server checks first.
 */
async function requireAll(
  redis: Redis,
  tries: string[][],
  what: (at: number) => string,
): Promise<void> {
  const replies = (await redis.pipeline(tries).exec()) ?? []
  for (const [at, [error]] of replies.entries()) {
    const refused = error ? redisRefusalOf(error, what(at)) : null
    if (refused) throw refused
  }
}

async function requireTransactions(redis: Redis, commands: readonly RedisCommand[]): Promise<void> {
  if (!commands.includes('multi')) return
  await redis.multi().ping().exec()
}
