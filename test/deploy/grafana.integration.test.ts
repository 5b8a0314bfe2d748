import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { SqlEngine } from '../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../src/adapters/clickhouse/history.ts'
import { connectChdb } from '../../src/adapters/embedded/stores/history.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { marketLives } from '../support/statistics/market-lives.ts'

const Dashboard = z.object({
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      targets: z.array(z.object({ rawSql: z.string().optional(), expr: z.string().optional() })),
    }),
  ),
})
const { panels } = Dashboard.parse(
  JSON.parse(readFileSync('deploy/grafana/market-statistics.json', 'utf8')),
)
const queries = panels.flatMap(({ title, targets }) =>
  targets.flatMap(({ rawSql }) => (rawSql === undefined ? [] : [[title, rawSql] as const])),
)
const changes = marketLives(300, 31).flat()
const inscription = changes.flatMap(({ set }) => set.assets ?? [])[0]!.inscriptionId

// Variables of the dashboard, which Grafana quotes and escapes.
const TOKEN = ['$', '{token:sqlstring}'].join('')
const INSCRIPTION = ['$', '{inscription:sqlstring}'].join('')

/** What Grafana and its ClickHouse plugin substitute for macros and variables. */
const filled = (sql: string): string =>
  sql
    .replaceAll('$__fromTime', 'toDateTime(1767225600)')
    .replaceAll('$__toTime', 'toDateTime(1769904000)')
    .replaceAll(TOKEN, "'Rare Punk'")
    .replaceAll(INSCRIPTION, `'${inscription}'`)

const { path, drop } = temporaryDirectory()
let engine: SqlEngine
beforeAll(async () => {
  engine = await connectChdb(path)
  const history = new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
  await history.record(changes.map((change, offset) => ({ partition: 0, offset, change })))
})
afterAll(async () => {
  await engine.close()
  drop()
})

test.each(queries)('%s: the panel has rows, and no more than its limit', async (_title, sql) => {
  expect(sql).toMatch(/ LIMIT \d{2,4}$/)
  const rows = await engine.select(filled(sql), {})
  expect(rows.length).toBeGreaterThan(0)
})

test('days are of UTC, whatever the time zone of the server', async () => {
  const sql = queries.map(([, query]) => filled(query)).filter((query) => query.includes('day'))
  const rowsIn = async (zone: string) => {
    await engine.run(`SET session_timezone = '${zone}'`)
    return await Promise.all(sql.map((query) => engine.select(query, {})))
  }
  try {
    expect(await rowsIn('America/Los_Angeles')).toEqual(await rowsIn('UTC'))
  } finally {
    await engine.run("SET session_timezone = ''")
  }
})

/** Questions about one transaction are asked, not watched. */
const ASKED = ['stats_transaction']

test('every statistic is on it', async () => {
  const views = await engine.select(
    "SELECT name FROM system.tables WHERE database = 'market' AND startsWith(name, 'stats_')",
    {},
  )
  const names = (views as { name: string }[]).map(({ name }) => name)
  const absent = names.filter((name) => !queries.some(([, sql]) => sql.includes(name)))
  expect(absent).toEqual(ASKED)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('its metric is one of the service', () => {
  const expressions = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr ?? []))
  const metrics = expressions.flatMap((expr) => expr.match(/market_\w+/g) ?? [])
  expect(metrics).toEqual(['market_intake_items_total'])
  expect(readFileSync('docs/intake.md', 'utf8')).toContain(
    'market_intake_items_total{feed,outcome}',
  )
})
