import rateLimit, {
  type FastifyRateLimitStore,
  type FastifyRateLimitStoreCtor,
  type RateLimitOptions,
} from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { Clock } from '../../ports/runtime/clock.ts'
import { COUNT_WINDOW_MS, type RequestCounts } from '../../ports/runtime/request-counts.ts'
import { openTokenBucket, type TokenBucket } from '../../ports/runtime/token-bucket.ts'
import { networksOf } from '../client.ts'
import { operatorKey } from '../operators.ts'
import { type ShownCount, SpareAllowances } from './spare-allowances.ts'

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
  quote: number
  preflight: number
  /** Imports and inspections. */
  import: number
  portableEvent: number
  /** Exposures and self-spends. */
  outpoint: number
  /** Checks of up to a hundred outputs. */
  outpointCheck: number
  /** Statistics of the history, which may read a lot. */
  statistics: number
  /** All GETs but probes, together. */
  read: number
}

export interface LimiterSettings {
  limits: RateLimits
  /** An expensive route's total capacity per gateway, as a number of clients at their own limit. */
  clientsAtOnce: number
  clock: Pick<Clock, 'monotonic'>
}

type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
/** `messages` counts a client's reads with `read`, and adds a bucket shared by all clients. */
export type Limiters = Readonly<Record<keyof RateLimits | 'messages', Limiter>>

/** A client, and the networks around it: each level allows four times the one inside it. */
const LEVELS = [0, 1, 2]
const WIDER = 4
/** What all clients may send at once, as seconds of what they may send in all. */
const BURST_S = { expensive: 2, messages: 10 } as const
/** Most reading clients remembered: reads have no total limit except that of the stores. */
const READERS_KEPT = 20_000

/**
 * Loads the limiter; after it, `limitersOf` makes one hook for each limit. `shared`: where several
 * gateways count together; without it each counts alone.
 */
export function loadRateLimits(app: FastifyInstance, shared?: RequestCounts): void {
  app.register(rateLimit, { global: false, ...(shared && { store: storeOf(shared) }) })
}

/** What the limiter makes its stores of: all count in one place, where the key says which limit it is. */
function storeOf(counts: RequestCounts): FastifyRateLimitStoreCtor {
  type Done = Parameters<FastifyRateLimitStore['incr']>[1]
  const count = (key: string, isCounted: boolean, done: Done): void => {
    counts.count(key, isCounted).then(
      ({ current, ttlMs }) => done(null, { current, ttl: ttlMs }),
      (error: Error) => done(error),
    )
  }
  return class {
    incr(key: string, done: Done): void {
      count(key, true, done)
    }
    read(key: string, done: Done): void {
      count(key, false, done)
    }
    child(): this {
      return this
    }
  }
}

export function limitersOf(app: FastifyInstance, settings: LimiterSettings): Limiters {
  const { limits, clientsAtOnce, clock } = settings
  const minuteOf = (name: keyof RateLimits): number => limits[name] * clientsAtOnce
  // One client may send all that its limit allows at once.
  const burstOf = (name: keyof RateLimits, seconds: number): number =>
    Math.max(limits[name], Math.ceil((minuteOf(name) / 60) * seconds))
  const everybodyAt = (name: keyof RateLimits, burst: number): TokenBucket =>
    openTokenBucket({ perSecond: minuteOf(name) / 60, burst }, clock)
  /** An expensive route: the requests of all clients together are limited too. */
  const bounded = (name: keyof RateLimits): Limiter => {
    const burst = burstOf(name, BURST_S.expensive)
    // Only clients whose request got a token are remembered: none is evicted within its minute.
    const counters = countersOf(app, name, limits[name], minuteOf(name) + burst)
    return limiterOf(counters, everybodyAt(name, burst))
  }
  const readers = countersOf(app, 'read', limits.read, READERS_KEPT)
  const own = (name: keyof RateLimits): Limiter =>
    limiterOf(countersOf(app, name, limits[name], READERS_KEPT), null)
  const spare = new SpareAllowances(clock, READERS_KEPT)
  return {
    artifact: bounded('artifact'),
    revalidate: bounded('revalidate'),
    build: bounded('build'),
    publish: bounded('publish'),
    withdraw: bounded('withdraw'),
    // Other clients must not be able to exhaust the operators' allowance.
    operator: own('operator'),
    quote: bounded('quote'),
    preflight: bounded('preflight'),
    import: bounded('import'),
    portableEvent: bounded('portableEvent'),
    outpoint: bounded('outpoint'),
    outpointCheck: bounded('outpointCheck'),
    statistics: bounded('statistics'),
    read: limiterOf(readers, null, spare),
    messages: limiterOf(readers, everybodyAt('read', burstOf('read', BURST_S.messages)), spare),
  }
}

