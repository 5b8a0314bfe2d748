import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { whenOver } from '../requests/when-over.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer is a whole graph. */
    isSnapshot?: boolean
  }
}

/** Shows how many connections are open, and how many streams and snapshots are being sent. */
export function showOpenAnswers(app: FastifyInstance, registry: Registry): void {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const streams = gauge('market_http_streams', 'Streams of changes that are open.')
  const snapshots = gauge('market_http_snapshots', 'Snapshots of the circles that are being sent.')
  new Gauge({
    name: 'market_http_connections',
    help: 'Connections of clients that are open.',
    registers,
    async collect() {
      this.set(await connectionsOf(app.server))
    },
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const { isStream, isSnapshot } = request.routeOptions.config
    if (payload instanceof Readable && (isStream || isSnapshot)) {
      const open = isStream ? streams : snapshots
      open.inc()
      whenOver(reply, () => open.dec())
    }
    done(null, payload)
  })
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
