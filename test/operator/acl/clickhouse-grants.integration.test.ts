import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClickHouseHistory } from '../../../src/adapters/clickhouse/clickhouse.ts'
import type { SqlHistory } from '../../../src/adapters/clickhouse/history.ts'
import { readMigrations } from '../../../src/adapters/clickhouse/migrations.ts'
import {
  type HistoryRight,
  type HistoryUse,
  historyRights,
} from '../../../src/adapters/clickhouse/rights.ts'
import {
  boundStatistic,
  STATISTIC_NAMES,
  STATISTICS,
  type StatisticBounds,
} from '../../../src/domain/statistics/statistics.ts'
import {
  clickHouseGrantLines,
  clickHouseGrants,
} from '../../../src/operator/acl/clickhouse-grants.ts'
import { HistoryRefusedError } from '../../../src/ports/views/history.ts'
import { needsOfAll } from '../../../src/roles/rights/needs-of.ts'
import { needsOfRole } from '../../../src/roles/rights/role-needs.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import { blockOf } from '../../contracts/pairing-history.ts'
import { ClickHouseServer } from '../../support/clickhouse/server.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { type HistoryUser, historyUsers } from '../../support/rights/history-users.ts'
import { marketLives } from '../../support/statistics/market-lives.ts'

// Users with exactly what `market acl clickhouse` prints, and without one right of it, on the engine of a
// server, which checks them. The engine has no place for users of its own, so it takes each `GRANT` as it starts.

const PASSWORD = 'a-password-of-the-test'
const WRITERS = ['projector', 'pairing'] as const
type Writer = (typeof WRITERS)[number]

const configOf = (database: string) => Config.parse({ CLICKHOUSE_DATABASE: database })
const config = configOf('market')

const LACKING = WRITERS.flatMap((role) => {
  const needs = needsOfRole(role)
  const { rights } = clickHouseGrants(config, needs)
  // Both make the same schema.
  const own = role === 'projector' ? rights : rights.filter(({ table }) => /^pairing/.test(table))
  return own.flatMap(({ privileges, table }) =>
    privileges.map((privilege) => {
      const name = `${role}_${privilege}_${table}`.replaceAll(/\W/g, '_')
      // The schema is made anew by who may not make a part of it; a position is noted once.
      const isShared = table.endsWith('_rows') && table !== 'position_rows'
      const database = isShared ? role : name
      const history = (rights: HistoryRight[]) =>
        rights.flatMap((right) => {
          const kept = right.privileges.filter((one) => right.table !== table || one !== privilege)
          return kept.length > 0 ? [{ ...right, privileges: kept }] : []
        })
      return { name, role, database, needs, privilege, table, history }
    }),
  )
})
const USERS: readonly (HistoryUser & { database: string })[] = [
  ...WRITERS.map((role) => ({ name: role, database: role, needs: needsOfRole(role) })),
  { name: 'gateway', database: 'projector', needs: needsOfRole('gateway') },
  ...LACKING,
]

let server: ClickHouseServer
const directory = temporaryDirectory()
beforeAll(async () => {
  const users = USERS.map((user) => historyUsers(configOf(user.database), [user], PASSWORD))
  server = await ClickHouseServer.start(Object.assign({}, ...users))
  for (const database of new Set(USERS.map((user) => user.database))) {
    const [create = ''] = clickHouseGrantLines(clickHouseGrants(configOf(database), needsOfAll()))
    await server.query('default', create.replace(/;$/, ''))
  }
})
afterAll(async () => {
  await server?.stop()
  directory.drop()
})

const STORED = marketLives(12, 5)
  .flat()
  .map((change, offset) => ({ partition: 0, offset, change }))
/** Of statistics that require one. */
const FILTERS: Record<string, string> = {
  ...{ at: '2026-01-12T00:00:00.000Z', protocol: 'inscriptions', token: 'x' },
  ...{ txid: 'ab'.repeat(32), inscription: `${'ab'.repeat(32)}i0` },
}
const BLOCKS = [blockOf(7, 'main', [1]), blockOf(8, 'main', [0])]

