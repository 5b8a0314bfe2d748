import type { HistoryUse } from '../../adapters/clickhouse/rights.ts'
import type { LogUse } from '../../adapters/kafka/client/rights.ts'
import type { RedisUse } from '../../adapters/redis/rights/redis-uses.ts'
import type { Role } from '../../schemas/config/config.ts'
import { COMMAND_NEEDS, SERVER_COMMANDS, type ServerCommand } from './command-needs.ts'
import { needsOfRole } from './role-needs.ts'
import type { ServerNeeds } from './server-needs.ts'

/**
 * The needs of one command, for a configuration of this role: doctor tries what the role may do in
 * Redis.
 */
export function needsOfCommand(command: ServerCommand, role: Role): ServerNeeds[] {
  const own = COMMAND_NEEDS[command]
  if (command !== 'doctor') return [own]
  return [own, ...needsOfRole(role).map(({ redis }) => ({ kafka: null, redis, history: null }))]
}

/** The needs of the whole service and every command: one login for all. */
export const needsOfAll = (): ServerNeeds[] => [
  ...needsOfRole('all'),
  ...SERVER_COMMANDS.map((command) => COMMAND_NEEDS[command]),
]

/** Empty: the log in Kafka is not opened. */
export const logUsesOf = (needs: readonly ServerNeeds[]): LogUse[] =>
  needs.flatMap(({ kafka }) => kafka ?? [])

/** Each once; empty: Redis is not opened. */
export const redisUsesOf = (needs: readonly ServerNeeds[]): RedisUse[] => [
  ...new Set(needs.flatMap(({ redis }) => redis ?? [])),
]

/** Each once; empty: the history is not opened. */
export const historyUsesOf = (needs: readonly ServerNeeds[]): HistoryUse[] => [
  ...new Set(needs.flatMap(({ history }) => history ?? [])),
]
