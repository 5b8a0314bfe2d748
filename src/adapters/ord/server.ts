import { errors, Pool } from 'undici'
import { z } from 'zod'
import { parseExactJson } from '../../domain/json/exact-json.ts'
import { IndexUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { connectionRules, LANES, type Lane, openLanes } from '../../runtime/lanes.ts'

/** Does the body of a 404 mean "there is no such thing"? A proxy in between may answer 404 too. */
export type NotFoundBody = (body: string) => boolean

/** The server's own answer is longer than is read. */
export class LargeAnswerError extends IndexUnavailableError {
  override name = 'LargeAnswerError'
  /** As much of it as was read. */
  readonly beginning: string

  constructor(path: string, beginning: string) {
    super('asset_index_malformed', `${path}: ${TOO_LONG}`)
    this.beginning = beginning
  }
}

export interface OrdServer {
  /**
   * Null for a 404 whose body is the server's own. Throws `IndexUnavailableError`; for an answer
   * that is too long, `LargeAnswerError`.
   */
  json<S extends z.ZodType>(
    path: string,
    schema: S,
    notFound: NotFoundBody,
  ): Promise<z.output<S> | null>
  /** Many items in one request; null if any is missing, or this ord has no such request. */
  batch<T>(
    path: string,
    names: readonly string[],
    schema: z.ZodType<T>,
  ): Promise<readonly T[] | null>
  /** A page of HTML; a missing one is an error. */
  text(path: string): Promise<string>
  /** These connections, for requests of another priority. */
  inLane(lane: Lane): OrdServer
  close(): Promise<void>
}

const TIMEOUT_MS = 5_000
const MAX_BODY_CHARACTERS = 2 ** 20
const TOO_LONG = `more than ${MAX_BODY_CHARACTERS} characters`
const JSON_TYPE = 'application/json'
const CONNECTIONS = 8
/** Limit on waiting for a connection; an answer's timeout counts from when its request is sent. */
const LONGEST_WAIT_MS = 10_000
/** Longer than the time between two polls of ingest. */
const KEPT_IDLE_MS = 25_000

/**
 * 405: an ord without batches; 406: "JSON API disabled". Any other status is not ord's own answer.
 */
const SPOKEN = new Set([200, 404, 405, 406])

interface ServerAnswer {
  status: number
  contentType: string
  body: string
}

/** The login to an ord server, or to the proxy before it (HTTP Basic). */
export interface OrdLogin {
  user: string
  password: string
}

/**
 * HTTP to an ord server: exact `Accept`, no redirects, no compression, bounded in time and size.
 */
export function openOrdServer(
  url: string,
  login: OrdLogin | undefined,
  onRequest: () => void,
): OrdServer {
  const { origin, pathname } = new URL(url)
  const authorization = login && { authorization: basicOf(login) }
  const base = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: TIMEOUT_MS },
    keepAliveTimeout: KEPT_IDLE_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })

  const lanes = openLanes({
    rules: connectionRules(CONNECTIONS),
    waitMs: LONGEST_WAIT_MS,
    now: () => performance.now(),
  })

  const request = async (path: string, accept: string, names?: string[]): Promise<ServerAnswer> => {
    onRequest()
    const response = await pool.request({
      method: names ? 'POST' : 'GET',
      path: base + path,
      // ord compares the header with this exact text: a list of types would get HTML.
      headers: { accept, ...authorization, ...(names && { 'content-type': JSON_TYPE }) },
      ...(names && { body: JSON.stringify(names) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { statusCode: status, headers } = response
    const type = headers['content-type']
    const contentType = typeof type === 'string' ? type : ''
    let body = ''
    for await (const part of response.body.setEncoding('utf8')) {
      body += part
      if (body.length <= MAX_BODY_CHARACTERS) continue
      throw isJson({ status, contentType })
        ? new LargeAnswerError(path, body)
        : malformed(path, TOO_LONG)
    }
    return { status, contentType, body }
  }

  const ask = async (lane: Lane, ...[path, accept, names]: Parameters<typeof request>) => {
    for (let reconnected = false; ; reconnected = true) {
      try {
        const answer = await lanes.run(lane, () => request(path, accept, names))
        if (!SPOKEN.has(answer.status))
          throw new IndexUnavailableError(
            'asset_index_unreachable',
            `${path}: HTTP ${answer.status}${answer.status === 401 ? LOGIN_CURE : ''}`,
          )
        return answer
      } catch (error) {
        if (error instanceof IndexUnavailableError) throw error
        // An idle connection was closed meanwhile: retried once, on a new one.
        if (!(error instanceof errors.SocketError) || reconnected) throw noAnswer(path, error)
      }
    }
  }

  const inLane = (lane: Lane): OrdServer => ({
    json: async (path, schema, notFound) => {
      const { status, contentType, body } = await ask(lane, path, JSON_TYPE)
      if (status === 404 && notFound(body)) return null
      if (!isJson({ status, contentType }))
        throw malformed(path, `HTTP ${status} ${contentType} ${body.slice(0, 80)}`)
      return readJson(path, body, schema)
    },
    batch: async (path, names, schema) => {
      if (names.length === 0) return []
      const { status, contentType, body } = await ask(lane, path, JSON_TYPE, [...names])
      if (!isJson({ status, contentType })) return null
      const answers = readJson(path, body, z.array(schema))
      return answers.length === names.length ? answers : null
    },
    text: async (path) => {
      const { status, body } = await ask(lane, path, 'text/html')
      if (status !== 200) throw malformed(path, `HTTP ${status}`)
      return body
    },
    inLane,
    close: () => pool.destroy(),
  })
  return inLane(LANES.first)
}

const isJson = ({ status, contentType }: Omit<ServerAnswer, 'body'>): boolean =>
  status === 200 && contentType.startsWith(JSON_TYPE)

const LOGIN_CURE = ', set ASSET_INDEX_USER and ASSET_INDEX_PASSWORD'

export const basicOf = ({ user, password }: OrdLogin): string =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`

function readJson<S extends z.ZodType>(path: string, body: string, schema: S): z.output<S> {
  try {
    return schema.parse(parseExactJson(body))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'not JSON'
    throw malformed(path, why, cause)
  }
}

const malformed = (path: string, why: string, cause?: unknown): IndexUnavailableError =>
  new IndexUnavailableError('asset_index_malformed', `${path}: ${why}`, { cause })

function noAnswer(path: string, cause: unknown): IndexUnavailableError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new IndexUnavailableError('asset_index_unreachable', `${path}: ${message}`, { cause })
}
