import { METHODS, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { UnavailableError } from '../../ports/base-errors.ts'
import { envelope, httpRefusalOf } from '../answers/envelope.ts'
import { addHelp } from '../answers/help.ts'
import type { RefusalThrottle } from '../limits/refusal-throttle.ts'
import { requestIdOf } from '../requests/request-id.ts'
import type { MissingPage } from './missing-page.ts'
import { noSuchRoute } from './unknown-routes.ts'

/**
 * Answers every failure with the envelope, and logs those that are the server's fault. A browser is
 * shown the page instead where it asks for one that does not exist.
 */
export function answerErrors(app: FastifyInstance, missing?: MissingPage): void {
  app.setErrorHandler((error, request, reply) =>
    missing?.isFor(error, request) ? missing.send(reply) : sendRefusal(error, request, reply),
  )
  app.setNotFoundHandler((request) => {
    throw noSuchRoute(request)
  })
}

export async function sendRefusal(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = httpRefusalOf(error)
  if (refusal.cause && refusal.statusCode >= 500) {
    // A part that is away has a line of its own: not one for each request.
    const level = UnavailableError.outsidePartOf(refusal.cause) ? 'debug' : 'error'
    request.log[level]({ err: refusal.cause }, refusal.message)
  }
  if (refusal.retryAfterSeconds !== null && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', refusal.retryAfterSeconds)
  }
  addHelp(request, reply, {
    reasons: refusal.reasons,
    isOfRequest: refusal.code === 'VALIDATION_FAILED',
  })
  return reply
    .code(refusal.statusCode)
    .header('content-type', 'application/json; charset=utf-8')
    .send(envelope(refusal, request.id))
}

/** 405 with Allow for every other method of each path registered so far; a flood is delayed. */
export function refuseOtherMethods(
  app: FastifyInstance,
  known: ReadonlyMap<string, ReadonlySet<string>>,
  throttle: RefusalThrottle,
): void {
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  for (const [url, methods] of known) {
    const allow = [...methods].sort().join(', ')
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      onRequest: async (request, reply) => {
        reply.header('allow', allow)
        await throttle.delay()
        throw new RefusalError('METHOD_NOT_ALLOWED', `${request.method} is not one of ${allow}`)
      },
      handler: async () => undefined,
    })
  }
}

const REFUSED_BY_PARSER: Readonly<Record<string, RefusalError>> = {
  HPE_HEADER_OVERFLOW: new RefusalError(
    'HEADERS_TOO_LARGE',
    'the headers are larger than 16384 bytes',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new RefusalError(
    'REQUEST_TIMEOUT',
    'the request took too long to arrive',
  ),
}
const NOT_HTTP = new RefusalError('BAD_REQUEST', 'the request is not valid HTTP/1.1')
const NO_TUNNEL = new RefusalError('METHOD_NOT_ALLOWED', 'CONNECT is not supported')

/** Bytes that never became a request. A flood of them is delayed, and no more are read meanwhile. */
export function answerClientErrors(throttle?: RefusalThrottle) {
  const delay = async () => throttle?.delay()
  return ({ code = '' }: { code?: string }, socket: Duplex): void => {
    // Node also reports what follows the refused bytes, once for each piece.
    if (code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    socket.pause()
    void delay().then(() => {
      writeRefusal(REFUSED_BY_PARSER[code] ?? NOT_HTTP, socket)
      socket.resume()
    })
  }
}

/** CONNECT: Node passes only a bare socket. */
export const answerConnect = (_request: unknown, socket: Duplex): void =>
  writeRefusal(NO_TUNNEL, socket)

/** A connection, with the answer that Node is sending on it. */
type AnsweringSocket = Duplex & { _httpMessage?: ServerResponse | null }

/**
 * For a failure without a reply object, only a socket. After the beginning of an answer, the refusal
 * would be read as its rest: that is cut off instead, as Node does by default.
 */
function writeRefusal(refusal: RefusalError, socket: AnsweringSocket): void {
  if (!socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const requestId = requestIdOf({ headers: {} })
  const body = envelope(refusal, requestId)
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${body.error}\r\nconnection: close\r\nx-request-id: ${requestId}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
