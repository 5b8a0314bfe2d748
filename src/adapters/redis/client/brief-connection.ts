import { Redis } from 'ioredis'
import { redisRefusalOf } from './errors.ts'
import type { RedisAddress } from './redis-clients.ts'

const WITHIN_MS = 3_000

/**
 * A connection for one check by an operator's command; it does not wait for a server. Throws
 * `RedisRefusedError`, with the cure, or the connection's own error.
 */
export async function withBriefConnection<T>(
  { url, user, password }: RedisAddress,
  look: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    commandTimeout: WITHIN_MS,
    connectTimeout: WITHIN_MS,
    retryStrategy: () => null,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
  })
  let lastError: unknown = null
  redis.on('error', (error) => {
    lastError = error
  })
  try {
    await redis.connect()
    return await look(redis)
  } catch (error) {
    // ioredis reports why a connection was refused only as an event.
    throw redisRefusalOf(error) ?? redisRefusalOf(lastError) ?? lastError ?? error
  } finally {
    redis.disconnect()
  }
}
