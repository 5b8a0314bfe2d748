import type { Redis } from 'ioredis'
import { withBriefConnection } from './client/one-shot-connection.ts'
import type { RedisAddress } from './client/redis-clients.ts'
import { fullestOf, memoryOf, type ServerMemory, versionOf } from './client/server-facts.ts'
import { serversOf } from './client/servers.ts'
import { KEY_NAMES, rootOf } from './rights/key-names.ts'
import { type RedisUse, usesAt } from './rights/redis-uses.ts'
import { requireServer } from './rights/server-needs.ts'
import { type KeyspaceOptions, requireOurs, wantedMeta } from './views/keyspace.ts'

export interface RedisFacts {
  /** That take writes: more than one are a cluster. */
  servers: number
  /** The version, and the name, of one server. */
  version: string
  /** The memory of the fullest server. */
  memory: ServerMemory
  /** How far a server's clock is ahead of this machine's, in milliseconds: the one that is furthest off. */
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
    const servers = serversOf(redis)
    const needed = usesAt(address, uses)
    await Promise.all(servers.map((server) => requireServer(server, root, needed)))
    const meta = `${root}${KEY_NAMES.meta}`
    const kind = await redis.type(meta)
    const have = kind === 'hash' ? await redis.hgetall(meta) : {}
    if (kind !== 'none') requireOurs(root, wantedMeta({ network, partitions }), have)
    const facts = await Promise.all(servers.map(factsOf))
    return {
      servers: facts.length,
      version: facts[0]?.version ?? '',
      memory: fullestOf(facts.map(({ memory }) => memory)),
      aheadMs: facts.reduce((most, { aheadMs }) => further(most, aheadMs), 0),
      isMade: kind !== 'none',
    }
  })

const further = (one: number, other: number): number =>
  Math.abs(one) > Math.abs(other) ? one : other

interface ServerFacts {
  version: string
  memory: ServerMemory
  aheadMs: number
}

async function factsOf(redis: Redis): Promise<ServerFacts> {
  const info = await redis.info()
  const asked = Date.now()
  const [seconds, microseconds] = await redis.time()
  const serverMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000
  return {
    version: versionOf(info),
    memory: memoryOf(info),
    aheadMs: serverMs - (asked + Date.now()) / 2,
  }
}
