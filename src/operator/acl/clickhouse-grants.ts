import { type HistoryRight, historyRights } from '../../adapters/clickhouse/rights.ts'
import { historyUsesOf } from '../../roles/rights/needs-of.ts'
import type { ServerNeeds } from '../../roles/rights/server-needs.ts'
import type { Config } from '../../schemas/config/config.ts'

/** The rights of one user of ClickHouse. */
export interface ClickHouseGrants {
  user: string
  database: string
  rights: HistoryRight[]
}

/** The least rights in ClickHouse for these needs, with the names of the configuration. */
export const clickHouseGrants = (
  { CLICKHOUSE_DATABASE: database, CLICKHOUSE_USER }: Config,
  needs: readonly ServerNeeds[],
  // The server's own administrator is no user of the service.
  user = CLICKHOUSE_USER === 'default' ? 'market' : CLICKHOUSE_USER,
): ClickHouseGrants => ({ user, database, rights: historyRights(historyUsesOf(needs)) })

/**
 * Statements for an administrator: the database, the user, whose password is a placeholder, and one
 * that gives it these rights and takes all others.
 */
export function clickHouseGrantLines({ user, database, rights }: ClickHouseGrants): string[] {
  if (rights.length === 0) return ['-- opens no history: no right is needed']
  const name = quoted(user)
  const granted = rights.map(
    ({ privileges, table }) => `${privileges.join(', ')} ON ${database}.${table}`,
  )
  return [
    `CREATE DATABASE IF NOT EXISTS ${database};`,
    `CREATE USER IF NOT EXISTS ${name} IDENTIFIED BY 'PASSWORD';`,
    `GRANT ${granted.join(', ')} TO ${name} WITH REPLACE OPTION;`,
  ]
}

const quoted = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``
