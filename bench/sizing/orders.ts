import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDevnet } from '../../src/devnet/devnet.ts'
import { ORDER_SORTS } from '../../src/domain/listing/sorts.ts'
import type { AssetIndex } from '../../src/ports/authorities/asset-index.ts'
import type { FullNode } from '../../src/ports/authorities/full-node.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { timeToFresh } from '../../test/support/log/live-orders.ts'
import { burstOf } from '../../test/support/orders/big-book.ts'
import { systemClock } from '../../test/support/system-clock.ts'
import { quantile, table } from '../harness/table.ts'
import { importOrders, type LiveBook, passTime } from '../market/live-book.ts'
import { startMarket } from '../market/market.ts'
import { requireClean } from '../market/require-clean.ts'

// The whole service with a book of real live orders, and its peer: the same service with 100. The
// service runs in a process of its own; the devnet, which is its node and index, in this one.

const QUICK = process.env['BENCH_QUICK'] !== undefined
const FEW = 100
const MANY = Number(process.env['BENCH_ORDERS'] ?? 100_000)
const IDLE_MS = QUICK ? 20_000 : 60_000
const BURST = QUICK ? 2_000 : 10_000
const PAGES = 20

const FILTERS = [
  '',
  'state=LIVE',
  'protocol=rare-sats',
  'token=item%2042',
  'search=item',
  'group=sats&side=ASK',
  'source=direct-import&signature=VALID',
]

/** A run on a busy machine ends too, and says which limits it exceeded. */
const PATIENCE_MS = 300_000

/** Limits with many orders. */
const LIMITS: Record<string, number> = {
  'idle: requests a minute, more than with few': 10,
  'idle: RSS, MB': 900,
  'idle: longest delay of the event loop, ms': 50,
  'pages of 50: slowest median of all filters and sorts, ms': 20,
  'restart of the service: until all are fresh, ms': 60_000,
  'restart of the service: longest delay after listening, ms': 50,
  'restart of the node: until all are fresh, ms': 60_000,
  'reorg of 1 block: until all are fresh, ms': 60_000,
  'reorg of 1 block: longest delay, ms': 50,
  'burst of the mempool: longest delay, ms': 50,
  'sweep: disagreements': 0,
}

type Figures = Record<string, number>

