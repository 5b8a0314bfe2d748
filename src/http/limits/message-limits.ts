import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify'
import { httpRefusalOf } from '../answers/envelope.ts'
import { MessageRefusalError } from '../answers/message-refusal.ts'
import { closeUnanswered } from './admission.ts'
import type { Limiters } from './rate-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a route that answers in messages: the one 503 body in its contract. */
    unavailable?: object
  }
}

/**
 * Counts the reads of the scopes below that answer in messages; call it before they are added. A
 * client over its limit gets a 429 in their shape. Over the limit of all clients together, the
 * route answers its 503 or, if its contract has none, closes the connection.
 */
export function limitMessages(
  scope: FastifyInstance,
  { messages, reference, guide }: Limiters,
): void {
  scope.addHook('onRequest', async (request, reply) => {
    const { probe, uncounted, isReference, isGuide } = request.routeOptions.config
    if (request.is404 || probe || uncounted) return
    try {
      await (isGuide ? guide : messages)(request, reply)
      if (isReference) await reference(request, reply)
    } catch (error) {
      return turnAway(error, request, reply)
    }
  })
}

/** Counts a failed login of an operator at a route that answers in messages, and delays its 401. */
export const limitLogins =
  ({ operator }: Pick<Limiters, 'operator'>): onRequestAsyncHookHandler =>
  async (request, reply) => {
    if (request.operator !== null) return
    try {
      await operator(request, reply)
    } catch (error) {
      return turnAway(error, request, reply)
    }
  }

function turnAway(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const { statusCode, message, retryAfterSeconds } = httpRefusalOf(error)
  if (statusCode !== 429 && statusCode !== 503) throw error
  if (retryAfterSeconds !== null) reply.header('retry-after', retryAfterSeconds)
  if (statusCode === 429) throw new MessageRefusalError(statusCode, message)
  const { unavailable } = request.routeOptions.config
  if (unavailable) return reply.code(statusCode).send(unavailable)
  closeUnanswered(request, reply)
  return undefined
}
