import type { OpenAPIV3_1 } from 'openapi-types'

/** Headers of answers, by the names of `components.headers`. */
export const HEADERS = {
  RequestId: {
    description: 'The id of this request: the one the client sent, if well-formed.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
  ETag: {
    description: 'A strong validator of the answer: send it as If-None-Match.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9._:-]{1,128}"$' },
  },
  CacheControl: {
    description:
      'no-cache: store it, and revalidate with If-None-Match. no-store: do not store it. ' +
      'private, max-age=600: content of an inscription, which a browser may keep for ten minutes.',
    required: true,
    schema: { type: 'string', enum: ['no-cache', 'no-store', 'private, max-age=600'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the request is repeated.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitLimit: {
    description: 'Requests per minute allowed for a client on this route.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'Requests left in this minute.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until the minute ends.',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotentReplayed: {
    description: 'true: the stored answer of an earlier request with this key.',
    schema: { type: 'string', enum: ['true'] },
  },
  StateETag: {
    description: 'The state hash: it changes only with the state, not with the tip.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}"$' },
  },
  ContentDigest: {
    description: 'RFC 9530: the state hash in base64. Only with 200.',
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  CirclesHeight: {
    description: 'The height of the snapshot’s tip; absent before the first block.',
    schema: { type: 'integer', minimum: 0 },
  },
  CirclesBlock: {
    description: 'The hash of that tip.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  Link: {
    description: 'RFC 8288: the next page, with rel="next"; absent on the last page.',
    schema: { type: 'string', pattern: '^<.+>; rel="next"$' },
  },
  Help: {
    description: 'RFC 8288: the page that describes the operation, with rel="help".',
    schema: { type: 'string', pattern: '^</docs/.*>; rel="help"$' },
  },
  ErrorParam: {
    description:
      'The parameter, or the path of the field in the body, that the first reason is about; absent: it is about none.',
    schema: { type: 'string', pattern: '^[A-Za-z][\\w.-]{0,63}$' },
  },
  AcceptRanges: {
    description: 'RFC 9110: a part of the answer is read by `Range`.',
    required: true,
    schema: { type: 'string', enum: ['bytes'] },
  },
  ContentRange: {
    description: 'RFC 9110: the first byte of this part, its last, and how many the whole has.',
    required: true,
    schema: { type: 'string', pattern: '^bytes [0-9]+-[0-9]+/[0-9]+$' },
  },
  WholeLength: {
    description: 'RFC 9110: how many bytes the whole has.',
    required: true,
    schema: { type: 'string', pattern: '^bytes \\*/[0-9]+$' },
  },
  WwwAuthenticate: {
    description: 'RFC 6750: how an operator, or a customer, authenticates.',
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
  Help: 'Link',
  ErrorParam: 'Error-Param',
  AcceptRanges: 'Accept-Ranges',
  ContentRange: 'Content-Range',
  WholeLength: 'Content-Range',
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
    description: 'An id chosen by the client for this request; replaced if not well-formed.',
    schema: { type: 'string', maxLength: 128 },
  },
  IfNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    description: 'ETags of stored answers: 304 if one of them is still current.',
    schema: { type: 'string', maxLength: 1_024 },
  },
  Range: {
    in: 'header',
    name: 'Range',
    description:
      'RFC 9110: the one range to answer, as `bytes=0-499`, `bytes=500-` or `bytes=-500`. Several ranges, ' +
      'or a malformed one, are answered by the whole.',
    schema: { type: 'string', maxLength: 1_024 },
  },
  IfRange: {
    in: 'header',
    name: 'If-Range',
    description: 'The ETag of what the client has a part of: the whole, if another is current.',
    schema: { type: 'string', maxLength: 1_024 },
  },
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    description:
      'Makes the request safe to repeat for 24 hours: the same key and body return the same answer.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
} satisfies Record<string, OpenAPIV3_1.ParameterObject>
