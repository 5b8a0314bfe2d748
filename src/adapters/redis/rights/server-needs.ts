import type { Redis } from 'ioredis'
import { RedisRefusedError, redisRefusalOf } from '../client/errors.ts'
import { type RedisUse, redisRights } from './redis-uses.ts'
import { type RedisCommand, triesOf, tryOfKey } from './tried-commands.ts'

const OLDEST = 7

/**
 * Throws `RedisRefusedError` for a server that is too old, evicts, or restricts this user too much for
 * these uses.
 */
export async function requireServer(
  redis: Redis,
  root: string,
  uses: readonly RedisUse[],
): Promise<void> {
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
  await requireRights(redis, root, uses)
}

/** Tries every command in use on short-lived keys, then every pattern of keys, and changes none. */
async function requireRights(redis: Redis, root: string, uses: readonly RedisUse[]): Promise<void> {
  const { commands, keys } = redisRights(uses)
  await requireAll(redis, triesOf(commands, root), () => 'a permission')
  const patterns = keys.map(({ name }) => `${root}${name}`)
  const tries = keys.map(({ name, access }) =>
    tryOfKey(`${root}${name.replace(/\*$/, 'tried')}`, access),
  )
  await requireAll(redis, tries, (at) => `a permission on the keys ${patterns[at]}`)
  await requireTransactions(redis, commands)
}

/** A replica or a full server refuses the writes among them: that is not a matter of permission. */
async function requireAll(
  redis: Redis,
  tries: string[][],
  what: (at: number) => string,
): Promise<void> {
  const replies = (await redis.pipeline(tries).exec()) ?? []
  for (const [at, [error]] of replies.entries()) {
    const refused = error ? redisRefusalOf(error, what(at)) : null
    if (refused) throw refused
  }
}

async function requireTransactions(redis: Redis, commands: readonly RedisCommand[]): Promise<void> {
  if (!commands.includes('multi')) return
  await redis.multi().ping().exec()
}
