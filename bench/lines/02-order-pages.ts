import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisServer } from '../../test/support/services/redis.ts'
import type { Line } from '../harness/line.ts'
import { PostgresServer } from './books/postgres.ts'
import { fillPageBooks } from './pages/page-books.ts'
import { type About, comparisonOf, FIRST_PAGES, type Measured } from './pages/page-figures.ts'
import { openPageServers, type PageServer } from './pages/page-servers.ts'
import { NEW_LIST_SHAPES } from './pages/page-shapes.ts'
import { NewLists, shapePaths } from './pages/same-pages.ts'
import { comeFirst, forkPinned, OTHER_CORE } from './processes/pinned.ts'

// Pages of the same orders by the gateway on Redis, by the embedded gateway and by the peer. First
// each shape is walked by cursor on all of them, and the answers must be the same; then the pages
// of that walk are read repeatedly, one at a time, shape by shape, side by side: pages of lists that
// were asked for before, and of which each side keeps what it can. After that, first pages of lists
// that are new at each request. BENCH_PROFILE: a folder for CPU profiles of the servers.

const ORDERS = 100_000
const FULL_ORDERS = 1_000_000
const QUICK_ORDERS = 10_000
/** Of a shape in a round. */
const PAGES = 20
const QUICK_PAGES = 5

export const line: Line = {
  number: 2,
  name: 'order-pages',
  work: '`GET /orders`, pages of 50 over HTTP, every sort, filters rare and common, searches, deep cursors, of lists asked for before; and the first pages of new lists',
  peer: 'bare Fastify over PostgreSQL 15 with the same orders, answers and right indexes; a total that it counted is kept for 5 s, ours has no age',
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
      const walk = (server: PageServer, paths: readonly string[]) =>
        client.call<number[]>('walk', { port: server.port, paths })
      const measured = await inTurn(rounds, shapes, servers.all, (server, { pathsOf }) =>
        walk(server, pathsOf.get(server) ?? []),
      )
      const newLists = await NewLists.open(pages, servers.all)
      progress(`reading first pages of ${NEW_LIST_SHAPES.length} shapes`)
      const first = await inTurn(rounds, NEW_LIST_SHAPES, servers.all, (server, { label }) =>
        walk(server, newLists.pathsOf(server, label)),
      )
      await servers.ended()
      const about = ({ length }: readonly unknown[]) =>
        `${orders} orders, ${length} shapes, ${pages} pages of each a round`
      const compared = (of: typeof measured, given: (server: PageServer) => About) =>
        servers.ours.map((server) =>
          comparisonOf(given(server), of.get(server) ?? [], of.get(servers.peer) ?? []),
        )
      return [
        ...compared(measured, ({ name }) => ({
          name,
          sizes: about(shapes),
          labels: shapes.map(({ label }) => label),
        })),
        ...compared(first, ({ name }) => ({
          name: `${name}, ${FIRST_PAGES}`,
          sizes: about(NEW_LIST_SHAPES),
          labels: NEW_LIST_SHAPES.map(({ label }) => label),
          unit: 'ms a first page of the median shape',
          target: { atLeast: 1 },
        })),
      ]
    } finally {
      await postgres.stop()
      await redis.stop()
      rmSync(home, { recursive: true, force: true })
    }
  },
}

/** All rounds after one that does not count; in each round every shape begins with another side. */
async function inTurn<Shape>(
  rounds: number,
  shapes: readonly Shape[],
  servers: readonly PageServer[],
  read: (server: PageServer, shape: Shape) => Promise<number[]>,
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
