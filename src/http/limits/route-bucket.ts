import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import { type ClockedBucket, openTokenBucket, type Rate } from '../../runtime/token-bucket.ts'
import { announcedBytes, BODY_BYTES } from '../requests/body-bytes.ts'
import { limitedCustomer } from './key-limits.ts'

/** Bytes of a body that each token pays for; the first token is the token of the request. */
const SHORT_BODY = 65_536

/**
 * What all clients together may send to a route (ADR 41). Long bodies have their own bucket of the
 * same size: a few large requests can starve only other large requests.
 */
export class RouteBucket {
  readonly #requests: ClockedBucket
  readonly #longBodies: ClockedBucket

  constructor(rate: Rate, clock: Pick<Clock, 'monotonic'>) {
    this.#requests = openTokenBucket(rate, clock)
    this.#longBodies = openTokenBucket(rate, clock)
  }

  /** The milliseconds until the request may be served; 0: now. Takes no token. */
  waitMs(request: FastifyRequest): number {
    return Math.max(this.#requests.waitMs(), this.#longBodies.waitMs(tokensOfBody(request)))
  }

  /** As `waitMs`, but takes the tokens of a request that may be served now. */
  take(request: FastifyRequest): number {
    const wait = this.waitMs(request)
    if (wait > 0) return wait
    this.#longBodies.take(tokensOfBody(request))
    return this.#requests.take()
  }
}

/**
 * A body must be read and parsed before it can be judged. A body of unknown length counts as the
 * longest; a body that is too long is refused unread, and so is the batch of a stranger.
 */
function tokensOfBody(request: FastifyRequest): number {
  const { bodyLimit = BODY_BYTES.any, config } = request.routeOptions
  if (config.isBatch && !limitedCustomer(request)) return 0
  const bytes = announcedBytes(request) ?? bodyLimit
  return bytes > bodyLimit ? 0 : Math.max(0, Math.ceil(bytes / SHORT_BODY) - 1)
}
