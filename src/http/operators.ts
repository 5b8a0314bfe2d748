import { createHash, timingSafeEqual } from 'node:crypto'
import type { onRequestAsyncHookHandler } from 'fastify'
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

/** Lets operators pass and nobody else: 401, the same whatever is wrong (spec 5.2). */
export function requireOperator(operators: readonly Operator[]): onRequestAsyncHookHandler {
  return async (request, reply) => {
    request.operator = operatorOf(operators, request.headers.authorization)
    if (request.operator !== null) return
    reply.header('www-authenticate', 'Bearer realm="market operators"')
    throw new Refusal('UNAUTHORIZED', 'Authorization: must be Bearer and the token of an operator')
  }
}

/** Takes as long for every token that could be one. */
function operatorOf(
  operators: readonly Operator[],
  authorization: string | undefined,
): string | null {
  const [, token] = BEARER.exec(authorization ?? '') ?? []
  if (token === undefined) return null
  const hash = createHash('sha256').update(token).digest()
  const matches = operators.map(({ tokenSha256 }) =>
    timingSafeEqual(hash, Buffer.from(tokenSha256, 'hex')),
  )
  return operators[matches.indexOf(true)]?.name ?? null
}
