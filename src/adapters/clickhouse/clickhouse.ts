import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { OnPoint } from '../../ports/log/crash-points.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import { failureOf, noAnswer, type QueryAnswer } from './engine/answers.ts'
import { readBounded, readBoundedBytes } from './engine/bounded-text.ts'
import {
  type AnswerLimits,
  PAGE_MS,
  SCAN_MS,
  type SqlEngine,
  settingsOf,
} from './engine/sql-engine.ts'
import { SqlHistory } from './history.ts'

export interface ClickHouseOptions {
  /**
   * The HTTP interface, without user, password or query; a path is that of a proxy in front of it.
   */
  url: string
  user: string
  password?: string
  database: string
  /** Upper limit, in milliseconds, on waiting for an answer, whatever the query. */
  mostMs?: number
}

/** For inserting a batch, which is on disk when it is answered. */
const INSERT_MS = 30_000
/** Less than the 3 s after which the oldest servers close an idle connection. */
const IDLE_SOCKET_MS = 2_000
const MAX_BYTES = 32 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

/** Status and headers come last, so that a failure midway is reported as a failure. */
const ALWAYS = { wait_end_of_query: 1 } as const
const READING = {
  ...ALWAYS,
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
} as const
// Inserts are not buffered in the server's memory, and lost rows are accepted again although the
// same block came before.
const WRITING = {
  ...ALWAYS,
  date_time_input_format: 'best_effort',
  async_insert: 0,
  insert_deduplicate: 0,
} as const

/**
 * The history in ClickHouse, over HTTP. Nothing is sent before the first use; an unreachable server
 * is `HistoryUnavailableError`, one that cannot serve as it is configured `HistoryRefusedError`.
 */
export const openClickHouseHistory = ({
  access = 'write',
  onPoint,
  ...options
}: ClickHouseOptions & { access?: 'write' | 'read'; onPoint?: OnPoint }): SqlHistory =>
  new SqlHistory({
    connect: () => connectClickHouse(options, access),
    access,
    ...(onPoint && { onPoint }),
  })

/** The engine with its database, which a writer creates if it is missing. */
export async function connectClickHouse(
  options: ClickHouseOptions,
  access: 'write' | 'read',
): Promise<SqlEngine> {
  const engine = new HttpEngine(options, options.database)
  const outside = new HttpEngine(options, null)
  try {
    const found = await outside.select(
      'SELECT name FROM system.databases WHERE name = {name:String}',
      { name: options.database },
    )
    if (found.length > 0) return engine
    if (access === 'read') {
      throw new HistoryUnavailableError(
        `ClickHouse has no database ${options.database} that the user ${options.user} may see: the service that writes the history creates it when it starts; if it is there, grant what "market acl clickhouse" prints`,
      )
    }
    await outside.run(`CREATE DATABASE IF NOT EXISTS ${options.database}`)
    return engine
  } catch (error) {
    await engine.close()
    throw error
  } finally {
    await outside.close()
  }
}

interface QueryRequest {
  query: string
  settings: Record<string, string | number>
  params?: Record<string, string | number>
  /** Rows to insert: the query then goes into the address. */
  body?: Buffer
  /** The file that a good answer is written to instead. */
  path?: string
  withinMs: number
}

/** ClickHouse's HTTP interface. It retries nothing: the caller knows where to resume. */
class HttpEngine implements SqlEngine {
  readonly howToEmpty: string
  readonly #options: ClickHouseOptions
  readonly #client: ClickHouseClient

  constructor(options: ClickHouseOptions, database: string | null) {
    this.#options = options
    this.howToEmpty = `drop the database ${options.database}`
    const { origin, pathname } = new URL(options.url)
    this.#client = createClient({
      url: origin,
      pathname,
      username: options.user,
      password: options.password ?? '',
      ...(database === null ? {} : { database }),
      application: 'market',
      request_timeout: 2 * SCAN_MS,
      keep_alive: { idle_socket_ttl: IDLE_SOCKET_MS, eagerly_destroy_stale_sockets: true },
      compression: { request: true, response: true },
      // It would log what it sends.
      log: { level: ClickHouseLogLevel.OFF },
    })
  }

  async run(sql: string): Promise<void> {
    await this.#ask({ query: sql, settings: ALWAYS, withinMs: SCAN_MS })
  }

  async select(
    sql: string,
    params: Record<string, string | number>,
    withinMs = PAGE_MS,
  ): Promise<unknown[]> {
    const query = `${sql} FORMAT JSONEachRow`
    const settings = { ...READING, max_execution_time: Math.ceil(withinMs / 1000) }
    const text = (await this.#ask({ query, settings, params, withinMs })).toString('utf8')
    try {
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line): unknown => JSON.parse(line))
    } catch {
      throw new HistoryUnavailableError('ClickHouse sent an answer that is not JSON rows')
    }
  }

  answer(
    sql: string,
    params: Record<string, string | number>,
    limits: AnswerLimits,
  ): Promise<Buffer> {
    const { format, withinMs } = limits
    const settings = { ...READING, ...settingsOf(limits) }
    return this.#ask({ query: `${sql} FORMAT ${format}`, settings, params, withinMs })
  }

  async write(
    sql: string,
    params: Record<string, string | number>,
    path: string,
    limits: AnswerLimits,
  ): Promise<void> {
    const { format, withinMs } = limits
    const settings = { ...READING, ...settingsOf(limits) }
    await this.#ask({ query: `${sql} FORMAT ${format}`, settings, params, withinMs, path })
  }

  async insert(table: string, rows: readonly object[]): Promise<void> {
    const query = `INSERT INTO ${table} FORMAT JSONEachRow`
    const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))
    await this.#ask({ query, settings: WRITING, body, withinMs: INSERT_MS })
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  async #ask(question: QueryRequest): Promise<Buffer> {
    const { status, code, isClickHouse, text, bytes } = await this.#answer(question)
    if (status >= 200 && status < 300 && code === null) {
      if (isClickHouse) return bytes
      throw new HistoryUnavailableError('the server at CLICKHOUSE_URL is not ClickHouse')
    }
    throw failureOf({ status, code, isClickHouse, text }, this.#options)
  }

  async #answer({
    query,
    settings,
    params,
    body,
    path,
    ...question
  }: QueryRequest): Promise<QueryAnswer & { bytes: Buffer }> {
    const withinMs = Math.min(question.withinMs, this.#options.mostMs ?? Number.POSITIVE_INFINITY)
    const late = AbortSignal.timeout(withinMs)
    try {
      const { stream, response_headers, http_status_code } = await this.#client.exec({
        query,
        clickhouse_settings: settings,
        ...(params && { query_params: params }),
        ...(body && { values: Readable.from([body]) }),
        abort_signal: late,
        ignore_error_response: true,
      })
      const status = http_status_code ?? 0
      const code = response_headers['x-clickhouse-exception-code']
      const isGood = status >= 200 && status < 300 && code === undefined
      const isClickHouse = response_headers['x-clickhouse-query-id'] !== undefined
      const isFile = isGood && isClickHouse && path !== undefined
      if (isFile) await pipeline(stream, createWriteStream(path, { flags: 'wx' }), { signal: late })
      return {
        status,
        code: code === undefined ? null : Number(code),
        isClickHouse,
        text: isGood ? '' : await readBounded(stream, MAX_ERROR_BYTES, late, 'beginning'),
        bytes:
          isGood && !isFile
            ? await readBoundedBytes(stream, MAX_BYTES, late, 'whole')
            : Buffer.alloc(0),
      }
    } catch (error) {
      throw noAnswer(error, late.aborted ? withinMs : null, this.#options)
    }
  }
}
