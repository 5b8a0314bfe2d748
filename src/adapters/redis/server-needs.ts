import type { Redis } from 'ioredis'
import { RedisRefusedError, redisRefusalOf } from './errors.ts'

const OLDEST = 7

/** Throws `RedisRefusedError` for a server that is too old, evicts, or restricts this user too much. */
export async function requireServer(redis: Redis, root: string): Promise<void> {
  const info = await redis.info()
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
  const version = field('redis_version')
  if (Number.parseInt(version, 10) < OLDEST) {
    throw new RedisRefusedError(`Redis is ${version}: the views need Redis ${OLDEST} or newer`)
  }
  const policy = field('maxmemory_policy')
  if (policy !== 'noeviction') {
    throw new RedisRefusedError(
      `Redis evicts keys (maxmemory-policy ${policy}) and could lose orders silently: set maxmemory-policy noeviction`,
    )
  }
  await requirePermissions(redis, root)
}

/** Tries every command in use, on short-lived keys. */
async function requirePermissions(redis: Redis, root: string): Promise<void> {
  const text = `${root}tried:text`
  const hash = `${root}tried:hash`
  const set = `${root}tried:set`
  const replies = await redis
    .pipeline([
      ['set', text, '1', 'PX', '1'],
      ['unlink', text],
      ['incr', text],
      ['get', text],
      ['mget', text],
      ['exists', text],
      ['type', text],
      ['pexpire', text, '1000'],
      ['pttl', text],
      ['del', text],
      ['setbit', text, '1', '1'],
      ['bitcount', text],
      ['copy', text, hash, 'REPLACE'],
      ['del', text, hash],
      ['hset', hash, 'a', '1'],
      ['hsetnx', hash, 'a', '1'],
      ['hincrby', hash, 'a', '1'],
      ['hget', hash, 'a'],
      ['hmget', hash, 'a'],
      ['hgetall', hash],
      ['hlen', hash],
      ['hdel', hash, 'a'],
      ['zadd', set, '1', 'a'],
      ['zrange', set, '0', '0'],
      ['zrangebylex', set, '-', '+', 'LIMIT', '0', '1'],
      ['zcard', set],
      ['zscore', set, 'a'],
      ['zrem', set, 'a'],
      ['zremrangebyscore', set, '0', '1'],
      ['time'],
      ['scan', '0', 'MATCH', text, 'COUNT', '1'],
      ['publish', `${root}tried`, ''],
      ['eval', 'return 1', '1', text],
      ['script', 'LOAD', 'return 1'],
      ['evalsha', '0'.repeat(40), '1', text],
    ])
    .exec()
  // A replica or a full server refuses the writes among them: that is not a matter of permission.
  for (const [error] of replies ?? []) {
    const refused = error ? redisRefusalOf(error) : null
    if (refused) throw refused
  }
}
