import type { Redis } from 'ioredis'
import { isOverTime } from './errors.ts'

/** A server found to be unusable is checked again after this long. */
export const LOOK_AGAIN_MS = 1_000
/** A server may be replaced without any connection being closed: that is asked this often. */
export const WATCH_MS = 3_000

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

/** Does a server of a cluster give no answer, or can it not see most of the others? */
export async function isCutOff(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false
  return redis.cluster('INFO').then((info) => /^cluster_state:fail\r?$/m.test(info), isOverTime)
}
