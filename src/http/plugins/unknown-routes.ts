import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import type { RefusalThrottle } from '../limits/refusal-throttle.ts'
import { announcedBytes } from '../requests/body-bytes.ts'

const MAX_PATH_SHOWN = 128
/** A refused body up to this many bytes is read and discarded, so that its connection is kept. */
const MAX_DRAINED_BYTES = 65_536

/**
 * Refuses an unknown path before its body is read: a not-found handler would run after the parser.
 * A flood of them is delayed, as all refusals of a flood are. Add it after the hooks that shed load,
 * which run first for every path.
 */
export function refuseUnknownRoutes(app: FastifyInstance, throttle?: RefusalThrottle): void {
  const delay = async () => throttle?.delay()
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404 || request.server.answersInMessages) done()
    else delay().then(() => done(noSuchRoute(request)), done)
  })
}

/**
 * Sends a client to the path without the slash at its end, for every method (RFC 9110, 15.4.9): below
 * `base`, where no path ends in one. A path with an empty id is the list.
 */
export function redirectSlashes(
  app: FastifyInstance,
  base: string,
  throttle: RefusalThrottle,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const [path = ''] = request.url.split('?', 1)
    if (!path.endsWith('/') || !path.startsWith(`${base}/`)) {
      done()
      return
    }
    const target = path.replace(/\/+$/, '') + request.url.slice(path.length)
    throttle.delay().then(() => {
      reply.header('location', target).header('content-length', 0).code(308).send()
    }, done)
  })
}

export const noSuchRoute = (request: FastifyRequest): RefusalError =>
  new RefusalError('NOT_FOUND', `there is no ${request.method} ${pathShown(request)}`)

/**
 * Closes the connection of an upload that is answered before its body was read, if that is long or
 * of unknown length: otherwise the server would read it to its end.
 */
export function endRefusedUploads(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.readableEnded && isLongBody(request)) reply.header('connection', 'close')
    done(null, payload)
  })
}

const isLongBody = (request: FastifyRequest): boolean =>
  (announcedBytes(request) ?? Infinity) > MAX_DRAINED_BYTES

function pathShown(request: FastifyRequest): string {
  const [path = ''] = request.url.split('?')
  return path.length > MAX_PATH_SHOWN ? `${path.slice(0, MAX_PATH_SHOWN)}…` : path
}
