import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import type { Operator } from '../../schemas/config/config.ts'
import { MessageRefusalError } from '../answers/message-refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator making the request; null outside the operator routes. */
    operator: string | null
  }
}

/** RFC 6750: the token is visible ASCII, after one space. */
const BEARER = /^Bearer ([\x21-\x7e]+)$/i
/**
 * A token of 32 random bytes: as `market operator token` writes it, or in hex. A shorter one can be
 * guessed.
 */
const STRONG = /^(?:mkt_[A-Za-z0-9_-]{43}|[0-9A-Fa-f]{64})$/

/** The limit key of an operator's request, once its token is known: see limits/rate-limits.ts. */
export const operatorKey = ({ operator }: FastifyRequest): string | null =>
  operator ? `operator ${operator}` : null

/** Identifies the operator; refuses no request, so that wrong tokens can be counted first. */
export function recogniseOperator(
  operators: readonly Operator[],
  now: () => number,
): onRequestAsyncHookHandler {
  return async (request) => {
    request.operator = operatorOf(operators, request.headers.authorization, now())
  }
}

export const NO_OPERATOR = 'Authorization: must be Bearer and the token of an operator'

/** Lets only operators pass: 401, the same whatever is wrong (gateway spec 5.2). */
export const requireOperator: onRequestAsyncHookHandler = async (request, reply) => {
  if (request.operator !== null) return
  challenge(reply)
  throw new RefusalError('UNAUTHORIZED', NO_OPERATOR)
}

/** As `requireOperator`, on a route whose failures are messages. */
export const requireOperatorInMessages: onRequestAsyncHookHandler = async (request, reply) => {
  if (request.operator !== null) return
  challenge(reply)
  throw new MessageRefusalError(401, NO_OPERATOR)
}

const challenge = (reply: FastifyReply): FastifyReply =>
  reply.header('www-authenticate', 'Bearer realm="market operators"')

/** The token of a bearer; null: there is none. */
export const bearerOf = (authorization: string | undefined): string | null =>
  BEARER.exec(authorization ?? '')?.[1] ?? null

/** Takes the same time for every well-formed token. */
function operatorOf(
  operators: readonly Operator[],
  authorization: string | undefined,
  now: number,
): string | null {
  const token = bearerOf(authorization)
  if (token === null) return null
  const hash = createHash('sha256').update(token).digest()
  const matches = operators.map(({ tokenSha256 }) =>
    timingSafeEqual(hash, Buffer.from(tokenSha256, 'hex')),
  )
  const operator = operators[matches.indexOf(true)]
  return operator && STRONG.test(token) && !isExpired(operator, now) ? operator.name : null
}

/** A token's last day is in UTC. */
const isExpired = ({ lastDay }: Operator, now: number): boolean =>
  lastDay !== undefined && new Date(now).toISOString().slice(0, lastDay.length) > lastDay
