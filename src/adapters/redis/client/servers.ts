import { Cluster, type Redis } from 'ioredis'
import type { RedisCommands } from './connection.ts'

/** The servers that take writes: the only one, or each primary of a cluster. */
export const serversOf = (redis: RedisCommands): Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis]

/** Makes a script known to every server. Returns its hash. */
export async function loadScript(redis: RedisCommands, text: string): Promise<string> {
  const hashes = await Promise.all(serversOf(redis).map((server) => server.script('LOAD', text)))
  return String(hashes[0])
}

/**
 * The keys of a pattern, on every server, a step of so many at a time. A key that is moved between two
 * servers meanwhile may be missed, or named twice.
 */
export async function* scanKeys(
  servers: readonly Redis[],
  pattern: string,
  stepKeys: number,
): AsyncGenerator<string[]> {
  for (const server of servers) {
    let cursor = '0'
    do {
      const [next, keys] = await server.scan(cursor, 'MATCH', pattern, 'COUNT', stepKeys)
      cursor = next
      yield keys
    } while (cursor !== '0')
  }
}
