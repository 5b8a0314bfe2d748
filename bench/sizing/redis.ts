import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Redis } from 'ioredis'
import { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../src/adapters/redis/views/views.ts'
import type { CountQuery, SortPosition, StoredPage } from '../../src/ports/views/order-views.ts'
import type { ChangeRecord } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { changeBetween } from '../../test/support/orders/order-changes.ts'
import { RedisServer } from '../../test/support/services/redis.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'
import { quantile, table } from '../harness/table.ts'
import { pageShapes } from '../lines/pages/page-shapes.ts'

// The order views on a real redis-server: filling, then pages of 50 of every sort and filter,
// walked by cursor, and counts by facet, with the server's slow log. Peer of the same run: the three
// sets of half the orders that SINTERCARD would join; the pages have theirs in line 2. Each in a
// process of its own. Arguments, for those processes: task, address of Redis.

/** Orders of the book: BENCH_ORDERS. */
const ORDERS = Number(process.env['BENCH_ORDERS'] ?? 100_000)
const PARTITIONS = 16
/** As the projector writes. */
const BATCH = 50
/** Batches in flight. */
const WORKERS = 4
const PAGES = 60
/** How often all pages are read: an outlier of a command occurs in one of them only. */
const ROUNDS = 3
/** Times that the facets of each list are counted. */
const COUNTS = 10
const SLOW_US = 5_000
const KEPT_ENTRIES = 10_000
/** Members in one command that fills the sets of the worst example. */
const MEMBERS = 1_000

interface Filled {
  /** In the views alone, without making the changes. */
  seconds: number
}

/** Time of a query, milliseconds a page. */
interface Figures {
  label: string
  total: number
  samples: number[]
}

interface Slow {
  command: string
  times: number
  longestMs: number
}

const [task = 'all', url = ''] = process.argv.slice(2)

async function runAll(): Promise<void> {
  const server = await RedisServer.start({
    appendonly: 'no',
    'slowlog-log-slower-than': String(SLOW_US),
    'slowlog-max-len': String(KEPT_ENTRIES),
    'latency-tracking-info-percentiles': '50 99 99.9',
  })
  try {
    const { admin } = server
    // With another program on its core a command would count as slow: the server has priority.
    const isFirst = await comeFirst(admin)
    console.log(
      `Redis views of ${ORDERS} orders, ${cpus().length} cores, Node ${process.version}, load ${load()}, the server ${isFirst ? 'before all others' : 'like any other'} at the cores\n`,
    )
    const { seconds } = child<Filled>('fill', server.url)
    const memory = /used_memory:(\d+)/.exec(await admin.info('memory'))?.[1] ?? '0'
    console.log(
      `filled: ${Math.round(ORDERS / seconds)} orders a second,` +
        ` ${Math.round(Number(memory) / 2 ** 20)} MiB, ${Math.round(Number(memory) / ORDERS)} bytes an order`,
    )
    console.log(said('while it was filled', await slowOf(admin), await waited(admin)))
    console.log(await tookOf(admin, ['evalsha', 'exec', 'hmget']))
    const rounds: Figures[][] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      await admin.slowlog('RESET')
      await admin.config('RESETSTAT')
      const before = await waited(admin)
      rounds.push(child<Figures[]>('pages', server.url))
      const about = `pages, round ${round}, load ${load()}`
      console.log(said(about, await slowOf(admin), (await waited(admin)) - before))
      console.log(await tookOf(admin, ['exec', 'mget', 'zrangebylex', 'hmget', 'hgetall']))
    }
    console.log(`\n${tableOf(rounds.at(-1) ?? [])}`)
    await admin.slowlog('RESET')
    await admin.config('RESETSTAT')
    const counted = child<Figures[]>('facets', server.url)
    console.log(said(`facets, load ${load()}`, await slowOf(admin), Number.NaN))
    console.log(await tookOf(admin, ['exec', 'mget', 'hmget', 'hgetall']))
    console.log(`\n${tableOf(counted)}`)
    console.log(`\nthe worst example: ${await worst(admin)}`)
  } finally {
    await server.stop()
  }
}

