import type { FastifyInstance } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import type { RequestCounts } from '../../ports/views/request-counts.ts'
import type { Clock } from '../../runtime/clock.ts'
import { operatorKey } from '../clients/operators.ts'
import { type Counters, countersOf, loadCounters } from './client-counts.ts'
import { Everybody } from './everybody.ts'
import type { HeldRefusals } from './held-refusals.ts'
import { type Limiter, limiterOf, showCounts } from './limiter.ts'
import { SpareAllowances } from './spare-allowances.ts'

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
  /** Openings of streams. */
  stream: number
  /** The files of the API's own description, which are counted with the reads too. */
  reference: number
  /** All GETs but probes, together. */
  read: number
}

export interface LimiterSettings {
  limits: RateLimits
  /** An expensive route's total capacity per gateway, as a number of clients at their own limit. */
  clientsAtOnce: number
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Where the refusals of a flood wait. */
  refusals: HeldRefusals
}

/** `messages` counts a client's reads with `read`, and adds a bucket shared by all clients. */
export type Limiters = Readonly<Record<keyof RateLimits | 'messages', Limiter>>

/** What all clients may send at once, as seconds of what they may send in all. */
const BURST_S = 2
/** Most reading clients remembered: reads have no total limit except that of the stores. */
const READERS_KEPT = 20_000

/** Loads the limiter; after it, `limitersOf` makes one hook for each limit. See `loadCounters`. */
export function loadRateLimits(app: FastifyInstance, shared?: RequestCounts): void {
  showCounts(app)
  loadCounters(app, shared)
}

export function limitersOf(app: FastifyInstance, settings: LimiterSettings): Limiters {
  const { limits, clientsAtOnce, clock, refusals } = settings
  const minuteOf = (name: keyof RateLimits): number => limits[name] * clientsAtOnce
  // One client may send all that its limit allows at once.
  const burstOf = (name: keyof RateLimits): number =>
    Math.max(limits[name], Math.ceil((minuteOf(name) / 60) * BURST_S))
  const everybodyAt = (name: keyof RateLimits, burst: number): Everybody =>
    new Everybody({ perSecond: minuteOf(name) / 60, burst }, clock)
  const held =
    (limiter: Limiter): Limiter =>
    async (request, reply) => {
      try {
        await limiter(request, reply)
      } catch (error) {
        if (error instanceof RefusalError) await refusals.turn()
        throw error
      }
    }
  /** A request that names no operator will be refused (401): it waits as a refusal does. */
  const guarded =
    (limiter: Limiter): Limiter =>
    async (request, reply) => {
      await limiter(request, reply)
      if (operatorKey(request) === null) await refusals.turn()
    }
  /** An expensive route: the requests of all clients together are limited too. */
  const bounded = (name: keyof RateLimits): Limiter => {
    const burst = burstOf(name)
    // Only clients whose request got a token are remembered: none is evicted within its minute.
    const cache = minuteOf(name) + burst
    const counters = countersOf(app, name, { limit: limits[name], clock, cache })
    return held(limiterOf(counters, everybodyAt(name, burst)))
  }
  const unbounded = (name: keyof RateLimits): Counters =>
    countersOf(app, name, { limit: limits[name], clock, cache: READERS_KEPT })
  const readers = unbounded('read')
  const spare = new SpareAllowances(clock, READERS_KEPT)
  const messages = everybodyAt('read', burstOf('read'))
  return {
    artifact: bounded('artifact'),
    revalidate: bounded('revalidate'),
    build: bounded('build'),
    publish: bounded('publish'),
    withdraw: bounded('withdraw'),
    // Other clients must not be able to exhaust the operators' allowance.
    operator: guarded(held(limiterOf(unbounded('operator'), null))),
    quote: bounded('quote'),
    preflight: bounded('preflight'),
    import: bounded('import'),
    portableEvent: bounded('portableEvent'),
    outpoint: bounded('outpoint'),
    outpointCheck: bounded('outpointCheck'),
    statistics: bounded('statistics'),
    stream: bounded('stream'),
    reference: bounded('reference'),
    read: held(limiterOf(readers, null, spare)),
    messages: held(limiterOf(readers, messages, spare)),
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A GET excluded from the client's read count. */
    uncounted?: boolean
  }
}

/** Counts every GET of a scope but probes; call it before the routes are added. */
export function limitReads(scope: FastifyInstance, { read, reference }: Limiters): void {
  scope.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request
    const { probe, uncounted, isReference } = routeOptions.config
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead || probe || uncounted) {
      done()
      return
    }
    const counted = read(request, reply)
    const all = isReference ? counted.then(() => reference(request, reply)) : counted
    all.then(() => done(), done)
  })
}
