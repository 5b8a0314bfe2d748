import type { paths } from '../generated/api.ts'

// What the generated types say of a route, in the form in which the client takes and gives it. New
// routes come with a new generation: only those that are unlike the others are named here.

type Operation<P extends keyof paths, M extends 'get' | 'post'> =
  paths[P] extends Record<M, infer One> ? One : never

type PathsOf<M extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]

/** The bytes of a file, not JSON: `statisticFile` reads it. */
type FilePath<Format extends FileFormat = FileFormat> = `/api/market/stats/{name}.${Format}`
/** What an inscription shows: `content` reads it. */
export const CONTENT_PATH = '/api/market/inscriptions/{inscriptionId}/content'
/** Routes whose answer is JSON: no file, no content, no stream. */
export type GetPath = {
  [P in PathsOf<'get'>]: [AnswerOf<P>] extends [never] ? never : P
}[PathsOf<'get'>]
/** NDJSON, not JSON: `importOrders` sends it. */
type BatchPath = '/api/market/orders/import/batch'
export type PostPath = Exclude<PathsOf<'post'>, BatchPath>

/**
 * Their answer has a secret, which no service keeps for an Idempotency-Key: sent again after an answer that
 * was lost, they are refused, or make another secret.
 */
const MAKES_SECRET: ReadonlySet<PostPath> = new Set<PostPath>([
  '/api/market/admin/keys',
  '/api/market/admin/keys/{name}/rotate',
])
export const isSentOnce = (path: PostPath): boolean => MAKES_SECRET.has(path)

type JsonIn<T> = T extends { content: infer C } ? C[Extract<keyof C, `${string}json`>] : never
type Success<T> = T extends { responses: infer R } ? JsonIn<R[Extract<keyof R, 200 | 201>]> : never

/** The body of a successful answer. */
export type AnswerOf<P extends keyof paths, M extends 'get' | 'post' = 'get'> = Success<
  Operation<P, M>
>

/** A value as a program has it; in the query it is text. */
type Given<T> = string extends T ? T | number : 'true' | 'false' extends T ? T | boolean : T

type Loose<Q> = { [K in keyof Q]: Given<Exclude<Q[K], undefined>> | undefined }

/** The query of a route; numbers and booleans are sent as text. */
export type QueryOf<P extends keyof paths> =
  Operation<P, 'get'> extends {
    parameters: { query?: infer Q }
  }
    ? [Exclude<Q, undefined>] extends [never]
      ? Record<never, never>
      : Loose<Exclude<Q, undefined>>
    : Record<never, never>

type InPath<T> = T extends { parameters: { path: infer V } } ? { path: V } : { path?: never }

type InQuery<T> = T extends { parameters: { query: infer Q } }
  ? { query: Loose<Q> }
  : T extends { parameters: { query?: infer Q } }
    ? [Exclude<Q, undefined>] extends [never]
      ? { query?: never }
      : { query?: Loose<Exclude<Q, undefined>> }
    : { query?: never }

type InBody<T> = T extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : T extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { body?: B }
    : { body?: never }

/** What a route is called with. */
export type ParametersOf<P extends keyof paths, M extends 'get' | 'post' = 'get'> = InPath<
  Operation<P, M>
> &
  InQuery<Operation<P, M>> &
  InBody<Operation<P, M>>

/** A page of any list. Of `/pairing` and `/circles` the cursor is that of the answer's `Link`. */
export interface PageLike {
  /** A place to go on from; empty: it is the last page. */
  nextCursor: string
  hasMore: boolean
}

/**
 * They take a cursor, and are no list: the first has proved and unproved orders side by side, the second
 * goes both ways. `get` reads a page of either.
 */
type NoListPath = '/api/market/outpoints/{outpoint}' | '/api/market/admin/topics/{topic}/records'

/** Routes that answer in pages of one list. */
export type ListPath = Exclude<
  { [P in GetPath]: 'cursor' extends keyof QueryOf<P> ? P : never }[GetPath],
  NoListPath | VerifiedPath
>

/** What a list is asked for, where its route takes a `limit`. */
export interface Bounds {
  /** The most items in all; without it, every one. */
  limit?: number | undefined
  /** The most items that one request brings; by default what `limit` needs, up to 100. */
  pageSize?: number | undefined
}

/** The query of a list: its route's, but with a `limit` for all pages together. */
export type ListQuery<Q> = Omit<Q, 'limit'> & Bounds

/** What a list is called with. */
export type ListParametersOf<P extends ListPath> =
  ParametersOf<P> extends { query: infer Q }
    ? Omit<ParametersOf<P>, 'query'> & { query: ListQuery<Q> }
    : ParametersOf<P> extends { query?: infer Q }
      ? Omit<ParametersOf<P>, 'query'> & { query?: ListQuery<Exclude<Q, undefined>> }
      : ParametersOf<P>

/** What the one array of a page holds. */
export type ItemOf<Page> = {
  [K in keyof Page]: Page[K] extends readonly (infer One)[] ? One : never
}[keyof Page]

/** How the name of a file ends. */
export type FileFormat = 'csv' | 'parquet'
type FileOperation = Operation<FilePath<'csv'>, 'get'>['parameters']
/** What a file of a statistic is asked for. */
export type FileQuery = Loose<NonNullable<FileOperation['query']>>

/** The route of a file, and the type of a right answer. */
export const FILE_ROUTES: Readonly<Record<FileFormat, { path: FilePath; type: RegExp }>> = {
  csv: { path: '/api/market/stats/{name}.csv', type: /^text\/csv\b/i },
  parquet: {
    path: '/api/market/stats/{name}.parquet',
    type: /^application\/vnd\.apache\.parquet\b/i,
  },
}

type NameIn<P, Prefix extends string> = P extends `${Prefix}${infer Name}` ? Name : never

const STATISTICS = '/api/market/stats/'

/** `candles`, `sales` and so on. */
export type StatisticName = NameIn<ListPath, typeof STATISTICS>
export type StatisticPath<Name extends StatisticName> = Extract<
  ListPath,
  `${typeof STATISTICS}${Name}`
>

export const statisticPath = <Name extends StatisticName>(name: Name) =>
  `${STATISTICS}${name}` as StatisticPath<Name>

/** Routes that answer only what both pipelines vouch for. */
export type VerifiedPath = Extract<GetPath, `/pairing/verified/${string}`>
