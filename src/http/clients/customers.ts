import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import {
  accountOfCustomer,
  type Customer,
  type CustomerKeys,
} from '../../gateway/customers/customer-keys.ts'
import { isMeantAsKey } from '../../gateway/customers/key-text.ts'
import { RefusalError } from '../../gateway/refusal.ts'
import { httpRefusalOf } from '../answers/envelope.ts'
import { MessageRefusalError } from '../answers/message-refusal.ts'
import { clientOf } from './client.ts'
import { bearerOf } from './operators.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The customer whose key the request has; null: it has none. */
    customer: Customer | null
  }
}

export const NO_CUSTOMER =
  'Authorization: the key is not valid: it was revoked, rotated or never made'

/** What delays a refusal of a flood. */
interface Throttle {
  delay(): Promise<void>
}

/**
 * Identifies the customer by the key of the request, before anything is counted. A request without
 * one is a stranger's, and so is one with anything else in Authorization, which may be meant for a
 * proxy or an operator's route. A wrong key is a refusal, and a flood of them is delayed.
 */
export function recogniseCustomer(
  keys: Pick<CustomerKeys, 'recognise'>,
  throttle: Throttle,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const token = bearerOf(request.headers.authorization)
    if (token === null || !isMeantAsKey(token) || request.routeOptions.config.probe) return
    try {
      request.customer = keys.recognise(token)
    } catch (error) {
      if (!request.server.answersInMessages) throw error
      return notReadYet(error, request, reply)
    }
    if (request.customer !== null) return
    await throttle.delay()
    throw wrongKey(request, reply)
  }
}

/** As its contract words it, where that has a 503. */
function notReadYet(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { statusCode, message, retryAfterSeconds } = httpRefusalOf(error)
  if (statusCode !== 503) throw error
  reply.header('retry-after', retryAfterSeconds)
  const { unavailable } = request.routeOptions.config
  if (unavailable) return reply.code(statusCode).send(unavailable)
  throw new MessageRefusalError(statusCode, message)
}

/** Is the key of the request, if it had one that was accepted, accepted still? */
export const isKeyAccepted = (
  { customer, headers }: Pick<FastifyRequest, 'customer' | 'headers'>,
  keys: Pick<CustomerKeys, 'recognise'>,
): boolean => customer === null || keys.recognise(bearerOf(headers.authorization) ?? '') !== null

function wrongKey(request: FastifyRequest, reply: FastifyReply): Error {
  reply.header('www-authenticate', 'Bearer realm="market customers"')
  return request.server.answersInMessages
    ? new MessageRefusalError(401, NO_CUSTOMER)
    : new RefusalError('UNAUTHORIZED', NO_CUSTOMER)
}

/**
 * The account whose share of the stores a request uses, and within whose scope its Idempotency-Key
 * is: the customer's, or the client's.
 */
export const accountOfRequest = (request: FastifyRequest): string =>
  request.customer ? accountOfCustomer(request.customer.name) : clientOf(request)
