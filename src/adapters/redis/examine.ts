import type { Redis } from 'ioredis'
import { withBriefConnection } from './client/brief-connection.ts'
import type { RedisAddress } from './client/redis-clients.ts'
import { KEY_NAMES, rootOf } from './rights/key-names.ts'
import type { RedisUse } from './rights/redis-uses.ts'
import { requireServer } from './rights/server-needs.ts'
import { type KeyspaceOptions, requireOurs, wantedMeta } from './views/keyspace.ts'

export interface RedisFacts {
  version: string
  /** Bytes in use, and the limit; null: no limit. */
  memory: { used: number; most: number | null }
  /** How far the server's clock is ahead of this machine's, in milliseconds. */
  aheadMs: number
  /** Do this service's keys exist? */
  isMade: boolean
}

/**
 * Checks a Redis as a service would before using it so, and claims no keys in it. Throws
 * `RedisRefusedError`, with the cure, or the connection's own error.
 */
export const examineRedis = ({
  prefix,
  network,
  partitions,
  uses,
  ...address
}: RedisAddress &
  Required<Pick<KeyspaceOptions, 'prefix' | 'network' | 'partitions'>> & {
    uses: readonly RedisUse[]
  }): Promise<RedisFacts> =>
  withBriefConnection(address, async (redis) => {
    const root = rootOf(prefix)
    await requireServer(redis, root, uses)
    const kind = await redis.type(`${root}${KEY_NAMES.meta}`)
    const have = kind === 'hash' ? await redis.hgetall(`${root}${KEY_NAMES.meta}`) : {}
    if (kind !== 'none') requireOurs(root, wantedMeta({ network, partitions }), have)
    return { ...(await factsOf(redis)), isMade: kind !== 'none' }
  })

async function factsOf(redis: Redis): Promise<Omit<RedisFacts, 'isMade'>> {
  const info = await redis.info()
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
  const asked = Date.now()
  const [seconds, microseconds] = await redis.time()
  const serverMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000
  const most = Number(field('maxmemory'))
  return {
    version: field('redis_version'),
    memory: { used: Number(field('used_memory')), most: most > 0 ? most : null },
    aheadMs: serverMs - (asked + Date.now()) / 2,
  }
}
