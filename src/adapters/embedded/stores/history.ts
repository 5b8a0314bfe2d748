import { mkdirSync } from 'node:fs'
import type { Session } from 'chdb'
import type { OnPoint } from '../../../ports/log/crash-points.ts'
import { HistoryUnavailableError } from '../../../ports/views/history.ts'
import { PAGE_MS, type SqlEngine, settingsOf } from '../../clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../clickhouse/history.ts'
import { historyHolder } from './history-holder.ts'

export interface HistoryOptions {
  /** A directory of its own; one process at a time. */
  directory: string
  onPoint?: OnPoint
}

const DATABASE = 'market'
/** Times as RFC 3339 both ways; a single row must not be buffered in memory. */
const TIMES_IN = { date_time_input_format: 'best_effort' }
const TIMES_OUT =
  "SETTINGS date_time_output_format = 'iso', output_format_json_quote_64bit_integers = 0"

/**
 * The history on chDB, ClickHouse's engine in this process. chDB is an optional dependency and is
 * loaded at the first use: without it, or when it fails, every use throws `HistoryUnavailableError`.
 */
export const openEmbeddedHistory = ({ directory, onPoint }: HistoryOptions): SqlHistory =>
  new SqlHistory({ connect: () => connectChdb(directory), ...(onPoint && { onPoint }) })

/**
 * Opens the engine on a separate directory. Throws if chDB is missing, `HistoryUnavailableError` if
 * the directory is in use.
 */
export async function connectChdb(directory: string): Promise<SqlEngine> {
  const chdb = await import('chdb').catch((cause: unknown) => {
    throw new Error('chDB, an optional dependency, is not installed for this platform', { cause })
  })
  mkdirSync(directory, { recursive: true })
  await chdb.drainPending()
  const engine = engineOf(directory, openSession(chdb, directory), chdb.drainPending)
  try {
    await engine.run(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`)
    await engine.run(`USE ${DATABASE}`)
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

function openSession(chdb: typeof import('chdb'), directory: string): Session {
  const holder = historyHolder(directory)
  if (holder !== null) throw cannotOpen(directory, `process ${holder}`)
  try {
    return new chdb.Session(directory)
  } catch (cause) {
    throw cannotOpen(directory, 'perhaps another process', { cause })
  }
}

const cannotOpen = (directory: string, holder: string, options?: ErrorOptions) =>
  new HistoryUnavailableError(
    `chDB cannot open ${directory}, which one process at a time may have open, now ${holder}: wait for its end or stop it, or keep the history in a ClickHouse server (CLICKHOUSE_URL)`,
    options,
  )

const settingsText = (settings: Record<string, string | number>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'string' ? `'${value}'` : value}`)
    .join(', ')

function engineOf(directory: string, session: Session, drained: () => Promise<void>): SqlEngine {
  return {
    howToEmpty: `delete the folder ${directory}`,
    run: async (sql) => {
      await session.queryAsync(sql)
    },
    select: async (sql, params, withinMs = PAGE_MS) => {
      const limit = `max_execution_time = ${Math.ceil(withinMs / 1_000)}`
      const result = await session.queryBindAsync(`${sql} ${TIMES_OUT}, ${limit}`, params, {
        format: 'JSONEachRow',
      })
      const lines = result.text().split('\n')
      return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line))
    },
    answer: async (sql, params, limits) => {
      const settings = `date_time_output_format = 'iso', ${settingsText(settingsOf(limits))}`
      const { format } = limits
      const result = await session.queryBindAsync(`${sql} SETTINGS ${settings}`, params, { format })
      return Buffer.from(result.bytes())
    },
    write: async (sql, params, path, limits) => {
      const file = path.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
      const into = `INTO OUTFILE '${file}' FORMAT ${limits.format}`
      const settings = settingsText(settingsOf(limits))
      await session.queryBindAsync(`${sql} SETTINGS ${settings} ${into}`, params)
    },
    insert: async (table, rows) => {
      const values = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))
      await session.insert({ table, values, format: 'JSONEachRow', settings: TIMES_IN })
    },
    close: async () => {
      session.close()
      await drained()
    },
  }
}
