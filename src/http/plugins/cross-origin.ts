import { fastifyCors } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Headers that pages may send, besides those always allowed, such as Accept. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'last-event-id',
  'range',
  'x-request-id',
]
/** Headers of an answer that a page may read, besides those always allowed, such as Cache-Control. */
const ANSWER_HEADERS = [
  'Accept-Ranges',
  'Content-Digest',
  'Content-Range',
  'Error-Param',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Circles-Block',
  'X-Circles-Height',
  'X-Request-Id',
]
/** How long a browser may keep the answer to a preflight: an hour; some keep it for less. */
const PREFLIGHT_SECONDS = 3_600

/**
 * Lets pages of these origins use the API (CORS); `*`: of any. Without origins nothing is added.
 * Cookies are not used, so credentials are not allowed. Call it before the hooks that refuse: a
 * page can read a refusal only with these headers.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const allowed = new Set(origins)
  const isAllowed = (origin: string | undefined): boolean =>
    allowed.has('*') || (origin !== undefined && allowed.has(origin))
  // Called, not registered: the hooks of a registered plugin come after all others.
  fastifyCors(
    app,
    {
      delegator: (request: FastifyRequest, done: (error: null, options: object) => void) => {
        const { origin } = request.headers
        done(null, {
          origin: isAllowed(origin) && (allowed.has('*') ? '*' : origin),
          methods: ['GET', 'HEAD', 'POST'],
          allowedHeaders: REQUEST_HEADERS,
          exposedHeaders: ANSWER_HEADERS,
          maxAge: PREFLIGHT_SECONDS,
          preflight: isPreflight(request),
        })
      },
    },
    () => {},
  )
}

/** Other OPTIONS requests are answered as without CORS. */
const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined
