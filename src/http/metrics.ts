import type { RequestListener } from 'node:http'
import type { Registry } from 'prom-client'

/** Answers `GET /metrics` on its own port: metrics are not for clients of the API. */
export const metricsListener =
  (registry: Registry): RequestListener =>
  (request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  }
