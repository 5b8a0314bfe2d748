import { once } from 'node:events'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { temporaryDirectory } from '../embedded.ts'
import { type Child, startChild } from '../services/child.ts'
import { freePort, lowerPriority } from '../services/programs.ts'
import type { ClickHouseUsers } from './users.ts'

export const WRITER = { user: 'market', password: 'a-password-of-tests' } as const
export const READER = { user: 'analyst', password: 'a-password-of-analysts' } as const

const USERS: ClickHouseUsers = {
  [WRITER.user]: { password: WRITER.password },
  [READER.user]: { password: READER.password, readonly: 2 },
  dashboard: { password: 'of-dashboards', readonly: 1 },
  tenant: { password: 'of-tenants', grants: ['GRANT ALL ON tenant.*'] },
}

/** A ClickHouse for one test: its HTTP interface on its real engine, in a process of its own. */
export class ClickHouseServer {
  readonly url: string
  readonly #port: number
  readonly #users: ClickHouseUsers
  readonly #directory = temporaryDirectory()
  #child: Child

  /** `users` are beside the ones of all tests. */
  static async start(users: ClickHouseUsers = {}): Promise<ClickHouseServer> {
    const server = new ClickHouseServer(await freePort(), { ...USERS, ...users })
    await server.#ready()
    return server
  }

  private constructor(port: number, users: ClickHouseUsers) {
    this.#port = port
    this.#users = users
    this.url = `http://127.0.0.1:${port}`
    this.#child = this.#start()
  }

  /** The rows of a query, or of a statement without rows. */
  async query(
    database: string,
    sql: string,
    { user, password }: { user: string; password: string } = WRITER,
  ): Promise<unknown[]> {
    const client = createClient({
      url: this.url,
      username: user,
      password,
      database,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        output_format_json_quote_64bit_integers: 0,
        date_time_output_format: 'iso',
        wait_end_of_query: 1,
      },
    })
    try {
      const answer = await client.exec({ query: sql })
      const text = (await answer.stream.toArray()).join('')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line))
    } finally {
      await client.close()
    }
  }

  /** SIGKILL; its data remain for `resume`. */
  async kill(): Promise<void> {
    this.#child.process.kill('SIGKILL')
    await this.#child.ended
  }

  lowerPriority(): void {
    lowerPriority(this.#child.process.pid)
  }

  async resume(): Promise<void> {
    this.#child = this.#start()
    await this.#ready()
  }

  /** Ends the server, and throws its data away. */
  async stop(): Promise<void> {
    await this.kill()
    this.#directory.drop()
  }

  #start(): Child {
    const { path } = this.#directory
    return startChild('clickhouse', [path, String(this.#port), JSON.stringify(this.#users)])
  }

  async #ready(): Promise<void> {
    const { process: child, ended } = this.#child
    child.stderr?.pipe(process.stderr)
    const stopped = ended.then((code) => {
      throw new Error(`ClickHouse ended with ${code} before it answered`)
    })
    stopped.catch(() => undefined)
    await Promise.race([once(child.stdout!, 'data'), stopped])
  }
}
