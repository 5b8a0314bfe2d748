import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { OneSession } from './one-session.ts'
import { type ClickHouseUsers, Exception, requireAccess } from './users.ts'

/** Parameters of an address that are not settings (src/Server/HTTPHandler.cpp). */
const RESERVED = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'role',
  'wait_end_of_query',
  'buffer_size',
])
const VERSION = '26.7.2.1'

/**
 * The HTTP interface of ClickHouse, as far as its client uses it: the query in the body, or in the
 * address before the rows in the body; settings and `param_` values in the address; gzip both ways;
 * exceptions as text with their code in a header.
 */
export function clickHouseListener(session: OneSession, users: ClickHouseUsers): RequestListener {
  return (request, response) => {
    void answer(session, users, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  }
}

async function answer(
  session: OneSession,
  users: ClickHouseUsers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://clickhouse')
  if (pathname === '/ping') return void response.end('Ok.\n')
  const headers: Record<string, string> = {
    'content-type': 'text/plain; charset=UTF-8',
    'x-clickhouse-query-id': searchParams.get('query_id') ?? randomUUID(),
    'x-clickhouse-server-display-name': 'chdb',
    'x-clickhouse-timezone': 'UTC',
  }
  const send = (status: number, body: Uint8Array) => {
    const isGzip =
      searchParams.get('enable_http_compression') === '1' &&
      /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    response.writeHead(status, { ...headers, ...(isGzip && { 'content-encoding': 'gzip' }) })
    response.end(isGzip ? gzipSync(body) : body)
  }
  try {
    const { bytes, rowsRead } = await run(session, users, request, searchParams)
    headers['x-clickhouse-format'] = 'JSONEachRow'
    headers['x-clickhouse-summary'] = JSON.stringify({ read_rows: String(rowsRead) })
    send(200, bytes)
  } catch (error) {
    const { code, message } = exceptionOf(error)
    headers['x-clickhouse-exception-code'] = String(code)
    const text = `Code: ${code}. DB::Exception: ${message} (version ${VERSION} (official build))\n`
    send(statusOf(code), Buffer.from(text))
  }
}

async function run(
  session: OneSession,
  users: ClickHouseUsers,
  request: IncomingMessage,
  address: URLSearchParams,
) {
  const sent = await bodyOf(request)
  const inAddress = address.get('query')
  const sql = inAddress === null ? sent.toString() : `${inAddress}\n${sent.toString()}`
  const params: Record<string, string> = {}
  const settings: Record<string, string> = {}
  for (const [name, value] of address) {
    if (name.startsWith('param_')) params[name.slice('param_'.length)] = unescaped(value)
    else if (!RESERVED.has(name)) settings[name] = value
  }
  const login = request.headers.authorization ?? ''
  const user = requireAccess(users, login, sql, Object.keys(settings))
  delete settings['enable_http_compression']
  const database = address.get('database') ?? 'default'
  return session.run({ user, database, sql, params, settings })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', r: '\r', n: '\n', t: '\t', 0: '\0' }

/** A value as written in a line of TabSeparated. */
const unescaped = (value: string): string =>
  value.replace(/\\(.)/gs, (_whole, letter: string) => ESCAPES[letter] ?? letter)

function exceptionOf(error: unknown): { code: number; message: string } {
  if (error instanceof Exception) return error
  if (!(error instanceof Error)) throw error
  const [, code, words] = /Code: (\d+)\. DB::Exception: ([\s\S]*)/.exec(error.message) ?? []
  if (code === undefined) throw error
  return { code: Number(code), message: words ?? '' }
}

/** As `exceptionCodeToHTTPStatus` of src/Server/HTTP/exceptionCodeToHTTPStatus.cpp says. */
function statusOf(code: number): number {
  if (code === 194) return 401
  if ([192, 193, 497, 516].includes(code)) return 403
  if ([26, 27, 38, 41, 47, 53, 62, 117].includes(code)) return 400
  if ([46, 60, 81, 115].includes(code)) return 404
  return code === 159 ? 408 : 500
}
