import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify'
import { Refusal } from '../../gateway/refusal.ts'
import { StorageUnavailable } from '../../ports/storage-errors.ts'
import { clientOf } from '../client.ts'
import { operatorKey } from '../operators.ts'

/** Requests a minute and client that a route takes (spec 8.1; design: Formats). */
export interface RateLimits {
  artifact: number
  revalidate: number
  build: number
  publish: number
  withdraw: number
  operator: number
  quote: number
  preflight: number
  import: number
  portableEvent: number
}

/** Where several gateways count together; each counts for itself without it. */
export interface SharedCounts {
  /** An ioredis client whose commands fail at once while Redis is away. */
  redis: object
  /** What the keys begin with. */
  nameSpace: string
}

export type Limiters = Readonly<Record<keyof RateLimits, preHandlerAsyncHookHandler>>

const MINUTE_MS = 60_000

/** Loads the limiter; after it, `limitersOf` makes one hook for each limit. */
export function loadRateLimits(app: FastifyInstance, shared?: SharedCounts): void {
  app.register(rateLimit, {
    global: false,
    ...shared,
    enableDraftSpec: true,
    errorResponseBuilder: (_request, { max }) =>
      new Refusal('MARKET_RATE_LIMITED', `at most ${max} requests a minute to this route`),
  })
}

export function limitersOf(app: FastifyInstance, limits: RateLimits): Limiters {
  const limiter = (name: keyof RateLimits): preHandlerAsyncHookHandler => {
    const count = app.rateLimit({
      max: limits[name],
      timeWindow: MINUTE_MS,
      keyGenerator: (request) => `${name} ${operatorKey(request) ?? clientOf(request)}`,
    })
    // What can not be counted is refused (docs/adr: stores in Redis).
    return (...call) => count.apply(app, call).catch((error) => Promise.reject(uncounted(error)))
  }
  return {
    artifact: limiter('artifact'),
    revalidate: limiter('revalidate'),
    build: limiter('build'),
    publish: limiter('publish'),
    withdraw: limiter('withdraw'),
    operator: limiter('operator'),
    quote: limiter('quote'),
    preflight: limiter('preflight'),
    import: limiter('import'),
    portableEvent: limiter('portableEvent'),
  }
}

/** The limiter's own refusal, or that the store of its counts is away. */
const uncounted = (error: unknown): Error =>
  error instanceof Refusal
    ? error
    : new StorageUnavailable('io', 'the requests of this client can not be counted', {
        cause: error,
      })
