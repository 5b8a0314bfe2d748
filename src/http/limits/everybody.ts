import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import { type ClockedBucket, openTokenBucket, type Rate } from '../../runtime/token-bucket.ts'
import { announcedBytes, BODY_BYTES } from '../requests/body-bytes.ts'

/** Bytes of a body that cost no more than the request itself, and that each further token is for. */
const SHORT_BODY = 65_536

/**
 * What all clients together may send to a route. Long bodies have a bucket of their own, of as many
 * tokens: whoever empties it with a few large requests is in the way of long bodies alone.
 */
export class Everybody {
  readonly #requests: ClockedBucket
  readonly #longBodies: ClockedBucket

  constructor(rate: Rate, clock: Pick<Clock, 'monotonic'>) {
    this.#requests = openTokenBucket(rate, clock)
    this.#longBodies = openTokenBucket(rate, clock)
  }

  /** The milliseconds until the request may be served; 0: now. Takes nothing. */
  waitMs(request: FastifyRequest): number {
    return Math.max(this.#requests.waitMs(), this.#longBodies.waitMs(tokensOfBody(request)))
  }

  /** The same; 0: its tokens were taken. */
  take(request: FastifyRequest): number {
    const wait = this.waitMs(request)
    if (wait > 0) return wait
    this.#longBodies.take(tokensOfBody(request))
    return this.#requests.take()
  }
}

/**
 * A body is read and parsed before anything can be said about it. One of unknown length counts as
 * the longest; one that is too long is refused without being read.
 */
function tokensOfBody(request: FastifyRequest): number {
  const { bodyLimit = BODY_BYTES.any } = request.routeOptions
  const bytes = announcedBytes(request) ?? bodyLimit
  return bytes > bodyLimit ? 0 : Math.max(0, Math.ceil(bytes / SHORT_BODY) - 1)
}
