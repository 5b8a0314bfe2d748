import { rootOf } from '../../adapters/redis/rights/key-names.ts'
import {
  type RedisRights,
  redisRights,
  redisRules,
  usesAt,
} from '../../adapters/redis/rights/redis-uses.ts'
import { redisAddressOf } from '../../roles/open/redis-address.ts'
import { redisUsesOf } from '../../roles/rights/needs-of.ts'
import type { ServerNeeds } from '../../roles/rights/server-needs.ts'
import type { Config } from '../../schemas/config/config.ts'

/** The rights of one user of Redis. */
export interface RedisAcl extends RedisRights {
  user: string
  /** They follow the password in `ACL SETUSER`. */
  rules: string[]
}

/** The least rights in Redis for these needs, with the names of the configuration. */
export function redisAcl(
  config: Config,
  needs: readonly ServerNeeds[],
  user = config.REDIS_USER ?? 'market',
): RedisAcl {
  const root = rootOf(config.REDIS_PREFIX)
  const address = redisAddressOf({ ...config, REDIS_URL: config.REDIS_URL ?? '' })
  const uses = redisUsesOf(needs)
  const rights = redisRights(uses.length === 0 ? [] : usesAt(address, uses))
  const select = hasDatabase(address.url) ? ['+select'] : []
  return { user, ...rights, rules: [...redisRules(rights, root), ...select] }
}

/** A database other than the first is chosen by a command; a cluster has one. */
const hasDatabase = (url: string): boolean =>
  URL.canParse(url) && !url.includes(',') && !/^\/?0?$/.test(new URL(url).pathname)

/** One command for `redis-cli`; the password is a placeholder. */
export function redisAclLines({ user, commands, rules }: RedisAcl): string[] {
  if (commands.length === 0) return ['# opens no Redis: no right is needed']
  return [`ACL SETUSER ${user} reset on >PASSWORD ${rules.join(' ')}`]
}
