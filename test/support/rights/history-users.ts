import type { HistoryRight } from '../../../src/adapters/clickhouse/rights.ts'
import {
  clickHouseGrantLines,
  clickHouseGrants,
} from '../../../src/operator/acl/clickhouse-grants.ts'
import type { ServerNeeds } from '../../../src/roles/rights/server-needs.ts'
import type { Config } from '../../../src/schemas/config/config.ts'
import type { ClickHouseUsers } from '../clickhouse/users.ts'

export interface HistoryUser {
  name: string
  needs: readonly ServerNeeds[]
  /** Changes the rights before they are printed. */
  history?: (rights: HistoryRight[]) => HistoryRight[]
}

const GRANT = /^(?<grant>GRANT .+) TO \S+ WITH REPLACE OPTION;$/

/**
 * Users of a test's ClickHouse, each with the rights that are printed for it: its engine takes them as it
 * starts, and no other user can be made there.
 */
export const historyUsers = (
  config: Config,
  users: readonly HistoryUser[],
  password: string,
): ClickHouseUsers =>
  Object.fromEntries(
    users.map(({ name, needs, history = (rights) => rights }) => {
      const all = clickHouseGrants(config, needs, name)
      const lines = clickHouseGrantLines({ ...all, rights: history(all.rights) })
      const grant = GRANT.exec(lines.at(-1) ?? '')?.groups?.['grant']
      return [name, { password, grants: grant === undefined ? [] : [grant] }]
    }),
  )
