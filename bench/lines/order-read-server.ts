import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { openRedisStores } from '../../src/roles/open/redis-stores.ts'
import { gatewayApp, openGateway } from '../../src/roles/parts/gateway.ts'
import { createContext } from '../../src/roles/runtime-context.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { type Channel, openWire } from '../wire.ts'

// One server in a process of its own: the gateway as it is composed for ROLE=gateway, with its limits
// counted in Redis, its metrics and its log; or the peer, a bare Fastify that reads the answer's bytes
// with one GET. What no read of an order asks (log, history, authorities) is not opened.

const [role = '', url = ''] = process.argv.slice(2)

/** As many as a socket of the gateway serves. */
const REQUESTS_PER_SOCKET = 1_000

const notAsked = (what: string): never =>
  new Proxy(
    {},
    { get: () => () => Promise.reject(new Error(`${what} is not part of this bench`)) },
  ) as never

async function listen(): Promise<number> {
  const app = role === 'peer' ? peer() : await gateway()
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

function peer() {
  const redis = new Redis(url)
  const app = Fastify({ maxRequestsPerSocket: REQUESTS_PER_SOCKET })
  app.get<{ Params: { id: string } }>('/api/market/orders/:id', async ({ params }, reply) => {
    const body = await redis.get(`answer:${params.id}`)
    reply.header('content-type', 'application/json; charset=utf-8')
    return body
  })
  return app
}

async function gateway() {
  const config = Config.parse({
    ROLE: 'gateway',
    // Of these, only Redis is opened.
    KAFKA_BROKERS: '127.0.0.1:9',
    CLICKHOUSE_URL: 'http://127.0.0.1:9',
    REDIS_URL: url,
    CURSOR_KEY: '00'.repeat(32),
    // Each connection of the client is a client of its own, far from the limit.
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_READ: '100000',
    ORDER_PARTITIONS: '16',
  })
  const context = createContext(config)
  const stores = await openRedisStores({ ...config, REDIS_URL: url }, context)
  const book = {
    ...stores,
    history: notAsked('the history'),
    statistics: notAsked('the history'),
    versions: notAsked('the history'),
  }
  const authorities = { node: null, index: null, devnet: null } as never
  const parts = { log: notAsked('the log'), book, authorities, signatures: notAsked('a signature') }
  const made = openGateway(context, parts)
  return gatewayApp(context, made, { book, authorities }, async () => ({
    missing: [],
    degraded: [],
  }))
}

openWire(process as unknown as Channel, {
  listen,
  /** Processor time of all threads, microseconds. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  end: () => {
    setImmediate(() => process.exit(0))
  },
})
