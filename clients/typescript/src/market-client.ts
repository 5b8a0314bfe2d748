import createClient, { type Client } from 'openapi-fetch'
import { UnexpectedAnswerError } from './errors/client-errors.ts'
import type { components, paths } from './generated/api.ts'
import { type ImportedOrder, type ImportOptions, importOrders } from './import-orders.ts'
import { List } from './list.ts'
import { newIdempotencyKey } from './requests/idempotency-key.ts'
import {
  type CallOptions,
  type MarketClientOptions,
  type Settings,
  settingsOf,
} from './requests/options.ts'
import {
  type AnswerOf,
  type Bounds,
  CONTENT_PATH,
  FILE_ROUTES,
  type FileFormat,
  type FileQuery,
  type GetPath,
  isSentOnce,
  type ListParametersOf,
  type ListPath,
  type ListQuery,
  type PageLike,
  type ParametersOf,
  type PostPath,
  type QueryOf,
  type StatisticName,
  type StatisticPath,
  statisticPath,
  type VerifiedPath,
} from './requests/routes.ts'
import { send } from './requests/send.ts'
import { ChangeStream, type StreamOptions } from './streams/change-stream.ts'
import { type Answered, VerifiedReader } from './verified-reader.ts'

export interface PostOptions extends CallOptions {
  /**
   * Of one intent, 1 to 255 visible ASCII characters: the same key and body give the same answer for
   * a day. By default each call has a new one.
   */
  idempotencyKey?: string
}

type OrderToImport = components['schemas']['ImportRequest']
type OrdersToImport = Iterable<OrderToImport> | AsyncIterable<OrderToImport>

/** What an inscription shows. */
export interface Content {
  bytes: Uint8Array<ArrayBuffer>
  /** Its media type, as the service checked it. */
  type: string
}

/** What openapi-fetch takes, whichever the route. */
interface Sent {
  params: { path: unknown; query: unknown }
  body?: unknown
  headers?: Record<string, string>
  parseAs?: 'arrayBuffer'
  fetch: (request: Request) => Promise<Response>
}
type AnyMethod = (path: string, init: Sent) => Promise<{ data?: unknown }>
type Asked = [
  method: AnyMethod,
  route: string,
  given: CallOptions & { path?: unknown; query?: unknown; body?: unknown },
  headers?: Record<string, string>,
  fileType?: RegExp,
]

const ANY_TYPE = /^/

type Optional<T> = Record<never, never> extends T ? [parameters?: T] : [parameters: T]

/** The API of one service. It holds no connection and no state: one is enough for a program. */
export class MarketClient {
  readonly #settings: Settings
  readonly #http: Client<paths>

  constructor(options: MarketClientOptions) {
    this.#settings = settingsOf(options)
    const { baseUrl, headers } = this.#settings
    this.#http = createClient<paths>({ baseUrl, headers })
  }

  /**
   * The answer of any GET route with JSON.
   *
   * @throws ApiError by family, NetworkError, TimeoutError, UnexpectedAnswerError
   */
  get<P extends GetPath>(
    path: P,
    ...[parameters]: Optional<ParametersOf<P> & CallOptions>
  ): Promise<AnswerOf<P>> {
    return this.#call(this.#http.GET as AnyMethod, path, parameters ?? {}) as Promise<AnswerOf<P>>
  }

  /**
   * The answer of any POST route, sent under one Idempotency-Key however often it is repeated. What makes
   * or rotates the key of a customer is sent once, unless `attempts` says otherwise: the service keeps no
   * answer with such a secret.
   */
  post<P extends PostPath>(
    path: P,
    ...[parameters]: Optional<ParametersOf<P, 'post'> & PostOptions>
  ): Promise<AnswerOf<P, 'post'>> {
    const { idempotencyKey = newIdempotencyKey(), ...asked }: PostOptions = parameters ?? {}
    const given = isSentOnce(path) ? { ...asked, attempts: asked.attempts ?? 1 } : asked
    const headers = { 'idempotency-key': idempotencyKey }
    const answer = this.#call(this.#http.POST as AnyMethod, path, given, headers)
    return answer as Promise<AnswerOf<P, 'post'>>
  }

  /**
   * Any route that answers in pages: `for await (const item of client.list(path, { query }))`. `limit` is
   * the most items in all, `pageSize` the most that one request brings.
   */
  list<P extends ListPath>(
    path: P,
    ...[parameters]: Optional<ListParametersOf<P> & CallOptions>
  ): List<AnswerOf<P> & PageLike> {
    const given: CallOptions & { path?: unknown; query?: unknown } = parameters ?? {}
    return this.#list(path, given)
  }

  /** Orders that match, in the order of `sort`: at most `limit`, or all. */
  orders(query: ListQuery<QueryOf<'/api/market/orders'>> = {}, options: CallOptions = {}) {
    return this.list('/api/market/orders', { query, ...options })
  }

  /** Changes of state, newest first. */
  activity(query: ListQuery<QueryOf<'/api/market/activity'>> = {}, options: CallOptions = {}) {
    return this.list('/api/market/activity', { query, ...options })
  }

