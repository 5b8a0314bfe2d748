import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { Redis } from 'ioredis'
import { serveParent } from '../../market/wire.ts'
import { pagesOfPostgres } from '../books/postgres-pages.ts'
import { benchGateway } from './bench-gateway.ts'

// One server of orders in a process of its own: the gateway over the views of a Redis or of a
// DATA_DIR, or one of its peers. Arguments: which, and the address or folder of its store.

const [role = '', store = ''] = process.argv.slice(2)

/** As many as a socket of the gateway serves. */
const REQUESTS_PER_SOCKET = 1_000

const SERVERS: Record<string, () => FastifyInstance | Promise<FastifyInstance>> = {
  'gateway on Redis': () => benchGateway({ of: { redisUrl: store } }),
  'embedded gateway': () => benchGateway({ of: { dataDir: store } }),
  'one GET': oneGet,
  PostgreSQL: () => pagesOfPostgres(store),
}

/** A bare Fastify that reads the answer's bytes with one GET. */
function oneGet(): FastifyInstance {
  const redis = new Redis(store)
  const app = Fastify({ maxRequestsPerSocket: REQUESTS_PER_SOCKET })
  app.get<{ Params: { id: string } }>('/api/market/orders/:id', async ({ params }, reply) => {
    const body = await redis.get(`answer:${params.id}`)
    reply.header('content-type', 'application/json; charset=utf-8')
    return body
  })
  return app
}

serveParent({
  listen: async () => {
    const app = await SERVERS[role]?.()
    if (!app) throw new Error(`no server ${role}`)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
  /** Processor time of all threads, microseconds. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  end: () => {
    setImmediate(() => process.exit(0))
  },
})
