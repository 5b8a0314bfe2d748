import type { OpenAPIV3_1 } from 'openapi-types'

/** Headers of answers, by the names of `components.headers`. */
export const HEADERS = {
  RequestId: {
    description: 'The id of this request: the client’s own where it is well-formed.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
  ETag: {
    description: 'A strong validator of the answer: send it as If-None-Match.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]{43}"$' },
  },
  CacheControl: {
    description: 'no-cache: keep it, and ask again with If-None-Match. no-store: do not keep it.',
    required: true,
    schema: { type: 'string', enum: ['no-cache', 'no-store'] },
  },
  RetryAfter: {
    description: 'Seconds after which the request may be made again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitLimit: {
    description: 'Requests a minute that a client may make to this route.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'Requests that are left of this minute.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until the minute is over.',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotentReplayed: {
    description: 'true: this is the answer that the key was given before.',
    schema: { type: 'string', enum: ['true'] },
  },
  StateETag: {
    description: 'The state hash: the same as long as the state is, whatever the tip.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}"$' },
  },
  ContentDigest: {
    description: 'RFC 9530: the state hash in base64. Of a 200.',
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  CirclesHeight: {
    description: 'The height of the tip that the snapshot is of; absent before the first block.',
    schema: { type: 'integer', minimum: 0 },
  },
  CirclesBlock: {
    description: 'The hash of that tip.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  Link: {
    description: 'RFC 8288: the next page, with rel="next"; absent on the last one.',
    schema: { type: 'string', pattern: '^<.+>; rel="next"$' },
  },
  WwwAuthenticate: {
    description: 'RFC 6750: how an operator proves who they are.',
    required: true,
    schema: { type: 'string' },
  },
} satisfies Record<string, OpenAPIV3_1.HeaderObject>

export type HeaderName = keyof typeof HEADERS

const ON_THE_WIRE: Record<HeaderName, string> = {
  RequestId: 'X-Request-Id',
  ETag: 'ETag',
  CacheControl: 'Cache-Control',
  RetryAfter: 'Retry-After',
  RateLimitLimit: 'RateLimit-Limit',
  RateLimitRemaining: 'RateLimit-Remaining',
  RateLimitReset: 'RateLimit-Reset',
  IdempotentReplayed: 'Idempotent-Replayed',
  StateETag: 'ETag',
  ContentDigest: 'Content-Digest',
  CirclesHeight: 'X-Circles-Height',
  CirclesBlock: 'X-Circles-Block',
  Link: 'Link',
  WwwAuthenticate: 'WWW-Authenticate',
}

export const RATE_LIMIT_HEADERS = [
  'RateLimitLimit',
  'RateLimitRemaining',
  'RateLimitReset',
] as const satisfies HeaderName[]

/** The headers of one answer, by reference. */
export const headersOf = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(
    names.map((name) => [ON_THE_WIRE[name], { $ref: `#/components/headers/${name}` }]),
  )

/** Headers of requests, by the names of `components.parameters`. */
export const REQUEST_HEADERS = {
  RequestId: {
    in: 'header',
    name: 'X-Request-Id',
    description: 'The client’s own id of this request; one that is not well-formed is replaced.',
    schema: { type: 'string', maxLength: 128 },
  },
  IfNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    description: 'ETags of answers that the client has: 304 when one of them is still true.',
    schema: { type: 'string', maxLength: 1_024 },
  },
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    description:
      'Makes a repetition safe for 24 hours: the same key and body get the same answer again.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
} satisfies Record<string, OpenAPIV3_1.ParameterObject>
