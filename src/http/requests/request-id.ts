import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Long enough for any tracing system, with no character that is unsafe in a log or a header. */
const WELL_FORMED = /^[A-Za-z0-9._:-]{1,128}$/

/** The client's own X-Request-Id when it is well-formed, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID()
}
