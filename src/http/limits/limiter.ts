import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { operatorKey } from '../clients/operators.ts'
import { type Count, type Counters, countedAs } from './client-counts.ts'
import { type KeyLimits, limitedCustomer } from './key-limits.ts'
import type { OptimisticCounts } from './optimistic-counts.ts'
import type { RefusalThrottle } from './refusal-throttle.ts'
import { clientLimited, routeLimited, showCount } from './refusals.ts'
import type { RouteBucket } from './route-bucket.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Resolves once the request is counted and its answer shows the count; null: there is nothing
     * to wait for.
     */
    counting: Promise<void> | null
    /** Counted by the tier of its key: a request that passes several limits is counted once. */
    isCountedByKey: boolean
  }
}

export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** The parts that decide about the requests of one limit. */
export interface LimiterParts {
  counters: Counters
  /** Null: no limit for all clients together. */
  bucket: RouteBucket | null
  /** Null: each request is counted before it is served. */
  optimistic: OptimisticCounts | null
  throttle: RefusalThrottle
  /** Counts customers, instead of all others here; null: no request has a key. */
  keys: KeyLimits | null
  /** Only operators are served, so a request that names none is delayed as a refusal: 401 follows. */
  isForOperators: boolean
}

/** Lets answers wait for the count that they show. */
export function showCounts(app: FastifyInstance): void {
  app.decorateRequest('counting', null)
  app.decorateRequest('isCountedByKey', false)
  app.addHook('onSend', ({ counting }, _reply, payload, done) => {
    if (!counting) {
      done(null, payload)
      return
    }
    // A file that cannot be opened meanwhile is reported by the plugin that sends it.
    if (payload instanceof Readable) payload.once('error', () => undefined)
    counting.then(() => done(null, payload), done)
  })
}

/** The steps of README.md, in their order: those that admit or refuse, then the delay of a refusal. */
export function limiterOf(parts: LimiterParts): Limiter {
  const { throttle, isForOperators } = parts
  // Keys mean nothing to the routes of operators: there a key is a failed login.
  const keys = isForOperators ? null : parts.keys
  return async (request, reply) => {
    try {
      if (keys && limitedCustomer(request)) await countByKey(request, reply, keys)
      else await admit(request, reply, parts)
    } catch (error) {
      if (error instanceof RefusalError) await throttle.delay()
      throw error
    }
    if (isForOperators && operatorKey(request) === null) await throttle.delay()
  }
}

/** By the tier alone: neither the windows of an address nor the buckets of strangers are used. */
async function countByKey(
  request: FastifyRequest,
  reply: FastifyReply,
  keys: KeyLimits,
): Promise<void> {
  if (request.isCountedByKey) return
  request.isCountedByKey = true
  await keys.take(request, reply)
}

/**
 * A request takes a token only after its counts were looked up, and is counted only after it took
 * one: a refused request uses up no allowance (ADR 41).
 */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: LimiterParts,
): Promise<void> {
  const { counters, bucket, optimistic } = parts
  const networks = countedAs(request)
  const refuse = (count: Pick<Count, 'max' | 'ttlInSeconds'>, level: number): RefusalError =>
    clientLimited(reply, count, level === 0 ? null : (networks[level] ?? ''))

  const full = counters.full.among(networks)
  if (full) throw refuse(full.count, full.level)
  requireToken(bucket?.waitMs(request))
  if (optimistic && countWhileServed(request, reply, { counters, bucket, optimistic })) return

  const before = await countsOf(request, counters, false)
  const used = before.findIndex(({ remaining }) => remaining === 0)
  if (used >= 0) throw refuse(before[used] as Count, used)
  requireToken(bucket?.take(request))
  const after = await countsOf(request, counters, true)
  const exceeded = after.findIndex(({ isExceeded }) => isExceeded)
  if (exceeded >= 0) throw refuse(after[exceeded] as Count, exceeded)
  showOwn(reply, after)
  if (optimistic) noteCounts(optimistic, networks, after)
}

/** A request that cannot be counted is refused (ADR 31). */
const countsOf = (request: FastifyRequest, counters: Counters, increment: boolean) =>
  counters.count(request, increment).catch((cause: unknown) => {
    const message = 'the requests of this client cannot be counted'
    throw new StorageUnavailableError('io', message, { cause })
  })

/**
 * Counts the request while it is served, if its client has requests to spare, or is unknown and
 * this is one of its first: then the answer waits for the count that it shows. False: neither.
 */
function countWhileServed(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    counters,
    bucket,
    optimistic,
  }: Pick<LimiterParts, 'counters' | 'bucket'> & { optimistic: OptimisticCounts },
): boolean {
  // An operator is known by name only later: the key that was counted is noted.
  const networks = countedAs(request)
  const [client = ''] = networks
  const known = optimistic.take(client)
  if (!known && !optimistic.admitUncounted(client)) return false
  requireToken(bucket?.take(request))
  const counting = counters.count(request, true).then(
    (counts) => {
      noteCounts(optimistic, networks, counts)
      // The answer shows the limit of the route, not the limit of all reads.
      if (!known && !reply.hasHeader('ratelimit-limit')) showOwn(reply, counts)
    },
    () => optimistic.suspend(client),
  )
  if (known) showCount(reply, known)
  else request.counting = counting
  return true
}

function noteCounts(
  optimistic: OptimisticCounts,
  [client = '']: readonly string[],
  counts: readonly Count[],
): void {
  const [own] = counts
  if (!own) return
  const left = Math.min(...counts.map(({ remaining }) => remaining))
  const ttlInSeconds = Math.min(...counts.map((count) => count.ttlInSeconds))
  optimistic.note(client, left, { ...own, ttlInSeconds })
}

function requireToken(waitMs: number | undefined): void {
  if (waitMs) throw routeLimited(waitMs)
}

function showOwn(reply: FastifyReply, [own]: readonly Count[]): void {
  if (own) showCount(reply, own)
}
