import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Migration } from './history-migrations.ts'
import type { SqlEngine } from './sql-engine.ts'

const Applied = z.object({ version: z.coerce.number(), checksum: z.string() })

/**
 * Brings the schema up to date. Statements are repeatable, so a step that a crash cut short is run
 * again. Throws when a step that was applied reads differently now, or is not known here.
 */
export async function migrate(engine: SqlEngine, migrations: readonly Migration[]): Promise<void> {
  await engine.run('CREATE DATABASE IF NOT EXISTS market')
  await engine.run(`CREATE TABLE IF NOT EXISTS market.schema_migrations (
    version UInt32 COMMENT 'Number of the step',
    name String COMMENT 'What it made',
    checksum String COMMENT 'SHA-256 of its statements',
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When it was applied'
  ) ENGINE = ReplacingMergeTree ORDER BY version COMMENT 'Steps of the schema that were applied'`)
  const rows = await engine.select(
    'SELECT version, checksum FROM market.schema_migrations FINAL',
    {},
  )
  const applied = new Map(rows.map((row) => Applied.parse(row)).map((m) => [m.version, m.checksum]))
  const unknown = [...applied.keys()].filter(
    (v) => !migrations.some(({ version }) => version === v),
  )
  if (unknown.length > 0) {
    throw new Error(`the history has schema version ${unknown.join(', ')} of a newer release`)
  }
  for (const migration of migrations) await apply(engine, migration, applied)
}

async function apply(
  engine: SqlEngine,
  { version, name, statements }: Migration,
  applied: ReadonlyMap<number, string>,
): Promise<void> {
  const checksum = createHash('sha256').update(statements.join(';\n')).digest('hex')
  const known = applied.get(version)
  if (known === checksum) return
  if (known !== undefined) {
    throw new Error(`schema version ${version} of the history was applied with other statements`)
  }
  for (const statement of statements) await engine.run(statement)
  await engine.insert('market.schema_migrations', [{ version, name, checksum }])
}