/** An operator by name, whatever its address; other clients by address and networks. */
function countedAs(request: FastifyRequest): readonly string[] {
  const operator = operatorKey(request)
  return operator === null ? networksOf(request) : [operator]
}

interface Count extends ShownCount {
  isExceeded: boolean
}
/** Counts a request, or only peeks, for each network of its client, the narrowest first. */
type Counters = (request: FastifyRequest, increment: boolean) => Promise<readonly Count[]>

function countersOf(app: FastifyInstance, name: string, limit: number, cache: number): Counters {
  const levels = LEVELS.map((level) => {
    const options: RateLimitOptions = {
      max: limit * WIDER ** level,
      timeWindow: COUNT_WINDOW_MS,
      keyGenerator: (request) => `${name} ${countedAs(request)[level]}`,
      cache,
    }
    return app.createRateLimit(options)
  })
  return async (request, increment) => {
    const asked = levels.slice(0, countedAs(request).length)
    const counts = await Promise.all(asked.map((count) => count(request, { increment })))
    return counts.filter((count) => !count.isAllowed)
  }
}

/**
 * First the allowance of the client and its networks is checked (429), then that of all clients
 * (503), and only then is the request counted: so a refused request uses up no allowance. The
 * request of a client with requests to spare is counted while it is served: it does not wait for
 * the count.
 */
function limiterOf(
  counters: Counters,
  everybody: TokenBucket | null,
  spare?: SpareAllowances,
): Limiter {
  const counted = async (request: FastifyRequest, increment: boolean) =>
    // A request that cannot be counted is refused (docs/adr: stores in Redis).
    counters(request, increment).catch((cause: unknown) => {
      const message = 'the requests of this client cannot be counted'
      throw new StorageUnavailableError('io', message, { cause })
    })
  const note = (client: string, counts: readonly Count[]): void => {
    const [own] = counts
    if (!own) return
    const left = Math.min(...counts.map(({ remaining }) => remaining))
    const ttlInSeconds = Math.min(...counts.map((count) => count.ttlInSeconds))
    spare?.note(client, left, { ...own, ttlInSeconds })
  }
  return async (request, reply) => {
    const [client = ''] = countedAs(request)
    const known = spare?.take(client)
    if (known) {
      requireRoom(everybody)
      showCount(reply, known)
      counters(request, true).then(
        (counts) => note(client, counts),
        () => spare?.forget(client),
      )
      return
    }
    const before = await counted(request, false)
    const full = before.findIndex(({ remaining }) => remaining === 0)
    if (full >= 0) throw limited(request, reply, before, full)
    requireRoom(everybody)
    const after = await counted(request, true)
    const exceeded = after.findIndex(({ isExceeded }) => isExceeded)
    if (exceeded >= 0) throw limited(request, reply, after, exceeded)
    if (!after[0]) return
    showCount(reply, after[0])
    note(client, after)
  }
}

function requireRoom(everybody: TokenBucket | null): void {
  const waitMs = everybody?.take() ?? 0
  if (waitMs === 0) return
  throw new RefusalError(
    'OVERLOADED',
    'this route gets too many requests from all clients: try again',
    {
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
    },
  )
}

function limited(
  request: FastifyRequest,
  reply: FastifyReply,
  counts: readonly Count[],
  level: number,
): RefusalError {
  const { max, ttlInSeconds } = counts[level] as Count
  showCount(reply, { max, ttlInSeconds, remaining: 0 })
  const whose = level === 0 ? '' : ` from ${countedAs(request)[level]}`
  return new RefusalError(
    'MARKET_RATE_LIMITED',
    `at most ${max} requests a minute to this route${whose}`,
    {
      retryAfterSeconds: ttlInSeconds,
    },
  )
}

function showCount(reply: FastifyReply, count: ShownCount): void {
  reply.headers({
    'ratelimit-limit': count.max,
    'ratelimit-remaining': count.remaining,
    'ratelimit-reset': count.ttlInSeconds,
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A GET excluded from the client's read count. */
    uncounted?: boolean
  }
}

/** Counts every GET of a scope but probes; call it before the routes are added. */
export function limitReads(scope: FastifyInstance, { read }: Limiters): void {
  scope.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request
    const { probe, uncounted } = routeOptions.config
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && !probe && !uncounted) read(request, reply).then(() => done(), done)
    else done()
  })
}
