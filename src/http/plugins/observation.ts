import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import type { Config } from '../../schemas/config/config.ts'
import { addressOf, networksOf } from '../client.ts'
import { atOnce } from './at-once.ts'

/** Seconds: from a cached read to the longest wait for a verdict. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20]

export type LogClients = Config['LOG_CLIENTS']

/** One log line and one count per answer; routes by their pattern, never by their text. */
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
  // The line has fields of its own and no secrets: redaction would cost more than all the rest of it.
  const answers = app.log.child({}, { redact: [] })

  app.addHook(
    'onResponse',
    atOnce((request, reply) => {
      const route = request.routeOptions.url ?? 'unknown'
      const { method } = request
      const client = loggedAs(logClients, request)
      const { statusCode, elapsedTime } = reply
      seconds.observe({ route, method, status: String(statusCode) }, elapsedTime / 1_000)
      const ms = Math.round(elapsedTime)
      answers.info({ reqId: request.id, method, route, statusCode, ms, ...client }, 'answered')
    }),
  )
}

/** An address may be personal data: the operator decides whether it is kept, and for how long. */
function loggedAs(how: LogClients, request: FastifyRequest): { ip?: string } {
  if (how === 'none') return {}
  const ip = how === 'address' ? addressOf(request) : networksOf(request).at(-1)
  return ip === undefined ? {} : { ip }
}
