import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisServer } from '../../test/support/services/redis.ts'
import { compare, type Line } from '../harness/line.ts'
import { fillOrders } from './books/order-read-book.ts'
import { loaded } from './processes/loaded.ts'
import {
  comeFirst,
  ended,
  forkPinned,
  OTHER_CORE,
  type PinnedProcess,
  SERVER_CORE,
} from './processes/pinned.ts'

// The measured server has one core; the client and Redis share the other and need less than half of
// it. BENCH_PROFILE: a folder for CPU profiles of both servers.

const CONNECTIONS = 64
const ORDERS = 100_000
const QUICK_ORDERS = 10_000
const ROUND_MS = 4_000
const QUICK_ROUND_MS = 1_500

export const line: Line = {
  number: 1,
  name: 'order-read',
  work: '`GET /orders/{id}`, random orders in Redis, over HTTP; limits counted in Redis, log to a file',
  peer: 'bare Fastify, one GET of ioredis for the same bytes',
  run: async ({ isQuick, rounds, progress }) => {
    const orders = isQuick ? QUICK_ORDERS : ORDERS
    const ms = isQuick ? QUICK_ROUND_MS : ROUND_MS
    const home = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const redis = await RedisServer.start({ appendonly: 'no' })
    try {
      comeFirst(Number(/process_id:(\d+)/.exec(await redis.admin.info('server'))?.[1]))
      progress(`filling Redis with ${orders} orders`)
      const ids = await fillOrders(redis.url, orders)
      const start = (role: 'gateway on Redis' | 'one GET') =>
        forkPinned({
          module: 'read-server',
          core: SERVER_CORE,
          args: [role, redis.url],
          log: join(home, `${role}.log`),
          profile: process.env['BENCH_PROFILE'],
        })
      using ours = start('gateway on Redis')
      using peer = start('one GET')
      using client = forkPinned({ module: 'socket-load', core: OTHER_CORE })
      const paths = ids.map((id) => `/api/market/orders/${id}`)
      const side = async (server: PinnedProcess) => {
        const port = await server.call<number>('listen')
        return () => loaded(server, client, { port, connections: CONNECTIONS, paths, ms })
      }
      const about = {
        name: '',
        sizes: `${orders} orders, ${CONNECTIONS} connections`,
        unit: 'requests/s',
        ratio: 'ours/peer',
        target: { atLeast: 0.45 },
        rounds,
      } as const
      const comparison = await compare(about, await side(ours), await side(peer))
      await Promise.all([ours, peer].map(ended))
      return [comparison]
    } finally {
      await redis.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
}
