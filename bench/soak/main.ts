import '../harness/leave-nothing.ts'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDevnet } from '../../src/devnet/devnet.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { systemClock } from '../../test/support/system-clock.ts'
import { quantile, table } from '../harness/table.ts'
import { type Market, startMarket } from '../market/market.ts'
import { requireClean } from '../market/require-clean.ts'
import { MEASURES, oldestAgeMs, type Second, slopeAnHour } from './figures.ts'
import { writePlots } from './plots.ts'
import { Readers } from './readers.ts'
import { World } from './world.ts'

// `npm run soak -- --minutes 30`: the whole service in a process of its own, read at half of its
// capacity, while orders come, are spent and replaced, blocks are mined and undone. Prints how its
// memory, latency and lag develop, and writes the seconds and their plots to a folder, bench/out by
// default.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    orders: { type: 'string', default: '5000' },
    out: { type: 'string', default: fileURLToPath(new URL('../out', import.meta.url)) },
  },
})
const minutes = Number(values.minutes)
const orders = Number(values.orders)
if (!(minutes > 0 && orders > 0)) throw new Error('--minutes and --orders: above 0')

const path = join(values.out, 'soak')
const MEASURED_MS = Math.min(10_000, minutes * 30_000)
const PAGES = ['orders?limit=50', 'orders?state=LIVE&sort=price_asc&limit=50', 'health']
const READS_OF_ORDERS = 0.8
/** Share of the whole: code warms up, and caches fill. */
const WARM_UP = 0.1

const dataDir = mkdtempSync(join(tmpdir(), 'market-soak-'))
const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
const market = await startMarket({ node: devnet.node, index: devnet.index }, dataDir, {
  // The readers count as clients of their own, far from the limit.
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_READ: '100000',
})
try {
  await soak(market)
  await market.stop()
  await requireClean({ DATA_DIR: dataDir })
} finally {
  await market.stop()
  await devnet.close()
  rmSync(dataDir, { recursive: true, force: true })
}

async function soak(service: Market): Promise<void> {
  const world = new World(devnet, service)
  await world.fill(orders)
  const ids = await someIds(service)
  const base = new URL(service.api).pathname
  const next = () => {
    const list = Math.random() < READS_OF_ORDERS ? ids : PAGES
    return `${base}/${list[Math.floor(Math.random() * list.length)]}`
  }
  await using readers = new Readers(new URL(service.api).origin, next)
  const capacity = await readers.flatOut(MEASURED_MS)
  const stop = new AbortController()
  const seconds: Second[] = []
  const load = [readers.steady(capacity / 2, stop.signal), world.goOn(stop.signal)]
  const keep = (second: Second) => {
    seconds.push(second)
    write(seconds, capacity)
  }
  const measured = watch({ service, readers, keep, signal: stop.signal })
  try {
    // The load ends before that only with a failure.
    await Promise.race([measured, Promise.all(load)])
  } finally {
    stop.abort()
    report(seconds, capacity)
    await Promise.allSettled([measured, ...load])
  }
  await Promise.all(load)
}

async function someIds(service: Market): Promise<string[]> {
  const page = await service.get<OrderPage>('orders?state=LIVE&limit=200')
  return page.orders.map(({ id }) => `orders/${id}`)
}

interface Watched {
  service: Market
  readers: Readers
  keep: (second: Second) => void
  signal: AbortSignal
}

async function watch({ service, readers, keep, signal }: Watched): Promise<void> {
  const begun = performance.now()
  for (let second = 1; second <= minutes * 60 && !signal.aborted; second += 1) {
    await sleep(Math.max(0, begun + second * 1_000 - performance.now()))
    const { heapMb, rssMb } = await service.vitals()
    const { latencies, shed } = readers.taken()
    keep({
      at: (performance.now() - begun) / 1_000,
      heapMb,
      rssMb,
      reads: latencies.length,
      shed,
      p99Ms: quantile(latencies.length > 0 ? latencies : [0], 0.99),
      lagMs: await lagOf(service),
    })
  }
}

/** Of the LIVE orders that were imported first: some of each partition, none just proved. */
async function lagOf(service: Market): Promise<number> {
  const { orders: found } = await service.get<OrderPage>('orders?state=LIVE&sort=oldest&limit=200')
  return oldestAgeMs(
    found.map(({ validation }) => validation.checkedAt),
    Date.now(),
  )
}

function write(seconds: readonly Second[], capacity: number): void {
  mkdirSync(values.out, { recursive: true })
  writeFileSync(`${path}.json`, JSON.stringify({ minutes, orders, capacity, seconds }))
}

/** What was measured, however it ended. */
function report(seconds: readonly Second[], capacity: number): void {
  if (seconds.length === 0) return
  const isDrawn = writePlots(seconds, path, process.env['CHROMIUM'] ?? 'chromium')
  const warm = seconds.slice(Math.floor(seconds.length * WARM_UP))
  const rows = MEASURES.map((measure) => {
    const all = warm.map((second) => second[measure])
    return [measure, quantile(all, 0.5), Math.max(...all), slopeAnHour(warm, measure)]
  })
  process.stdout.write(
    `${orders} orders, ${(seconds.length / 60).toFixed(1)} of ${minutes} minutes at ${Math.round(capacity / 2)} reads/s, half of what was measured\n` +
      `${table(['measure', 'median', 'most', 'slope an hour'], rows)}\n` +
      `${path}.html${isDrawn ? `, ${path}.png` : ' (no chromium: no picture)'}\n`,
  )
}