async function as<T>(
  user: string,
  database: string,
  work: (history: SqlHistory) => Promise<T>,
): Promise<T> {
  const access = user === 'gateway' ? 'read' : 'write'
  const login = { url: server.url, user, password: PASSWORD, database, access } as const
  const history = openClickHouseHistory(login)
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

/** All that a role writes, from the making of the schema on. */
const WORK: Record<Writer, (history: SqlHistory) => Promise<void>> = {
  projector: async (history) => {
    await history.resumeAt(0)
    await history.record(STORED)
    // Positions are noted once rows have survived some checks.
    for (let checks = 0; checks < 10; checks += 1) await history.verifyStored()
  },
  pairing: async (history) => {
    const rows = history.pairing('test')
    await rows.write(BLOCKS)
    const [last] = await rows.lastWritten(1)
    if (last) await rows.markStale([last])
    expect(await rows.whole(7)).toMatchObject({ height: 7 })
  },
}

describe.each(WRITERS)('%s, with exactly its rights', (role) => {
  test('makes the schema in a database that is there, and does its work; again, it finds it made', async () => {
    await as(role, role, WORK[role])
    await as(role, role, WORK[role])
  })

  test('may not remove what it wrote', async () => {
    const table = 'order_transition_rows'
    const acts = [`DROP TABLE ${table}`, `TRUNCATE TABLE ${table}`, `DROP DATABASE ${role}`]
    for (const act of [...acts, `ALTER TABLE ${table} DELETE WHERE 1`])
      await expect(server.query(role, act, { user: role, password: PASSWORD })).rejects.toThrow(
        'Not enough privileges',
      )
  })
})

test('a gateway reads all of it, and writes nothing', async () => {
  // Rows of the other fold are another role's to write.
  const foreign = as('projector', 'projector', WORK.pairing)
  await expect(foreign).rejects.toThrow(/the grant INSERT\b/)
  await as('gateway', 'projector', async (history) => {
    const [{ orderId }] = STORED.map(({ change }) => change) as [ChangeRecord]
    expect((await history.activity({ limit: 2 })).entries).toHaveLength(2)
    await history.activity({ limit: 2, orderId })
    expect(await history.lastSeq(orderId)).toBeGreaterThan(0)
    expect((await history.sizes()).length).toBeGreaterThan(0)
    for await (const row of history.summary()) expect(row.rows).toBeGreaterThan(0)
    const statistics = history.statistics()
    for (const name of STATISTIC_NAMES) {
      const { needs = [] }: StatisticBounds = STATISTICS[name]
      const filters = Object.fromEntries(needs.map((filter) => [filter, FILTERS[filter]]))
      const bound = boundStatistic({ name, ...filters }, Date.now())
      if ('refused' in bound) throw new Error(`${name}: ${bound.refused}`)
      await statistics.rows(bound, { limit: 1 })
      if (name === 'market') await statistics.file(bound, 'parquet', 10)
    }
    expect(await statistics.origin(null)).not.toBeNull()
    expect((await statistics.days('order_transitions')).size).toBeGreaterThan(0)
    const file = join(directory.path, 'a day')
    await statistics.exportDay('order_transitions', '2026-01-01', file)
    expect((await history.versions().versions({ orderId, limit: 2 })).versions.length).toBe(2)
    expect(await history.pairing('test').lastWritten(1)).toEqual([])
  })
  const login = { user: 'gateway', password: PASSWORD }
  const insert = "INSERT INTO schema_migrations (version, name, checksum) VALUES (9, '', '')"
  await expect(server.query('projector', insert, login)).rejects.toThrow('Not enough privileges')
})

test.each(LACKING)('$role without $privilege on $table is refused, and says so', async (user) => {
  const refused = as(user.name, user.database, WORK[user.role])
  await expect(refused).rejects.toThrow(HistoryRefusedError)
  await expect(refused).rejects.toThrow(
    new RegExp(
      `^the ClickHouse user ${user.name} lacks a privilege: grant what "market acl clickhouse" prints, .*necessary to have the grant (?:[A-Z ]+, )*${user.privilege}\\b`,
    ),
  )
})

test('what is printed is SQL that ClickHouse reads', async () => {
  for (const user of ['market-gateway', 'a `name`', 'CN=shop']) {
    const lines = clickHouseGrantLines(clickHouseGrants(config, needsOfAll(), user))
    for (const line of lines) {
      const sql = `'${line.replace(/;$/, '').replaceAll(/[\\']/g, '\\$&')}'`
      const [row] = await server.query(
        'default',
        `SELECT formatQuery(${sql}) AS sql FORMAT JSONEachRow`,
      )
      expect(row).toEqual({ sql: expect.any(String) })
    }
  }
})

test('each table is written by one use of the history; steps of the schema and replaced views by each', () => {
  const sql = readMigrations()
    .flatMap(({ statements }) => statements)
    .join('\n')
  const namedAfter = (words: string) =>
    [...sql.matchAll(new RegExp(`${words} (\\w+)`, 'g'))].map(([, name = '']) => name)
  const intoOf = (use: HistoryUse) =>
    historyRights([use]).flatMap(({ privileges, table }) =>
      privileges.includes('INSERT') ? [table] : [],
    )
  const byEach = ['schema_migrations', ...new Set(namedAfter('CREATE OR REPLACE VIEW'))]
  expect([...intoOf('writeOrders'), ...intoOf('writePairing')].toSorted()).toEqual(
    [...namedAfter('CREATE TABLE IF NOT EXISTS'), ...byEach, ...byEach].toSorted(),
  )
})
