import type { RedisCommands } from './connection.ts'
import { plainError, redisRefusalOf } from './errors.ts'
import { briefClient, type RedisAddress } from './redis-clients.ts'

/**
 * A connection for one check by an operator's command; it does not wait for a server. Throws
 * `RedisRefusedError`, with the cure, or the connection's own error.
 */
export async function withBriefConnection<T>(
  address: RedisAddress,
  look: (redis: RedisCommands) => Promise<T>,
): Promise<T> {
  const redis = briefClient(address)
  let lastError: unknown = null
  const note = (error: unknown) => {
    lastError = error
  }
  redis.on('error', note)
  redis.on('node error', note)
  try {
    await redis.connect()
    return await look(redis)
  } catch (error) {
    // ioredis reports why a connection was refused only as an event.
    throw redisRefusalOf(error) ?? redisRefusalOf(lastError) ?? plainError(lastError ?? error)
  } finally {
    redis.disconnect()
  }
}
