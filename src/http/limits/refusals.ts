import type { FastifyReply } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'

/** A limit as it is shown to its client. */
export interface ShownCount {
  max: number
  remaining: number
  ttlInSeconds: number
}

/** A window is full, of the client or of the named network around it: 429. */
export function clientLimited(
  reply: FastifyReply,
  { max, ttlInSeconds }: Pick<ShownCount, 'max' | 'ttlInSeconds'>,
  network: string | null,
): RefusalError {
  showCount(reply, { max, ttlInSeconds, remaining: 0 })
  const whose = network === null ? '' : ` from ${network}`
  const message = `at most ${max} requests a minute to this route${whose}`
  return new RefusalError('MARKET_RATE_LIMITED', message, { retryAfterSeconds: ttlInSeconds })
}

/** The bucket of the route has no token for `waitMs` more: 503. */
export function routeLimited(waitMs: number): RefusalError {
  const message = 'this route gets too many requests from all clients: try again'
  return new RefusalError('OVERLOADED', message, { retryAfterSeconds: Math.ceil(waitMs / 1_000) })
}

export function showCount(reply: FastifyReply, count: ShownCount): void {
  reply.headers({
    'ratelimit-limit': count.max,
    'ratelimit-remaining': count.remaining,
    'ratelimit-reset': count.ttlInSeconds,
  })
}