/** Milliseconds. */
function tableOf(figures: readonly Figures[]): string {
  const all = figures.flatMap(({ samples }) => samples)
  const rows = [...figures, { label: 'all pages', total: all.length, samples: all }].map(
    ({ label, total, samples }) => {
      const slowest = Math.max(...samples)
      return [label, total, quantile(samples, 0.5), quantile(samples, 0.99), slowest]
    },
  )
  return table(['query', 'total', 'p50 ms', 'p99 ms', 'max ms'], rows)
}

const load = (): string => loadavg().map((one) => one.toFixed(1))[0] ?? ''

function said(when: string, slow: readonly Slow[], waitedMs: number): string {
  const found = slow.map(
    ({ command, times, longestMs }) => `${times} x ${command} up to ${longestMs.toFixed(1)} ms`,
  )
  return (
    `above ${SLOW_US / 1_000} ms ${when}: ${found.join(', ') || 'none'};` +
    ` Redis was ready to run and had no core for ${Math.round(waitedMs)} ms`
  )
}

/**
 * Real-time priority, of which the server needs little; false: this user or system does not allow
 * it.
 */
async function comeFirst(admin: Redis): Promise<boolean> {
  const args = ['--rr', '--all-tasks', '--pid', '1', String(await processOf(admin))]
  return spawnSync('chrt', args, { stdio: 'ignore' }).status === 0
}

const processOf = async (admin: Redis): Promise<number> =>
  Number(/process_id:(\d+)/.exec(await admin.info('server'))?.[1])

/** Time of the commands on the server, by kind. */
async function tookOf(admin: Redis, kinds: readonly string[]): Promise<string> {
  const info = await admin.info('latencystats')
  return kinds
    .map((kind) => {
      const line = new RegExp(`^latency_percentiles_usec_${kind}:(.*?)\\r?$`, 'm').exec(info)?.[1]
      return `  ${kind}: ${line?.replaceAll(',', ', ') ?? 'not used'} microseconds`
    })
    .join('\n')
}

async function slowOf(admin: Redis): Promise<Slow[]> {
  const entries = (await admin.slowlog('GET', KEPT_ENTRIES)) as [number, number, number, string[]][]
  const found = new Map<string, Slow>()
  for (const [, , microseconds, [command = '']] of entries) {
    const known = found.get(command) ?? { command, times: 0, longestMs: 0 }
    known.times += 1
    known.longestMs = Math.max(known.longestMs, microseconds / 1_000)
    found.set(command, known)
  }
  return [...found.values()]
}

/** How long the server's thread was ready while another program had the core, milliseconds. */
async function waited(admin: Redis): Promise<number> {
  const pid = await processOf(admin)
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return Number.NaN
  }
}

/** The time of one command that joins three filters which match half of the orders each. */
async function worst(admin: Redis): Promise<string> {
  const keys = [0, 1, 2].map((n) => `worst:${n}`)
  const half = Math.floor(ORDERS / 2)
  for (const key of keys) {
    for (let at = 0; at < half; at += MEMBERS) {
      const length = Math.min(MEMBERS, half - at)
      await admin.sadd(key, ...Array.from({ length }, (_, n) => `order:${at + n}`))
    }
  }
  const took: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now()
    await admin.sintercard(keys.length, ...keys)
    took.push(performance.now() - start)
  }
  await admin.unlink(...keys)
  return `SINTERCARD of three sets of ${half} holds the server for ${quantile(took, 0.5).toFixed(0)} ms`
}

function child<T>(what: string, argument: string): T {
  const path = fileURLToPath(import.meta.url)
  const args = ['--import', 'tsx', path, what, argument]
  const { stdout, status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`${what} ended with ${status}`)
  return JSON.parse(stdout.toString()) as T
}

