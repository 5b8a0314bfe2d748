import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisServer } from '../../test/support/services/redis.ts'
import type { Line } from '../harness/line.ts'
import { PostgresServer } from './books/postgres.ts'
import { fillPageBooks } from './pages/page-books.ts'
import { comparisonOf, type Measured } from './pages/page-figures.ts'
import { openPageServers, type PageServer } from './pages/page-servers.ts'
import { type ShapePaths, shapePaths } from './pages/same-pages.ts'
import { comeFirst, forkPinned, OTHER_CORE } from './processes/pinned.ts'

// Pages of the same orders by the gateway on Redis, by the embedded gateway and by the peer. First
// each shape is walked by cursor on all of them, and the answers must be the same; then the pages
// of that walk are read repeatedly, one at a time, shape by shape, side by side. BENCH_PROFILE: a
// folder for CPU profiles of the servers.

const ORDERS = 100_000
const FULL_ORDERS = 1_000_000
const QUICK_ORDERS = 10_000
/** Of a shape in a round. */
const PAGES = 20
const QUICK_PAGES = 5

export const line: Line = {
  number: 2,
  name: 'order-pages',
  work: '`GET /orders`, pages of 50 over HTTP, every sort, filters rare and common, searches, deep cursors',
  peer: 'bare Fastify over PostgreSQL 15 with the same orders, answers and right indexes, totals as old as ours may be',
  run: async ({ isQuick, isFull, rounds, progress }) => {
    const orders = isFull ? FULL_ORDERS : isQuick ? QUICK_ORDERS : ORDERS
    const pages = isQuick ? QUICK_PAGES : PAGES
    const home = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const redis = await RedisServer.start({ appendonly: 'no' })
    const postgres = await PostgresServer.start()
    try {
      const redisPid = Number(/process_id:(\d+)/.exec(await redis.admin.info('server'))?.[1])
      for (const pid of [redisPid, postgres.pid]) comeFirst(pid)
      progress(`filling three stores with ${orders} orders`)
      const some = await fillPageBooks({ orders, redis, postgres, dataDir: home })
      using servers = await openPageServers({ redis, redisPid, postgres, dataDir: home, home })
      progress('comparing answers')
      const shapes = await shapePaths(some, orders, pages, servers.all)
      using client = forkPinned({ module: 'socket-load', core: OTHER_CORE })
      progress(`reading ${shapes.length} shapes`)
      const read = (server: PageServer, { pathsOf }: ShapePaths) =>
        client.call<number[]>('walk', { port: server.port, paths: pathsOf.get(server) })
      const measured = await inTurn(rounds, shapes, servers.all, read)
      const about = {
        sizes: `${orders} orders, ${shapes.length} shapes, ${pages} pages of each a round`,
        labels: shapes.map(({ label }) => label),
      }
      const of = (server: PageServer) => measured.get(server) ?? []
      const comparisons = servers.ours.map((server) =>
        comparisonOf({ name: server.name, ...about }, of(server), of(servers.peer)),
      )
      await servers.ended()
      return comparisons
    } finally {
      await postgres.stop()
      await redis.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
}

/** All rounds after one that does not count; in each round every shape begins with another side. */
async function inTurn(
  rounds: number,
  shapes: readonly ShapePaths[],
  servers: readonly PageServer[],
  read: (server: PageServer, shape: ShapePaths) => Promise<number[]>,
): Promise<Map<PageServer, Measured[]>> {
  const measured = new Map(servers.map((server) => [server, [] as Measured[]]))
  for (let round = -1; round < rounds; round += 1) {
    const now = servers.map((server) => ({ server, cpuUs: 0, samples: [] as number[][] }))
    for (const [at, shape] of shapes.entries()) {
      for (let turn = 0; turn < now.length; turn += 1) {
        const side = now[(turn + at + round + 1) % now.length]
        if (!side) continue
        const before = await side.server.cpuUs()
        side.samples.push(await read(side.server, shape))
        side.cpuUs += (await side.server.cpuUs()) - before
      }
    }
    if (round < 0) continue
    for (const { server, cpuUs, samples } of now) measured.get(server)?.push({ cpuUs, samples })
  }
  return measured
}