interface Bench extends LiveBook {
  authorities: { node: FullNode; index: AssetIndex }
  /** The index's version: another number is another index. */
  rebuilt: { times: number }
  orders: number
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'market-bench-'))
  const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
  const rebuilt = { times: 0 }
  const authorities = { node: devnet.node, index: rebuildable(devnet.index, rebuilt) }
  const market = await startMarket(authorities, dataDir)
  const bench: Bench = { devnet, authorities, rebuilt, market, orders: 0 }
  try {
    const few = await figuresOf(bench, FEW, dataDir)
    const many = await figuresOf(bench, MANY, dataDir)
    const idle = 'idle: requests a minute'
    many[`${idle}, more than with few`] = (many[idle] ?? 0) - (few[idle] ?? 0)
    report(few, many)
    await bench.market.stop()
    await requireClean({ DATA_DIR: dataDir })
  } finally {
    await bench.market.stop()
    await devnet.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function figuresOf(bench: Bench, orders: number, dataDir: string): Promise<Figures> {
  return {
    ...(await grow(bench, orders)),
    ...(await reorg(bench)),
    ...(await anotherIndex(bench)),
    ...(await restartService(bench, dataDir)),
    ...(await idle(bench)),
    ...(await pages(bench)),
    ...(await restartNode(bench)),
    ...(await burst(bench)),
    'sweep: disagreements': await bench.market.metric('market_audit_disagreements_total'),
  }
}

const get =
  ({ market }: Bench) =>
  <T>(path: string): Promise<T> =>
    market.get<T>(path)

/** Imports real orders until there are this many. */
async function grow(bench: Bench, orders: number): Promise<Figures> {
  const { market } = bench
  await market.vitals()
  const before = { at: performance.now(), requests: market.requests(), orders: bench.orders }
  await importOrders(bench, orders - bench.orders, progress)
  const made = orders - before.orders
  const seconds = (performance.now() - before.at) / 1_000
  const { cpuMs, rssMb, delay } = await market.vitals()
  bench.orders = orders
  return {
    'import: orders a second, end to end': made / seconds,
    'import: processor time an order, ms': cpuMs / made,
    'import: questions an order': (market.requests() - before.requests) / made,
    'import: p99 delay of the event loop, ms': delay.p99Ms,
    'import: longest delay of the event loop, ms': delay.maxMs,
    'import: RSS at its end, MB': rssMb,
  }
}

async function restartService(bench: Bench, dataDir: string): Promise<Figures> {
  progress('restarting the service')
  await bench.market.stop()
  const sinceMs = Date.now()
  bench.market = await startMarket(bench.authorities, dataDir)
  const listening = Date.now() - sinceMs
  const { orders } = bench
  const fresh = await timeToFresh(get(bench), { orders, sinceMs, withinMs: PATIENCE_MS })
  const { delay } = await bench.market.vitals()
  return {
    'restart of the service: until it listens, ms': listening,
    'restart of the service: until all are fresh, ms': fresh,
    'restart of the service: p99 delay after listening, ms': delay.p99Ms,
    'restart of the service: longest delay after listening, ms': delay.maxMs,
  }
}

async function restartNode(bench: Bench): Promise<Figures> {
  progress('restarting the node')
  bench.devnet.stopNode()
  await sleep(3_000)
  bench.devnet.startNode()
  const fresh = await timeToFresh(get(bench), { orders: bench.orders, withinMs: PATIENCE_MS })
  return { 'restart of the node: until all are fresh, ms': fresh }
}

/** The index was rebuilt: its earlier answers no longer count. */
async function anotherIndex(bench: Bench): Promise<Figures> {
  progress('another index')
  const { market, orders, rebuilt } = bench
  await market.vitals()
  const before = market.requests()
  rebuilt.times += 1
  const sinceMs = Date.now()
  const fresh = await timeToFresh(get(bench), { orders, sinceMs, withinMs: PATIENCE_MS })
  const { delay, cpuMs } = await market.vitals()
  return {
    'another index: until all are fresh, ms': fresh,
    'another index: processor time an order, ms': cpuMs / orders,
    'another index: questions': market.requests() - before,
    'another index: longest delay, ms': delay.maxMs,
  }
}

/** The last block holds what the last funding created: up to 2,000 offered outputs. */
async function reorg(bench: Bench): Promise<Figures> {
  progress('a reorg')
  const { devnet, market, orders } = bench
  await market.vitals()
  const before = market.requests()
  const sinceMs = Date.now()
  devnet.reorg(1)
  devnet.mine(1)
  const fresh = await timeToFresh(get(bench), { orders, sinceMs, withinMs: PATIENCE_MS })
  const { delay } = await market.vitals()
  return {
    'reorg of 1 block: until all are fresh, ms': fresh,
    'reorg of 1 block: p99 delay, ms': delay.p99Ms,
    'reorg of 1 block: longest delay, ms': delay.maxMs,
    'reorg of 1 block: questions': market.requests() - before,
  }
}

async function idle(bench: Bench): Promise<Figures> {
  progress('idle')
  const { market } = bench
  await market.vitals()
  const before = market.requests()
  await passTime(bench, IDLE_MS)
  const { rssMb, delay, cpuMs } = await market.vitals()
  return {
    'idle: requests a minute': ((market.requests() - before) * 60_000) / IDLE_MS,
    'idle: RSS, MB': rssMb,
    'idle: processor, percent of a core': (100 * cpuMs) / IDLE_MS,
    'idle: p99 delay of the event loop, ms': delay.p99Ms,
    'idle: longest delay of the event loop, ms': delay.maxMs,
  }
}

async function burst(bench: Bench): Promise<Figures> {
  progress('a burst of the mempool')
  const { devnet, market } = bench
  const transactions = burstOf(devnet, BURST)
  await market.vitals()
  for (const [at, hex] of transactions.entries()) {
    devnet.submit(hex)
    if (at % 100 === 0) await sleep(0)
  }
  // The next watermark comes after everything before it.
  await timeToFresh(get(bench), { orders: bench.orders, withinMs: PATIENCE_MS })
  const { delay } = await market.vitals()
  devnet.mine(1)
  return {
    'burst of the mempool: p99 delay, ms': delay.p99Ms,
    'burst of the mempool: longest delay, ms': delay.maxMs,
  }
}

async function pages(bench: Bench): Promise<Figures> {
  progress('pages')
  const medians: number[] = []
  const all: number[] = []
  for (const filter of FILTERS) {
    for (const sort of ORDER_SORTS) {
      const samples: number[] = []
      let cursor = ''
      for (let page = 0; page < PAGES; page += 1) {
        const begun = performance.now()
        const { nextCursor } = await bench.market.get<OrderPage>(
          `orders?limit=50&sort=${sort}&${filter}${cursor}`,
        )
        samples.push(performance.now() - begun)
        cursor = nextCursor ? `&cursor=${encodeURIComponent(nextCursor)}` : ''
      }
      medians.push(quantile(samples, 0.5))
      all.push(...samples)
    }
  }
  return {
    'pages of 50: median, ms': quantile(all, 0.5),
    'pages of 50: slowest median of all filters and sorts, ms': Math.max(...medians),
    'pages of 50: p99, ms': quantile(all, 0.99),
  }
}

function report(few: Figures, many: Figures): void {
  const rows = Object.entries(many).map(([name, value]) => {
    const limit = LIMITS[name]
    const before = few[name]
    const kept = limit === undefined ? '' : value <= limit ? 'kept' : 'BROKEN'
    return [name, before ?? '', value, before ? value / before : '', limit ?? '', kept]
  })
  console.log(`\nlive orders, ${cpus().length} cores, Node ${process.version}\n`)
  console.log(table(['figure', `${FEW} orders`, `${MANY} orders`, 'ratio', 'limit', ''], rows))
  if (rows.some((row) => row.includes('BROKEN'))) process.exitCode = 1
}

/** The same index, under another version each time that it is rebuilt. */
const rebuildable = (index: AssetIndex, rebuilt: { times: number }): AssetIndex => ({
  status: async () => {
    const status = await index.status()
    return { ...status, version: `${status.version}.${rebuilt.times}` }
  },
  output: (outpoint) => index.output(outpoint),
  outputsOf: (address) => index.outputsOf(address),
  contents: (outpoints) => index.contents(outpoints),
  inscription: (id) => index.inscription(id),
})

const progress = (what: string): void => console.error(`${new Date().toISOString()} ${what}`)

await main()
