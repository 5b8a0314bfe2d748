import { mkdirSync } from 'node:fs'

export interface Query {
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

/** The engine on a directory: settings of a query are reset after it. */
export async function openOneSession(directory: string): Promise<OneSession> {
  const chdb = await import('chdb')
  mkdirSync(directory, { recursive: true })
  const session = new chdb.Session(directory)
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }

  const run = async ({ database, sql, params, settings }: Query) => {
    await session.queryAsync(`USE ${database}`)
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
