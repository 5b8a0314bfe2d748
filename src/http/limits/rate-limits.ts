import type { FastifyInstance } from 'fastify'
import type { RequestCounts } from '../../ports/views/request-counts.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Counters, countersOf, loadCounters } from './client-counts.ts'
import type { KeyLimits } from './key-limits.ts'
import { type Limiter, limiterOf, showCounts } from './limiter.ts'
import { OptimisticCounts } from './optimistic-counts.ts'
import type { RefusalThrottle } from './refusal-throttle.ts'
import { RouteBucket } from './route-bucket.ts'

/**
 * A route's requests per minute and client (gateway spec 8.1; docs/design/orders.md#formats).
 */
export interface RateLimits {
  artifact: number
  revalidate: number
  build: number
  publish: number
  withdraw: number
  operator: number
  /** Pages of the log's records, which operators turn. */
  records: number
  /** Quotes, and paddings for one. */
  quote: number
  preflight: number
  /** Imports and inspections. */
  import: number
  portableEvent: number
  /** Exposures and self-spends. */
  outpoint: number
  /** Checks of up to a hundred outputs. */
  outpointCheck: number
  /** Contents of inscriptions, which the index is asked for. */
  content: number
  /** Statistics of the history, which may read a lot. */
  statistics: number
  /** Statistics as files, which are made of more rows; a file that is kept is a read. */
  statisticFile: number
  /** Openings of streams. */
  stream: number
  /** The files of the API's own description, which are counted with the reads too. */
  reference: number
  /** Files of the guide and of the reference's pages, which are not counted with the reads. */
  guide: number
  /** All other GETs but probes, together. */
  read: number
}

type LimitName = keyof RateLimits | 'messages'

interface LimitRow {
  /** An expensive route: the requests of all clients together are limited too. */
  hasBucket?: true
  /** Requests of a client that is far from its limit are counted while they are served. */
  isOptimistic?: true
  /** Only operators are served. */
  isForOperators?: true
}

const EXPENSIVE: LimitRow = { hasBucket: true }

/** The limits, and the parts of each beside the windows and counts of its clients. */
const ROWS = {
  artifact: EXPENSIVE,
  revalidate: EXPENSIVE,
  build: EXPENSIVE,
  publish: EXPENSIVE,
  withdraw: EXPENSIVE,
  // Without a bucket: other clients must not be able to exhaust the operators' allowance.
  operator: { isForOperators: true },
  records: { isForOperators: true },
  quote: EXPENSIVE,
  preflight: EXPENSIVE,
  import: EXPENSIVE,
  portableEvent: EXPENSIVE,
  outpoint: EXPENSIVE,
  outpointCheck: EXPENSIVE,
  content: EXPENSIVE,
  statistics: EXPENSIVE,
  statisticFile: EXPENSIVE,
  stream: EXPENSIVE,
  reference: EXPENSIVE,
  guide: { hasBucket: true, isOptimistic: true },
  read: { isOptimistic: true },
  /** Reads of routes that answer in messages, counted as `read`. */
  messages: { hasBucket: true, isOptimistic: true },
} satisfies Record<LimitName, LimitRow>

export interface LimiterSettings {
  limits: RateLimits
  /** An expensive route's total capacity per gateway, as a number of clients at their own limit. */
  clientsAtOnce: number
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  throttle: RefusalThrottle
  /** Null: there are no customers. */
  keys: KeyLimits | null
  /** See `loadCounters`. */
  shared?: RequestCounts | undefined
}

export type Limiters = Readonly<Record<LimitName, Limiter>>

/** The burst of all clients together, in seconds of their rate. */
const BURST_S = 2
/** Most clients that a limit without a bucket remembers. */
const MAX_CLIENTS = 20_000

/** Loads the limiter; after it, `limitersOf` makes one hook for each limit. See `loadCounters`. */
export function loadRateLimits(app: FastifyInstance, shared?: RequestCounts): void {
  showCounts(app)
  loadCounters(app, shared)
}

export function limitersOf(app: FastifyInstance, settings: LimiterSettings): Limiters {
  const { limits, clientsAtOnce, clock, throttle, keys, shared } = settings
  const minuteOf = (limit: keyof RateLimits): number => limits[limit] * clientsAtOnce
  // One client may send all that its limit allows at once.
  const burstOf = (limit: keyof RateLimits): number =>
    Math.max(limits[limit], Math.ceil((minuteOf(limit) / 60) * BURST_S))
  const bucketOf = (limit: keyof RateLimits): RouteBucket =>
    new RouteBucket({ perSecond: minuteOf(limit) / 60, burst: burstOf(limit) }, clock)
  const countsOf = (limit: keyof RateLimits, { hasBucket }: LimitRow): Counters => {
    // Only clients whose request got a token are remembered: none is evicted within its minute.
    const cache = hasBucket ? minuteOf(limit) + burstOf(limit) : MAX_CLIENTS
    return countersOf(app, limit, { limit: limits[limit], clock, cache, shared })
  }

  const countersAt = (limit: keyof RateLimits, row: LimitRow) => ({
    counters: countsOf(limit, row),
    optimistic: row.isOptimistic ? new OptimisticCounts(clock, MAX_CLIENTS) : null,
  })
  const reads = countersAt('read', ROWS.read)
  const limiterAt = ([name, row]: [name: LimitName, row: LimitRow]): [LimitName, Limiter] => {
    const limit = name === 'messages' ? 'read' : name
    const parts = {
      ...(limit === 'read' ? reads : countersAt(limit, row)),
      bucket: row.hasBucket ? bucketOf(limit) : null,
      throttle,
      keys,
      isForOperators: row.isForOperators ?? false,
    }
    return [name, limiterOf(parts)]
  }
  const rows = Object.entries(ROWS) as [LimitName, LimitRow][]
  return Object.fromEntries(rows.map(limiterAt)) as Limiters
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A GET excluded from the client's read count. */
    uncounted?: boolean
    /** Operators are counted by name, wherever they are: no read of theirs counts for a client. */
    isOperators?: boolean
    /** A file of the guide or of the reference's pages: counted as such, and not as a read. */
    isGuide?: boolean
  }
}

/** Counts every GET of a scope but probes; call it before the routes are added. */
export function limitReads(scope: FastifyInstance, { read, reference, guide }: Limiters): void {
  scope.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request
    const { probe, uncounted, isOperators, isReference, isGuide } = routeOptions.config
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead || probe || uncounted || isOperators) {
      done()
      return
    }
    const counted = isGuide ? guide(request, reply) : read(request, reply)
    const all = isReference ? counted.then(() => reference(request, reply)) : counted
    all.then(() => done(), done)
  })
}
