import rateLimit, {
  type FastifyRateLimitStore,
  type FastifyRateLimitStoreCtor,
  type RateLimitOptions,
} from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  COUNT_WINDOW_MS,
  type RequestCounts,
  type WindowCount,
} from '../../ports/views/request-counts.ts'
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

export interface CountersOptions {
  /** Requests per window of a client. */
  limit: number
  clock: Pick<Clock, 'monotonic'>
  cache: number
  /** Absent: each gateway counts alone. */
  shared: RequestCounts | undefined
}

/** Counts a request, or only peeks, in the window of one network of its client. */
type CountNetwork = (
  request: FastifyRequest,
  network: string,
  increment: boolean,
) => Promise<Count | null>

export function countersOf(
  app: FastifyInstance,
  name: string,
  { limit, clock, cache, shared }: CountersOptions,
): Counters {
  const full = new FullWindows(clock, cache)
  const levels = LEVELS.map((level): CountNetwork => {
    const max = limit * WIDER ** level
    if (shared) return countTogether(shared, name, max)
    const keyGenerator = (request: FastifyRequest) => `${name} ${countedAs(request)[level]}`
    return countAlone(app, { max, timeWindow: COUNT_WINDOW_MS, keyGenerator, cache })
  })
  return {
    full,
    count: async (request, increment) => {
      const networks = countedAs(request)
      const asked = levels.slice(0, networks.length)
      const all = await Promise.all(
        asked.map((count, level) => count(request, networks[level] ?? '', increment)),
      )
      const counts = all.filter((count) => count !== null)
      for (const [level, { remaining, max, ttl }] of counts.entries()) {
        if (remaining === 0) full.note(networks[level] ?? '', max, ttl)
      }
      return counts
    },
  }
}

/** By the plugin, in this process. */
function countAlone(app: FastifyInstance, options: RateLimitOptions): CountNetwork {
  const countOf = app.createRateLimit(options)
  return async (request, _network, increment) => {
    const count = await countOf(request, { increment })
    return count.isAllowed ? null : count
  }
}

/** Asks the store at once: by the plugin, each count would take several promises more. */
const countTogether =
  (shared: RequestCounts, name: string, max: number): CountNetwork =>
  (_request, network, increment) =>
    shared.count(`${name} ${network}`, increment).then((count) => shownOf(count, max))

const shownOf = ({ current, ttlMs }: WindowCount, max: number): Count => ({
  max,
  remaining: Math.max(0, max - current),
  isExceeded: current > max,
  ttl: ttlMs,
  ttlInSeconds: Math.ceil(ttlMs / 1_000),
})
