import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { metricsListener } from '../../http/metrics.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Time limit of all probes together, and how long one result serves all callers, milliseconds. */
export const READINESS = { timeoutMs: 2_000, cacheForMs: 250 }

/** Milliseconds. */
const METRICS_TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000 }
const METRICS_CONNECTIONS = 64

export interface Served {
  address: string
  metricsAddress: string
}

/** Listens on PORT, and with the metrics on METRICS_PORT, until the closer ends. */
export async function serve(context: RuntimeContext, app: FastifyInstance): Promise<Served> {
  const { config, closer } = context
  closer.add(() => {
    // Probes fail before connections are refused.
    app.drain.begin()
    return app.close()
  })
  const address = await app.listen({ host: config.HOST, port: config.PORT })
  return { address, metricsAddress: await serveMetrics(context) }
}

async function serveMetrics({ config, metrics, closer }: RuntimeContext): Promise<string> {
  const server = createServer(METRICS_TIMEOUTS, metricsListener(metrics.registry))
  server.maxConnections = METRICS_CONNECTIONS
  server.setTimeout(METRICS_TIMEOUTS.requestTimeout)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.METRICS_PORT, config.HOST, resolve)
  })
  closer.add(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://${config.HOST}:${(server.address() as AddressInfo).port}`
}
