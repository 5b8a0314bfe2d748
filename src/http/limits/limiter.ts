import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { type Count, type Counters, countedAs } from './client-counts.ts'
import type { Everybody } from './everybody.ts'
import type { ShownCount, SpareAllowances } from './spare-allowances.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends once the request is counted and its answer shows the count; null: nothing to wait for. */
    counting: Promise<void> | null
  }
}

export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Lets answers wait for the count that they show. */
export function showCounts(app: FastifyInstance): void {
  app.decorateRequest('counting', null)
  app.addHook('onSend', ({ counting }, _reply, payload, done) => {
    if (!counting) {
      done(null, payload)
      return
    }
    // A file that cannot be opened meanwhile is reported by whoever sends it.
    if (payload instanceof Readable) payload.once('error', () => undefined)
    counting.then(() => done(null, payload), done)
  })
}

/**
 * First the allowance of the client and its networks is checked (429), then that of all clients
 * (503), and only then is the request counted: so a refused request uses up no allowance. Nothing is
 * looked up where a window known to be full, or the empty bucket of all clients, decides (ADR 83).
 */
export function limiterOf(
  counters: Counters,
  everybody: Everybody | null,
  spare?: SpareAllowances,
): Limiter {
  const counted = async (request: FastifyRequest, increment: boolean) =>
    // A request that cannot be counted is refused (docs/adr/0031-what-gateways-share-in-redis.md).
    counters.count(request, increment).catch((cause: unknown) => {
      const message = 'the requests of this client cannot be counted'
      throw new StorageUnavailableError('io', message, { cause })
    })
  return async (request, reply) => {
    const networks = countedAs(request)
    const full = counters.full.among(networks)
    if (full) throw limited(request, reply, full.count, full.level)
    requireToken(everybody?.waitMs(request))
    if (spare && countWhileServed(request, reply, { counters, everybody, spare })) return
    const before = await counted(request, false)
    const none = before.findIndex(({ remaining }) => remaining === 0)
    if (none >= 0) throw limited(request, reply, before[none] as Count, none)
    requireToken(everybody?.take(request))
    const after = await counted(request, true)
    const exceeded = after.findIndex(({ isExceeded }) => isExceeded)
    if (exceeded >= 0) throw limited(request, reply, after[exceeded] as Count, exceeded)
    showOwn(reply, after)
    if (spare) noteCounts(spare, networks, after)
  }
}

interface Served {
  counters: Counters
  everybody: Everybody | null
  spare: SpareAllowances
}

/**
 * The request of a client that has some to spare is counted while it is served. So are the first
 * ones of an unknown client, whose answers wait for the count that they show; false: neither.
 */
function countWhileServed(
  request: FastifyRequest,
  reply: FastifyReply,
  { counters, everybody, spare }: Served,
): boolean {
  // An operator is known by name only later: what is noted is what was counted.
  const networks = countedAs(request)
  const [client = ''] = networks
  const known = spare.take(client)
  if (!known && !spare.takeUnknown(client)) return false
  requireToken(everybody?.take(request))
  const counting = counters.count(request, true).then(
    (counts) => {
      noteCounts(spare, networks, counts)
      // A limit of the route's own is what the answer shows.
      if (!known && !reply.hasHeader('ratelimit-limit')) showOwn(reply, counts)
    },
    () => spare.suspend(client),
  )
  if (known) showCount(reply, known)
  else request.counting = counting
  return true
}

function noteCounts(
  spare: SpareAllowances,
  [client = '']: readonly string[],
  counts: readonly Count[],
): void {
  const [own] = counts
  if (!own) return
  const left = Math.min(...counts.map(({ remaining }) => remaining))
  const ttlInSeconds = Math.min(...counts.map((count) => count.ttlInSeconds))
  spare.note(client, left, { ...own, ttlInSeconds })
}

function requireToken(waitMs: number | undefined): void {
  if (!waitMs) return
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
  { max, ttlInSeconds }: Pick<ShownCount, 'max' | 'ttlInSeconds'>,
  level: number,
): RefusalError {
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

function showOwn(reply: FastifyReply, [own]: readonly Count[]): void {
  if (own) showCount(reply, own)
}

function showCount(reply: FastifyReply, count: ShownCount): void {
  reply.headers({
    'ratelimit-limit': count.max,
    'ratelimit-remaining': count.remaining,
    'ratelimit-reset': count.ttlInSeconds,
  })
}
