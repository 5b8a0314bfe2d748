import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import { atOnce } from '../answers/at-once.ts'
import { isForwarded, isUnreadable } from '../clients/client.ts'
import { isPrivateAddress } from '../clients/private-addresses.ts'

/** Both are read by `market doctor`. */
export const UNTRUSTED_PROXY_METRIC = 'market_http_untrusted_proxy_requests_total'
export const UNREADABLE_ADDRESS_METRIC = 'market_http_unreadable_address_requests_total'

const UNTRUSTED =
  'requests have X-Forwarded-For from a private address that TRUST_PROXY does not ' +
  'include: if it is a proxy, all its clients share one rate limit'
const UNREADABLE =
  'a trusted proxy writes something to X-Forwarded-For that is not an IP address: ' +
  'all its clients share one rate limit'

/**
 * Counts requests whose client cannot be distinguished from others behind a proxy, and logs a
 * warning once for each of the two reasons.
 */
export function noticeProxies(app: FastifyInstance, registry: Registry): void {
  const untrusted = noticeOf(registry, {
    name: UNTRUSTED_PROXY_METRIC,
    help: 'Requests with X-Forwarded-For from a private or loopback address that is not trusted.',
    warning: UNTRUSTED,
  })
  const unreadable = noticeOf(registry, {
    name: UNREADABLE_ADDRESS_METRIC,
    help: 'Requests whose X-Forwarded-For, by a trusted proxy, names no IP address of a client.',
    warning: UNREADABLE,
  })

  app.addHook(
    'onRequest',
    atOnce((request) => {
      if (request.headers['x-forwarded-for'] === undefined) return
      if (isUnreadable(request)) unreadable(request)
      else if (!isForwarded(request) && isPrivateAddress(request.socket.remoteAddress ?? ''))
        untrusted(request)
    }),
  )
}

interface ProxyNotice {
  name: string
  help: string
  warning: string
}

function noticeOf(registry: Registry, { name, help, warning }: ProxyNotice) {
  const requests = new Counter({ name, help, registers: [registry] })
  let isLogged = false
  return ({ socket, log }: FastifyRequest): void => {
    requests.inc()
    if (!isLogged) log.warn({ peer: socket.remoteAddress ?? '' }, warning)
    isLogged = true
  }
}