  /** Rows of one of the market's statistics. */
  statistics<Name extends StatisticName>(
    name: Name,
    ...[query, options]: [
      ...Optional<ListQuery<QueryOf<StatisticPath<Name>>>>,
      options?: CallOptions,
    ]
  ): List<AnswerOf<StatisticPath<Name>> & PageLike> {
    return this.#list(statisticPath(name), { query, ...options })
  }

  /** A statistic as a file: its bytes, whole. A file that would lack rows is refused. */
  async statisticFile(
    name: StatisticName,
    format: FileFormat,
    query: FileQuery = {},
    options: CallOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { path, type } = FILE_ROUTES[format]
    const given = { path: { name }, query, ...options }
    const read = this.#http.GET as AnyMethod
    return new Uint8Array((await this.#call(read, path, given, {}, type)) as ArrayBuffer)
  }

  /** What an inscription that an order offers shows, whole. Its maker is a stranger: never run it. */
  async content(inscriptionId: string, options: CallOptions = {}): Promise<Content> {
    const given = { path: { inscriptionId }, ...options }
    const read = this.#http.GET as AnyMethod
    const { data, type } = await this.#ask(read, CONTENT_PATH, given, {}, ANY_TYPE)
    return { bytes: new Uint8Array(data as ArrayBuffer), type }
  }

  /**
   * Changes as they happen, over as many connections as it takes: first a snapshot, then each change
   * once. It ends with `signal`, or with the loop that reads it. A snapshot has the newest `limit` orders
   * that match (50, up to 200): where it `hasMore`, list the rest after it, at each snapshot.
   */
  follow(
    query: Omit<QueryOf<'/api/market/activity/stream'>, 'cursor'> = {},
    options: StreamOptions = {},
  ): ChangeStream {
    return new ChangeStream(this.#settings, query, options)
  }

  /**
   * Imports many orders, with the key of a customer as `token`: batches of up to 256, and what became
   * of each, in order. A refused order is reported, not thrown. A batch waits until it is full, or `orders`
   * end.
   */
  importOrders(
    orders: OrdersToImport,
    options: ImportOptions = {},
  ): AsyncGenerator<ImportedOrder, void> {
    return importOrders(this.#settings, orders, options)
  }

  /** A value that both pipelines vouch for, read again and again, and kept while they do not. */
  verified<P extends VerifiedPath>(path: P, parameters: ParametersOf<P>): VerifiedReader<P> {
    const read = (options: CallOptions) =>
      this.#ask(this.#http.GET as AnyMethod, path, { ...parameters, ...options })
    return new VerifiedReader<P>(
      read as (options: CallOptions) => Promise<Answered<AnswerOf<P>>>,
      this.#settings.timing,
    )
  }

  #list<P extends ListPath>(
    path: P,
    given: CallOptions & { path?: unknown; query?: unknown },
  ): List<AnswerOf<P> & PageLike> {
    const { limit, pageSize, ...filters } = (given.query ?? {}) as Bounds
    const read = async (cursor: string | undefined, size: number | undefined) => {
      const place = {
        ...(size !== undefined && { limit: size }),
        ...(cursor !== undefined && { cursor }),
      }
      const query = { ...filters, ...place }
      const asked = { ...given, query }
      const { data, nextCursor } = await this.#ask(this.#http.GET as AnyMethod, path, asked)
      const page: object = { nextCursor, hasMore: nextCursor !== '', ...(data as object) }
      return page as AnswerOf<P> & PageLike
    }
    return new List(read, { limit, pageSize })
  }

  async #call(...asked: Asked): Promise<unknown> {
    return (await this.#ask(...asked)).data
  }

  async #ask(
    ...[method, route, given, headers = {}, fileType]: Asked
  ): Promise<Answered<unknown> & { type: string }> {
    const { path, query, body, signal } = given
    const bounds = {
      attempts: given.attempts ?? this.#settings.attempts,
      attemptMs: given.attemptMs ?? this.#settings.attemptMs,
      totalMs: given.totalMs ?? this.#settings.totalMs,
    }
    let nextCursor = ''
    let contentType = ''
    try {
      const { data } = await method(route, {
        params: { path, query },
        ...(body !== undefined && { body }),
        headers,
        ...(fileType && { parseAs: 'arrayBuffer' }),
        fetch: async (request) => {
          const type = fileType
          const sent = await outgoing(request)
          const answer = await send(sent, this.#settings, { bounds, signal, type })
          contentType = answer.headers.get('content-type') ?? ''
          nextCursor = nextCursorIn(answer.headers, sent.url)
          return new Response(answer.bytes, { status: answer.status })
        },
      })
      return { data, nextCursor, type: contentType }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new UnexpectedAnswerError('an answer that is not whole JSON', { cause: error })
    }
  }
}

/** The cursor of the next page (RFC 8288); empty: there is none. */
function nextCursorIn(headers: Headers, url: string): string {
  const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return next === undefined ? '' : (new URL(next, url).searchParams.get('cursor') ?? '')
}

/** Read once, since a body can be sent only once as it is. */
async function outgoing(request: Request) {
  const { method, url, headers } = request
  return { method, url, headers, body: method === 'POST' ? (await request.text()) || null : null }
}

/** @throws TypeError `baseUrl` is not an absolute address */
export const createMarketClient = (options: MarketClientOptions): MarketClient =>
  new MarketClient(options)
