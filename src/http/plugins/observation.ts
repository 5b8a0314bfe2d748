import type { FastifyInstance } from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import { addressOf } from '../client.ts'

/** Seconds: from a cached read to the longest wait for a verdict. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20]

/** One line in the log and one count for each answer; routes by their pattern, never by their text. */
export function observeAnswers(app: FastifyInstance, registry: Registry): void {
  const seconds = new Histogram({
    name: 'market_http_request_seconds',
    help: 'Time to answer, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const { method } = request
    const ip = addressOf(request)
    const { statusCode, elapsedTime } = reply
    seconds.observe({ route, method, status: String(statusCode) }, elapsedTime / 1_000)
    request.log.info({ method, route, statusCode, ms: Math.round(elapsedTime), ip }, 'answered')
  })
}
