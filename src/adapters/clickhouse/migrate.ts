import { z } from 'zod'
import { HistoryRefusedError, HistoryUnavailableError } from '../../ports/views/history.ts'
import type { SqlEngine } from './engine/sql-engine.ts'
import type { Migration } from './migrations.ts'

const Applied = z.object({
  version: z.coerce.number(),
  name: z.string(),
  checksum: z.string(),
  needs: z.coerce.number(),
})
type Applied = z.infer<typeof Applied>

const STEPS = 'schema_migrations'
const MAKE_STEPS = `CREATE TABLE IF NOT EXISTS ${STEPS} (
  version UInt32 COMMENT 'Number of the step',
  name String COMMENT 'File that made it',
  checksum String COMMENT 'SHA-256 of that file',
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When it was applied'
) ENGINE = ReplacingMergeTree ORDER BY version COMMENT 'Steps of the schema that were applied'`
const ADD_NEEDS = `ALTER TABLE ${STEPS} ADD COLUMN IF NOT EXISTS
  needs UInt32 DEFAULT version COMMENT 'Step that a release must know to use the schema since' AFTER checksum`

/**
 * Brings the schema up to date, and makes sure that rows can be written. Statements are repeatable,
 * so a step cut short by a crash is run again, and two processes may do this at once.
 *
 * @throws HistoryRefusedError an applied step reads differently now
 * @throws HistoryUnavailableError a newer release applied a step that this one cannot work with
 */
export async function migrate(engine: SqlEngine, migrations: readonly Migration[]): Promise<void> {
  await engine.run(MAKE_STEPS)
  await engine.run(ADD_NEEDS)
  for (const { version, name, checksum, needs, statements } of await missing(engine, migrations)) {
    for (const statement of statements) await engine.run(statement)
    await engine.insert(STEPS, [{ version, name, checksum, needs }])
  }
  // Inserts nothing, but checks the right to insert.
  await engine.run(`INSERT INTO ${STEPS} (version, name, checksum) SELECT 0, '', '' WHERE 0`)
}

/**
 * Makes sure that a reader of this release can use the schema.
 *
 * @throws HistoryRefusedError as `migrate`
 * @throws HistoryUnavailableError as `migrate`, or a step is not applied yet
 */
export async function requireMigrated(
  engine: SqlEngine,
  migrations: readonly Migration[],
): Promise<void> {
  const tables = await engine.select(
    'SELECT name FROM system.tables WHERE database = currentDatabase() AND name = {name:String}',
    { name: STEPS },
  )
  const [next] = tables.length > 0 ? await missing(engine, migrations) : migrations
  if (next) {
    throw new HistoryUnavailableError(
      `the history lacks migration ${next.name}: the service that writes the history creates it when it starts`,
    )
  }
}

/** The steps not applied yet. */
async function missing(
  engine: SqlEngine,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const rows = await engine.select(`SELECT version, name, checksum, needs FROM ${STEPS} FINAL`, {})
  const applied = new Map(rows.map((row) => Applied.parse(row)).map((row) => [row.version, row]))
  for (const step of applied.values()) requireKnown(step, migrations, engine)
  return migrations.filter(({ version }) => !applied.has(version))
}

function requireKnown(
  { version, name, checksum, needs }: Applied,
  migrations: readonly Migration[],
  { howToEmpty }: SqlEngine,
): void {
  const refilled = `or ${howToEmpty}: it is refilled from the log`
  const known = migrations.find((migration) => migration.version === version)
  if (!known && needs <= (migrations.at(-1)?.version ?? 0)) return
  if (!known) {
    throw new HistoryUnavailableError(
      `the history has migration ${version} (${name}) of a newer release, which this one cannot work with: start that release, ${refilled}`,
    )
  }
  if (known.checksum !== checksum) {
    throw new HistoryRefusedError(
      `migration ${version} of the history was applied as ${name} with SHA-256 ${checksum}, but ${known.name} has ${known.checksum}: restore that file, ${refilled}`,
    )
  }
}