async function withViews(run: (views: RedisViews) => Promise<object>): Promise<void> {
  const keyspace = await Keyspace.open({ url, network: 'regtest', partitions: PARTITIONS })
  const views = await RedisViews.open({ keyspace, clock })
  process.stdout.write(JSON.stringify(await run(views)))
  keyspace.close()
}

/** The same orders on each call. */
function* book(): Generator<OrderRecord> {
  const roll = dice(1)
  for (let index = 0; index < ORDERS; index += 1) yield orderOf(roll, index)
}

async function fill(views: RedisViews): Promise<Filled> {
  const orders = book()
  const positions = Array.from({ length: PARTITIONS }, () => 0)
  const start = performance.now()
  let makingMs = 0
  const nextRecords = (): ChangeRecord[] => {
    const begun = performance.now()
    const records: ChangeRecord[] = []
    while (records.length < BATCH) {
      const { value, done } = orders.next()
      if (done) break
      records.push(changeBetween(null, value))
    }
    makingMs += performance.now() - begun
    return records
  }
  const work = async (partition: number) => {
    for (let records = nextRecords(); records.length > 0; records = nextRecords()) {
      const nextOffset = (positions[partition] ?? 0) + records.length
      positions[partition] = nextOffset
      await views.apply({ partition, nextOffset, records })
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, partition) => work(partition)))
  return { seconds: (performance.now() - start - makingMs) / 1_000 }
}

async function pages(views: RedisViews): Promise<Figures[]> {
  const newest = await views.page({ includeWithdrawn: false, sort: 'newest', limit: 50 })
  const some = newest.orders.find(({ order }) => order.assets.length > 0)?.order
  if (!some) throw new Error('the book has no asset')
  await timed(views, some, 2)
  return await timed(views, some, PAGES)
}

/** Pages of each shape, walked by cursor. */
async function timed(views: RedisViews, some: OrderRecord, pages: number): Promise<Figures[]> {
  const figures: Figures[] = []
  for (const { label, query } of pageShapes(some)) {
    const samples: number[] = []
    let after: SortPosition | null = null
    let total = 0
    for (let page = 0; page < pages; page += 1) {
      const start = performance.now()
      const answer: StoredPage = await views.page({ ...query, limit: 50, ...(after && { after }) })
      samples.push(performance.now() - start)
      after = answer.next
      total = answer.total
    }
    figures.push({ label, total, samples })
  }
  return figures
}

/** Counts by facet of the whole list, and of filters of each kind; the first count of each is left out. */
async function facets(views: RedisViews): Promise<Figures[]> {
  const lists: Record<string, Partial<CountQuery['filters']>> = {
    'facets of all': {},
    'facets of LIVE': { state: 'LIVE' },
    'facets of a protocol': { protocols: ['bitcoin-runes'] },
    'facets of prices': { priceMin: '10000', priceMax: '50000000' },
    'facets of a search': { search: 'punk' },
    'facets of an actionability': {
      actionability: { now: clock.now(), maxAgeSeconds: 600, is: 'REVIEW_ONLY' },
    },
  }
  const figures: Figures[] = []
  for (const [label, asked] of Object.entries(lists)) {
    const samples: number[] = []
    let total = 0
    for (let time = 0; time <= COUNTS; time += 1) {
      const filters = { includeWithdrawn: false, ...asked }
      const start = performance.now()
      total = (await views.counts({ filters, moment: { now: clock.now(), maxAgeSeconds: 600 } }))
        .total
      if (time > 0) samples.push(performance.now() - start)
    }
    figures.push({ label, total, samples })
  }
  return figures
}

if (task === 'all') await runAll()
if (task === 'facets') await withViews(facets)
if (task === 'fill') await withViews(fill)
if (task === 'pages') await withViews(pages)
