import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import { isForwarded } from '../client.ts'
import { isNear } from '../near-addresses.ts'
import { atOnce } from './at-once.ts'

/** Read by `market doctor`. */
export const UNTRUSTED_PROXY_METRIC = 'market_http_untrusted_proxy_requests_total'

const WARNING =
  'requests have X-Forwarded-For from a private address that TRUST_PROXY does not ' +
  'include: if it is a proxy, all its clients share one rate limit'

/** Counts requests that an untrusted proxy seems to forward, and logs a warning once. */
export function noticeProxies(app: FastifyInstance, registry: Registry): void {
  const requests = new Counter({
    name: UNTRUSTED_PROXY_METRIC,
    help: 'Requests with X-Forwarded-For from a private or loopback address that is not trusted.',
    registers: [registry],
  })
  let isLogged = false

  app.addHook(
    'onRequest',
    atOnce((request) => {
      if (request.headers['x-forwarded-for'] !== undefined && !isForwarded(request)) notice(request)
    }),
  )

  function notice({ socket, log }: FastifyRequest): void {
    const peer = socket.remoteAddress ?? ''
    if (!isNear(peer)) return
    requests.inc()
    if (!isLogged) log.warn({ peer }, WARNING)
    isLogged = true
  }
}
