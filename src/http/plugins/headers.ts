import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CODINGS, codedTag, varyByCoding } from '../answers/codings.ts'

/** Answers are data for programs: never executed, framed, sniffed, or cached by default. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The request's id, security headers, caching rules, and a strong ETag with its 304. */
export function setHeaders(app: FastifyInstance): void {
  // Called back, not awaited: these run for every request, and none waits.
  app.addHook('onRequest', (request, reply, done) => {
    secure(request, reply)
    done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // A file: it already has an ETag and its own caching rules.
    if (isRead && reply.hasHeader('etag') && reply.hasHeader('cache-control')) {
      done(null, reply.statusCode === 304 && payload === '' ? noContent(request, reply) : payload)
      return
    }
    if (!isRead || reply.statusCode !== 200 || !isText(payload)) {
      reply.header('cache-control', 'no-store')
      done(null, payload)
      return
    }
    const given = reply.getHeader('etag')
    const etag = typeof given === 'string' ? given : etagOf(payload)
    const current = storedTag(request.headers['if-none-match'], etag)
    reply.header('etag', current ?? etag)
    reply.header('cache-control', 'no-cache')
    varyByCoding(reply)
    if (current === null) {
      done(null, payload)
      return
    }
    reply.code(304)
    done(null, noContent(request, reply))
  })
}

/**
 * What a 304 is sent with: its length and its type would be the ones of the 200 (RFC 9110, 8.6 and
 * 15.4.5). The framework gives a HEAD the length of its payload, if that is no stream.
 */
function noContent({ method }: FastifyRequest, reply: FastifyReply): Readable | null {
  reply.removeHeader('content-type')
  return method === 'HEAD' ? Readable.from([]) : null
}

/** The ETag under which the client has this answer, in whichever coding; null: it has another. */
const storedTag = (ifNoneMatch: string | undefined, etag: string): string | null =>
  ifNoneMatch === undefined
    ? null
    : ([undefined, ...CODINGS]
        .map((coding) => codedTag(etag, coding))
        .find((one) => matches(ifNoneMatch, one)) ?? null)

/** The strong ETag of a body. */
export const etagOf = (body: string | Buffer): string => `"${tagOf(body)}"`

/** The ETag without its quotes. */
export const tagOf = (body: string | Buffer): string =>
  createHash('sha256').update(body).digest('base64url')

/** A stream has no ETag. */
const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload)

/** For a target that matches no route, and so runs no hook. */
export function setHeadersOfUnrouted(request: FastifyRequest, reply: FastifyReply): void {
  secure(request, reply)
  reply.header('cache-control', 'no-store')
}

function secure(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS)
  reply.header('x-request-id', request.id)
}

/** RFC 9110, 13.1.2: a list or `*`, compared weakly. */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const candidates = ifNoneMatch.split(',').map((candidate) => candidate.trim())
  return candidates.some((candidate) => candidate === '*' || candidate.replace(/^W\//, '') === etag)
}
