import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AbsentRecordError, InvalidQuestionError } from '../../ports/folds/question-errors.ts'
import type { InternalError, MessageResponse } from '../../schemas/api/message-errors.ts'
import { atOnce } from './at-once.ts'
import { addHelp } from './help.ts'
import { MessageRefusalError } from './message-refusal.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Set in a scope whose failures have the shapes of this file: outer hooks skip it. */
    answersInMessages?: true
  }
}

const INTERNAL_ERROR: InternalError = { statusCode: 500, message: 'Internal server error' }

/**
 * Gives every failure of a scope the body shapes 1 and 2: errors thrown by its routes, other
 * methods of their paths and other paths below the scope's prefix. Call it before the routes are
 * added; at the root of an app it covers the whole app. A path that is not percent-encoded UTF-8
 * never gets here: the app must be created with `readableTarget`.
 */
export function answerInMessages(scope: FastifyInstance): void {
  if (!scope.hasDecorator('answersInMessages')) scope.decorate('answersInMessages', true)
  // A route's schemas serve only the description; handlers check the input.
  scope.setValidatorCompiler(() => (value) => ({ value }))
  scope.setErrorHandler(sendMessage)
  // A hook, not a handler: the framework would read a POST's body first, and might refuse that.
  scope.addHook(
    'onRequest',
    atOnce((request) => {
      if (request.is404) throw cannot(request)
    }),
  )
  scope.setNotFoundHandler((request) => {
    throw cannot(request)
  })
}

async function sendMessage(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Outer hooks may refuse a missing route first: it is still answered as missing.
  const refusal = request.is404 ? cannot(request) : error
  reply.header('content-type', 'application/json; charset=utf-8')
  const statusCode = statusOf(refusal)
  const isForeseen = statusCode !== null && refusal instanceof Error
  addHelp(request, reply, { reasons: isForeseen ? [refusal.message] : [], isOfRequest: false })
  if (isForeseen) return reply.code(statusCode).send(messageBody(statusCode, refusal.message))
  request.log.error({ err: error }, INTERNAL_ERROR.message)
  return reply.code(500).send(INTERNAL_ERROR)
}

/** Null: the error is a defect. */
function statusOf(error: unknown): MessageResponse['statusCode'] | null {
  if (error instanceof MessageRefusalError) return error.statusCode
  if (error instanceof InvalidQuestionError) return 400
  return error instanceof AbsentRecordError ? 404 : null
}

const messageBody = (
  statusCode: MessageResponse['statusCode'],
  message: string,
): MessageResponse => ({
  message,
  error: STATUS_CODES[statusCode] ?? '',
  statusCode,
})

const cannot = (request: FastifyRequest): MessageRefusalError =>
  new MessageRefusalError(404, `Cannot ${request.method} ${pathOf(request.originalUrl)}`)

/** The path of a request target, as it was sent: without scheme and host (absolute form) and query. */
const pathOf = (target: string): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').replace(/\?.*$/s, '')

/**
 * For Fastify's `rewriteUrl`: a path segment that is not percent-encoded UTF-8 is taken literally,
 * so that it is refused as an invalid parameter. Only in paths that `isOurs`, of which it gets the
 * first segment. It runs for each request before any limit: no segment costs an exception.
 */
export const readableTarget =
  (isOurs: (path: string) => boolean) =>
  ({ url = '' }: { url?: string | undefined }): string => {
    const path = pathOf(url)
    if (isLegible(path)) return url
    const first = path.split('/', 2).map(legibleSegment).join('/')
    // Decoded, as the router compares it.
    if (!isOurs(decodeURIComponent(first))) return url
    const legible = path.split('/').map(legibleSegment).join('/')
    const query = url.indexOf('?')
    return query === -1 ? legible : legible + url.slice(query)
  }

/** Whether a path is one of these or below it. */
export const isBelow =
  (...prefixes: readonly string[]) =>
  (path: string): boolean =>
    prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))

const legibleSegment = (segment: string): string =>
  isLegible(segment) ? segment : segment.replaceAll('%', '%25')

const NEXT_BYTE = '%[89ab][0-9a-f]'
/** A character of UTF-8, percent-encoded (RFC 3629, 4). */
const ENCODED_CHARACTER = new RegExp(
  [
    '%[0-7][0-9a-f]',
    `%(?:c[2-9a-f]|d[0-9a-f])${NEXT_BYTE}`,
    `%e0%[ab][0-9a-f]${NEXT_BYTE}`,
    `%e[1-9a-cef](?:${NEXT_BYTE}){2}`,
    `%ed%[89][0-9a-f]${NEXT_BYTE}`,
    `%f0%[9ab][0-9a-f](?:${NEXT_BYTE}){2}`,
    `%f[1-3](?:${NEXT_BYTE}){3}`,
    `%f4%8[0-9a-f](?:${NEXT_BYTE}){2}`,
  ].join('|'),
  'gi',
)

const isLegible = (text: string): boolean =>
  !text.includes('%') || !text.replace(ENCODED_CHARACTER, '').includes('%')
