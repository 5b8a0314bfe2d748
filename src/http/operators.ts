import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Refusal } from '../gateway/refusal.ts'
import type { Operator } from '../schemas/config.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator who asks; null on every route but theirs. */
    operator: string | null
  }
}

/** RFC 6750: the token is visible ASCII, after one space. */
const BEARER = /^Bearer ([\x21-\x7e]+)$/i
/** Of 32 random bytes: as `market operator token` writes them, or in hex. What is shorter can be guessed. */
const STRONG = /^(?:mkt_[A-Za-z0-9_-]{43}|[0-9A-Fa-f]{64})$/

/** Whose limit a request counts in, once it is known whose token it has: see plugins/rate-limits.ts. */
export const operatorKey = ({ operator }: FastifyRequest): string | null =>
  operator ? `operator ${operator}` : null

/** Learns who asks; refuses nobody, so that the answer to a wrong token can be counted first. */
export function recogniseOperator(
  operators: readonly Operator[],
  now: () => number,
): onRequestAsyncHookHandler {
  return async (request) => {
    request.operator = operatorOf(operators, request.headers.authorization, now())
  }
}

/** Lets operators pass and nobody else: 401, the same whatever is wrong (spec 5.2). */
export const requireOperator: onRequestAsyncHookHandler = async (request, reply) => {
  if (request.operator !== null) return
  reply.header('www-authenticate', 'Bearer realm="market operators"')
  throw new Refusal('UNAUTHORIZED', 'Authorization: must be Bearer and the token of an operator')
}

/** Takes as long for every token that could be one. */
function operatorOf(
  operators: readonly Operator[],
  authorization: string | undefined,
  now: number,
): string | null {
  const [, token] = BEARER.exec(authorization ?? '') ?? []
  if (token === undefined) return null
  const hash = createHash('sha256').update(token).digest()
  const matches = operators.map(({ tokenSha256 }) =>
    timingSafeEqual(hash, Buffer.from(tokenSha256, 'hex')),
  )
  const operator = operators[matches.indexOf(true)]
  return operator && STRONG.test(token) && !isExpired(operator, now) ? operator.name : null
}

/** The last day of a token is that of UTC. */
const isExpired = ({ lastDay }: Operator, now: number): boolean =>
  lastDay !== undefined && new Date(now).toISOString().slice(0, lastDay.length) > lastDay
