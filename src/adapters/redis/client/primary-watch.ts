import type { Redis } from 'ioredis'
import { isOverTime } from './errors.ts'

/** Should what the name leads to now be tried instead? The server was demoted, or gives no answer. */
export async function isLeftBehind(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false
  return isPrimary(redis).then((is) => !is, isOverTime)
}

/** Is the connection silent, though open? */
export async function isSilent(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false
  return redis.ping().then(() => false, isOverTime)
}

/** Does the server take writes, as far as it knows? Throws the connection's own error. */
export const isPrimary = async (redis: Redis): Promise<boolean> =>
  /^role:master\r?$/m.test(await redis.info('replication'))
