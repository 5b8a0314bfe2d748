import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Config } from '../../schemas/config/config.ts'
import { atOnce } from '../answers/at-once.ts'
import { addressOf, networksOf } from '../clients/client.ts'
import { whenOver } from '../requests/when-over.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its whole answer was sent. */
    isAnswered: boolean
  }
}

/** Seconds: from a cached read to the longest wait for a verdict. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20]

export type LogClients = Config['LOG_CLIENTS']

/** One log line and one count per request, answered or not; routes by their pattern, never by their text. */
export function observeAnswers(
  app: FastifyInstance,
  registry: Registry,
  logClients: LogClients,
): void {
  const seconds = new Histogram({
    name: 'market_http_request_seconds',
    help: 'Response time by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const unanswered = new Counter({
    name: 'market_http_unanswered_total',
    help: 'Requests whose connection ended before their whole answer was sent, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  })
  // The line has fields of its own and no secrets: redaction would cost more than all the rest of it.
  const answers = app.log.child({}, { redact: [] })
  const note = (request: FastifyRequest, reply: FastifyReply, line: AnswerLine) => {
    const { statusCode, client, msg } = line
    const ms = Math.round(reply.elapsedTime)
    const fields = { reqId: request.id, method: request.method, route: routeOf(request) }
    answers[levelOf(request, line)]({ ...fields, statusCode, ms, ...client }, msg)
  }
  app.decorateRequest('isAnswered', false)

  app.addHook(
    'onRequest',
    atOnce((request, reply) => {
      // Now: a connection that has ended has no address.
      const client = loggedAs(logClients, request)
      whenOver(reply, () => {
        if (request.isAnswered) return
        const statusCode = statusBegun(reply)
        const status = String(statusCode ?? 'none')
        unanswered.inc({ route: routeOf(request), method: request.method, status })
        note(request, reply, { statusCode, client, msg: 'unanswered' })
      })
    }),
  )
  app.addHook(
    'onResponse',
    atOnce((request, reply) => {
      if (isCutOff(request, reply)) return
      request.isAnswered = true
      const client = loggedAs(logClients, request)
      const { statusCode, elapsedTime } = reply
      const labels = { route: routeOf(request), method: request.method, status: String(statusCode) }
      seconds.observe(labels, elapsedTime / 1_000)
      note(request, reply, { statusCode, client, msg: 'answered' })
    }),
  )
}

/** Probes and files are asked all the time, and say nothing of what the service does. */
function levelOf(
  { routeOptions }: FastifyRequest,
  { msg, statusCode }: AnswerLine,
): 'debug' | 'info' {
  const { probe, answersUnderLoad } = routeOptions.config
  const isGiven = msg === 'answered' && statusCode !== null && statusCode < 400
  return isGiven && (probe === true || answersUnderLoad === true) ? 'debug' : 'info'
}

interface AnswerLine {
  /** Null: nothing was sent, and nothing decided. */
  statusCode: number | null
  client: { ip?: string }
  msg: 'answered' | 'unanswered'
}

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unknown'

/** Node calls an answer finished too if its connection was ended, or broke, while it was sent. */
const isCutOff = (request: FastifyRequest, reply: FastifyReply): boolean =>
  reply.raw.destroyed || request.raw.socket.errored instanceof Error

/** The status of an answer that was not sent to its end. */
function statusBegun({ raw }: FastifyReply): number | null {
  const isDecided = raw.headersSent || raw.statusCode !== 200
  return isDecided ? raw.statusCode : null
}

/** An address may be personal data: the operator decides whether it is kept, and for how long. */
function loggedAs(how: LogClients, request: FastifyRequest): { ip?: string } {
  if (how === 'none') return {}
  const ip = how === 'address' ? addressOf(request) : networksOf(request).at(-1)
  return ip === undefined ? {} : { ip }
}
