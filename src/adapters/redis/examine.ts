import { Redis } from 'ioredis'
import type { RedisAddress } from './connection.ts'
import { refusalOf } from './errors.ts'
import { type KeyspaceOptions, requireOurs, wantedMeta } from './keyspace.ts'
import { requireServer } from './server-needs.ts'

export interface RedisFacts {
  version: string
  /** Bytes that it holds, and that it may; null: as many as there are. */
  memory: { used: number; most: number | null }
  /** How far the server's clock is ahead of this machine's, in milliseconds. */
  aheadMs: number
  /** Are this service's keys there? */
  isMade: boolean
}

const WITHIN_MS = 3_000

/**
 * Looks at a Redis as a service would before it uses it, and takes no keys in it. Throws
 * `RedisRefused`, with the cure, or what the connection failed of.
 */
export async function examineRedis({
  url,
  user,
  password,
  prefix,
  network,
  partitions,
}: RedisAddress &
  Required<Pick<KeyspaceOptions, 'prefix' | 'network' | 'partitions'>>): Promise<RedisFacts> {
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
    const root = `{${prefix}}:`
    await requireServer(redis, root)
    const kind = await redis.type(`${root}meta`)
    const have = kind === 'hash' ? await redis.hgetall(`${root}meta`) : {}
    if (kind !== 'none') requireOurs(root, wantedMeta({ network, partitions }), have)
    return { ...(await factsOf(redis)), isMade: kind !== 'none' }
  } catch (error) {
    // Of a connection that was not accepted, ioredis tells the reason as an event.
    throw refusalOf(error) ?? refusalOf(lastError) ?? lastError ?? error
  } finally {
    redis.disconnect()
  }
}

async function factsOf(redis: Redis): Promise<Omit<RedisFacts, 'isMade'>> {
  const info = await redis.info()
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
  const asked = Date.now()
  const [seconds, microseconds] = await redis.time()
  const told = Number(seconds) * 1_000 + Number(microseconds) / 1_000
  const most = Number(field('maxmemory'))
  return {
    version: field('redis_version'),
    memory: { used: Number(field('used_memory')), most: most > 0 ? most : null },
    aheadMs: told - (asked + Date.now()) / 2,
  }
}
