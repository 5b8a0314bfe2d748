import rateLimit, {
  type FastifyRateLimitStore,
  type FastifyRateLimitStoreCtor,
  type RateLimitOptions,
} from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { COUNT_WINDOW_MS, type RequestCounts } from '../../ports/views/request-counts.ts'
import type { Clock } from '../../runtime/clock.ts'
import { networksOf } from '../clients/client.ts'
import { operatorKey } from '../clients/operators.ts'
import { FullWindows } from './full-windows.ts'
import type { ShownCount } from './refusals.ts'

/**
 * A client, and the networks around it: each level allows four times as much as the level inside
 * it.
 */
const LEVELS = [0, 1, 2]
const WIDER = 4

/**
 * Loads the counters; after it, `countersOf` makes the counters of a limit. `shared`: the store in
 * which several gateways count together; without it each gateway counts alone.
 */
export function loadCounters(app: FastifyInstance, shared?: RequestCounts): void {
  app.register(rateLimit, { global: false, ...(shared && { store: storeOf(shared) }) })
}

/**
 * The store class that the limiter instantiates: all instances share one store, whose keys name the
 * limit.
 */
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

/** An operator by name, whatever its address; other clients by address and networks. */
export function countedAs(request: FastifyRequest): readonly string[] {
  const operator = operatorKey(request)
  return operator === null ? networksOf(request) : [operator]
}

export interface Count extends ShownCount {
  isExceeded: boolean
  /** Milliseconds until the window ends. */
  ttl: number
}

/** The counts of one limit. */
export interface Counters {
  /** Counts a request, or only peeks, for each network of its client, the narrowest first. */
  count(request: FastifyRequest, increment: boolean): Promise<readonly Count[]>
  /** Windows found full by these counts: their clients are refused without asking again. */
  full: FullWindows
}

export function countersOf(
  app: FastifyInstance,
  name: string,
  { limit, clock, cache }: { limit: number; clock: Pick<Clock, 'monotonic'>; cache: number },
): Counters {
  const full = new FullWindows(clock, cache)
  const levels = LEVELS.map((level) => {
    const options: RateLimitOptions = {
      max: limit * WIDER ** level,
      timeWindow: COUNT_WINDOW_MS,
      keyGenerator: (request) => `${name} ${countedAs(request)[level]}`,
      cache,
    }
    return app.createRateLimit(options)
  })
  return {
    full,
    count: async (request, increment) => {
      const networks = countedAs(request)
      const asked = levels.slice(0, networks.length)
      const all = await Promise.all(asked.map((count) => count(request, { increment })))
      const counts = all.filter((count) => !count.isAllowed)
      for (const [level, { remaining, max, ttl }] of counts.entries()) {
        if (remaining === 0) full.note(networks[level] ?? '', max, ttl)
      }
      return counts
    },
  }
}
