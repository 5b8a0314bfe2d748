import { ClusterConnection } from './cluster-connection.ts'
import type { RedisChecks, RedisConnection } from './connection.ts'
import { isCluster, type RedisAddress } from './redis-clients.ts'
import { ServerConnection } from './server-connection.ts'

/**
 * Resolves when Redis is usable, and also when there is none: it is then used once it appears.
 * Throws `RedisRefusedError` for one that an operator must fix.
 */
export async function openRedis(
  address: RedisAddress,
  checks: RedisChecks,
): Promise<RedisConnection> {
  const kind = isCluster(address) ? ClusterConnection : ServerConnection
  const connection = new kind(address, checks)
  try {
    await connection.first()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
