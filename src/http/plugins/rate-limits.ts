import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify'
import { Refusal } from '../../gateway/refusal.ts'
import { clientOf } from '../client.ts'

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

export type Limiters = Readonly<Record<keyof RateLimits, preHandlerAsyncHookHandler>>

const MINUTE_MS = 60_000

/** Loads the limiter; after it, `limitersOf` makes one hook for each limit. */
export function loadRateLimits(app: FastifyInstance): void {
  app.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    errorResponseBuilder: (_request, { max }) =>
      new Refusal('MARKET_RATE_LIMITED', `at most ${max} requests a minute to this route`),
  })
}

export function limitersOf(app: FastifyInstance, limits: RateLimits): Limiters {
  const limiter = (name: keyof RateLimits) =>
    app.rateLimit({
      max: limits[name],
      timeWindow: MINUTE_MS,
      keyGenerator: (request) => `${name} ${clientOf(request)}`,
    })
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
