import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory } from '../src/adapters/embedded/history.ts'
import { LmdbStore } from '../src/adapters/embedded/lmdb-store.ts'
import { EmbeddedViews } from '../src/adapters/embedded/views.ts'
import { ORDER_SORTS, type OrderQuery, type SortPosition } from '../src/ports/order-views.ts'
import type { OrderRecord } from '../src/schemas/order-record.ts'
import { pageNaively } from '../test/support/naive-listing.ts'
import { dice, orderOf } from '../test/support/order-book.ts'
import { changeBetween } from '../test/support/order-changes.ts'
import { systemClock as clock } from '../test/support/system-clock.ts'
import { quantile, table } from './table.ts'

// Pages of 50 of the embedded order views, walked by cursor, with chDB loaded in the same process;
// its peer reads all orders, filters and sorts them. Filling, measuring and the peer each run in a
// process of their own. Arguments, for those processes: what to do, directory.

const ORDERS = Number(process.env['BENCH_ORDERS'] ?? 100_000)
const BATCH = 100
const PAGES = 60
const PEER_PAGES = 5

interface Figures {
  label: string
  total: number
  samples: number[]
}

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

function* book(): Generator<OrderRecord> {
  const roll = dice(1)
  for (let index = 0; index < ORDERS; index += 1) yield orderOf(roll, index)
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

function queries(some: OrderRecord): [string, Omit<OrderQuery, 'limit' | 'after'>][] {
  const base = { includeWithdrawn: false, sort: 'newest' } as const
  const asset = some.assets[0]
  const filters: Record<string, Partial<OrderQuery>> = {
    state: { state: 'LIVE' },
    'state, few': { state: 'SETTLED' },
    withdrawn: { state: 'WITHDRAWN', includeWithdrawn: true },
    token: { token: 'oRdI' },
    'two protocols': { protocols: ['bitcoin-brc20', 'bitcoin-runes'] },
    source: { source: 'portable-nostr802' },
    safety: { safety: 'PUBLIC_RACEABLE' },
    orderClass: { orderClass: 'BID_FULLY_FUNDED' },
    signature: { signature: 'VALID' },
    side: { side: 'BID' },
    seller: { sellerScriptHex: some.sellerScriptHex ?? '' },
    assetInscriptionId: { assetInscriptionId: asset?.inscriptionId ?? '' },
    assetOutpoint: { assetOutpoint: some.outpoint },
    'search id': { search: some.id.slice(0, 12) },
    'search a': { search: 'a' },
    'search number': { search: '12' },
    'search word': { search: 'punk' },
    'search address': { search: 'bcrt1qa' },
    'state, token, source': { state: 'LIVE', token: 'ORDI', source: 'direct-import' },
    'state, protocol, search': {
      state: 'LIVE',
      protocols: ['bitcoin-runes'],
      search: 'punk',
      sort: 'price_asc',
    },
  }
  return [
    ...ORDER_SORTS.map((sort): [string, typeof base] => [sort, { ...base, sort } as typeof base]),
    ...Object.entries(filters).map(([label, filter]): [string, OrderQuery] => [
      `${label} by ${filter.sort ?? base.sort}`,
      { ...base, ...filter, limit: 50 },
    ]),
  ]
}

type Page = { total: number; next: SortPosition | null }

async function time(
  list: ReturnType<typeof queries>,
  pages: number,
  read: (query: OrderQuery) => Promise<Page>,
): Promise<Figures[]> {
  const figures: Figures[] = []
  for (const [label, query] of list) {
    const samples: number[] = []
    let after: SortPosition | null = null
    let total = 0
    for (let page = 0; page < pages; page += 1) {
      const start = performance.now()
      const answer: Page = await read({ ...query, limit: 50, ...(after ? { after } : {}) })
      samples.push(performance.now() - start)
      after = answer.next
      total = answer.total
    }
    figures.push({ label, total, samples })
  }
  return figures
}

const rssMb = (): number => Math.round(process.memoryUsage.rss() / 1e6)

async function measureViews(): Promise<void> {
  const history = openHistory({ directory: join(directory, 'history') })
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
