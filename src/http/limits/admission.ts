import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { atOnce } from '../answers/at-once.ts'

export interface Admission {
  /** MARKET_ENABLED. */
  enabled: boolean
  /** The mean delay of the event loop just now, milliseconds. */
  lagMs: () => number
  maxLagMs: number
}

const MAX_QUERY_BYTES = 8_192
const MAX_PATH_BYTES = 1_024
const OVERLOAD_RETRY_SECONDS = 1

/** Refuses before anything is read: oversized targets, overload, a market that is switched off. */
export function guardAdmission(
  app: FastifyInstance,
  { enabled, lagMs, maxLagMs }: Admission,
): void {
  shedMessages(app, { lagMs, maxLagMs })
  app.addHook(
    'onRequest',
    atOnce((request) => {
      if (request.server.answersInMessages) return
      const [path = '', query = ''] = splitOnce(request.raw.url ?? '', '?')
      if (path.length > MAX_PATH_BYTES || query.length > MAX_QUERY_BYTES) {
        const limits = `${MAX_PATH_BYTES} bytes of path, ${MAX_QUERY_BYTES} of query`
        throw new RefusalError('URI_TOO_LONG', `the request target is longer than ${limits}`)
      }
      const { config, url } = request.routeOptions
      if (config.probe) return
      if (!config.answersUnderLoad && lagMs() > maxLagMs) {
        throw new RefusalError('OVERLOADED', 'the service is overloaded: try again', {
          retryAfterSeconds: OVERLOAD_RETRY_SECONDS,
        })
      }
      if (!enabled && url !== undefined && !config.answersWhenDisabled) {
        throw new RefusalError('MARKET_DISABLED', 'the market is disabled: MARKET_ENABLED is false')
      }
    }),
  )
}

/**
 * Also sheds load from scopes that answer in messages. Their contract has no status for it: the
 * connection is closed without an answer, as by a server that accepts no more.
 */
export function shedMessages(
  app: FastifyInstance,
  { lagMs, maxLagMs }: Pick<Admission, 'lagMs' | 'maxLagMs'>,
): void {
  app.addHook(
    'onRequest',
    atOnce((request, reply) => {
      if (!request.server.answersInMessages || request.routeOptions.config.probe) return
      if (lagMs() > maxLagMs) closeUnanswered(request, reply)
    }),
  )
}

/** Sends no status and no body: the client sees the connection closed, and may try again. */
export function closeUnanswered(request: FastifyRequest, reply: FastifyReply): void {
  // The status for the log and the metrics.
  reply.raw.statusCode = 503
  reply.hijack()
  request.raw.destroy()
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Routes for the orchestrator: answered under any load. */
    probe?: boolean
    /** Paths that a browser requests once: without them a page stays empty or incomplete. */
    answersUnderLoad?: boolean
    answersWhenDisabled?: boolean
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
