import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessFile, type ClickHouseUsers, roleOf } from './users.ts'

export interface Query {
  /** Who asks. */
  user: string
  database: string
  sql: string
  params: Record<string, string>
  settings: Record<string, string>
}

export interface OneSession {
  /** The answer in the query's own format; one query at a time, each with its own settings. */
  run(query: Query): Promise<{ bytes: Uint8Array; rowsRead: number }>
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/**
 * The engine on a directory: settings of a query are reset after it. It checks the rights of who asks, as a
 * server does; it has one user, whose roles have them.
 */
export async function openOneSession(
  directory: string,
  users: ClickHouseUsers,
): Promise<OneSession> {
  const chdb = await import('chdb')
  const data = join(directory, 'data')
  mkdirSync(data, { recursive: true })
  const [config, access] = [join(directory, 'config.xml'), join(directory, 'users.xml')]
  writeFileSync(access, accessFile(users))
  writeFileSync(config, `<clickhouse><users_config>${access}</users_config></clickhouse>`)
  const session = new chdb.Session(data, { connectionArgs: [`--config-file=${config}`] })
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }

  const run = async ({ user, database, sql, params, settings }: Query) => {
    // A database that may not be used is refused by what is asked of it, as over HTTP.
    await session.queryAsync('SET ROLE ALL')
    await session.queryAsync(`USE ${database}`)
    await session.queryAsync(`SET ROLE ${roleOf(users, user)}`)
    const names = Object.keys(settings)
    try {
      for (const name of names) {
        await session.queryAsync(`SET ${name} = ${quoted(settings[name] ?? '')}`)
      }
      const result =
        Object.keys(params).length > 0
          ? await session.queryBindAsync(sql, params, { format: 'TabSeparated' })
          : await session.queryAsync(sql, { format: 'TabSeparated' })
      return { bytes: result.bytes(), rowsRead: result.rowsRead }
    } finally {
      for (const name of names) await session.queryAsync(`SET ${name} = DEFAULT`).catch(() => {})
    }
  }

  return { run: (query) => inTurn(() => run(query)) }
}
