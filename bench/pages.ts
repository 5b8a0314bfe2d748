import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbStore } from '../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openEmbeddedHistory } from '../src/adapters/embedded/stores/history.ts'
import { EmbeddedViews } from '../src/adapters/embedded/views/views.ts'
import type { OrderRecord } from '../src/schemas/order-record.ts'
import { pageNaively } from '../test/support/orders/naive-listing.ts'
import { changeBetween } from '../test/support/orders/order-changes.ts'
import { systemClock as clock } from '../test/support/system-clock.ts'
import { book, type Figures, ORDERS, queries, time } from './page-mix.ts'
import { quantile, table } from './table.ts'

// Pages of 50 of the embedded order views, walked by cursor, with chDB loaded in the same process;
// its peer reads all orders, filters and sorts them. Filling, measuring and the peer each run in a
// process of their own. Arguments, for those processes: what to do, directory.

const BATCH = 100
const PAGES = 60
const PEER_PAGES = 5

const [task = 'all', directory = ''] = process.argv.slice(2)

function runAll(): void {
  const home = mkdtempSync(join(tmpdir(), 'market-bench-'))
  try {
    const filled = run<{ seconds: number; bytes: number }>('fill', home)
    const views = run<{ figures: Figures[]; openMs: number; rssMb: number }>('views', home)
    const peer = run<{ figures: Figures[] }>('peer', home)
    const rows = views.figures.map(({ label, total, samples }, index) => {
      const peerMs = quantile(peer.figures[index]?.samples ?? [], 0.5)
      const medianMs = quantile(samples, 0.5)
      const ratio = Math.round(peerMs / medianMs)
      return [label, total, medianMs, quantile(samples, 0.99), peerMs, ratio]
    })
    console.log(
      `pages of 50 from ${ORDERS} orders, ${cpus().length} cores, Node ${process.version}\n`,
    )
    console.log(table(['query', 'total', 'median ms', 'p99 ms', 'scan ms', 'ratio'], rows))
    console.log(
      `\nfilled in ${filled.seconds.toFixed(0)} s, ${Math.round(filled.bytes / ORDERS)} bytes an order on disk;` +
        ` opened in ${views.openMs.toFixed(0)} ms; RSS ${views.rssMb} MB with chDB loaded`,
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function run<T>(what: string, home: string): T {
  const path = new URL(import.meta.url).pathname
  const args = ['--import', 'tsx', path, what, home]
  const { stdout, status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`${what} ended with ${status}`)
  return JSON.parse(stdout.toString()) as T
}

const report = (result: object): void => {
  process.stdout.write(JSON.stringify(result))
}

async function withViews(run: (views: EmbeddedViews, openMs: number) => Promise<void>) {
  const store = await LmdbStore.open(join(directory, 'store'))
  const start = performance.now()
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock })
  await run(views, performance.now() - start)
  await store.close()
}

async function fill(): Promise<void> {
  const start = performance.now()
  await withViews(async (views) => {
    let records = []
    let offset = 0
    for (const order of book()) {
      records.push(changeBetween(null, order))
      offset += 1
      if (records.length < BATCH && offset < ORDERS) continue
      await views.apply({ partition: 0, nextOffset: offset, records })
      records = []
    }
  })
  const { size } = statSync(join(directory, 'store', 'market.mdb'))
  report({ seconds: (performance.now() - start) / 1_000, bytes: size })
}

const rssMb = (): number => Math.round(process.memoryUsage.rss() / 1e6)

async function measureViews(): Promise<void> {
  const history = openEmbeddedHistory({ directory: join(directory, 'history') })
  await history.probe()
  await withViews(async (views, openMs) => {
    const newest = await views.page({ includeWithdrawn: false, sort: 'newest', limit: 50 })
    const some = newest.orders.find(({ order }) => order.assets.length > 0)?.order
    if (!some) throw new Error('the book has no asset')
    await time(queries(some), 5, (query) => views.page(query))
    const figures = await time(queries(some), PAGES, (query) => views.page(query))
    report({ figures, openMs, rssMb: rssMb() })
  })
  await history.close()
}

async function measurePeer(): Promise<void> {
  await withViews(async (views) => {
    const orders: OrderRecord[] = []
    for await (const order of views.all()) orders.push(order)
    const newest = await views.page({ includeWithdrawn: false, sort: 'newest', limit: 50 })
    const some = newest.orders.find(({ order }) => order.assets.length > 0)?.order ?? orders[0]
    if (!some) throw new Error('the book is empty')
    const figures = await time(queries(some), PEER_PAGES, async (query) =>
      pageNaively(orders, query),
    )
    report({ figures })
  })
}

if (task === 'fill') await fill()
if (task === 'views') await measureViews()
if (task === 'peer') await measurePeer()
if (task === 'all') runAll()
