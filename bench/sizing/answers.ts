import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqlEngine } from '../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../src/adapters/clickhouse/history.ts'
import { connectChdb } from '../../src/adapters/embedded/stores/history.ts'
import {
  boundStatistic,
  STATISTIC_NAMES,
  type StatisticQuestion,
} from '../../src/domain/statistics/statistics.ts'
import { HistoryUnavailableError, type StoredRows } from '../../src/ports/views/history.ts'
import { QueryIndex } from '../../src/query-index/query-index.ts'
import { rowOf } from '../../src/query-index/row.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { eachMarketLife } from '../../test/support/statistics/market-lives.ts'
import { quantile, table } from '../harness/table.ts'

// What an analyst and a page of filters wait for: every statistic, and the book at a time and at a
// height, by chDB over a million changes of orders; counts by facet and a page by actionability
// over a million orders. An exceeded limit makes it exit with code 1.

const ROWS = Number(process.env['BENCH_ORDERS'] ?? 1_000_000)
const BATCH = 1_000
/** Changes made one by one; further ones are copies of these. */
const WRITTEN = Math.min(ROWS, 15_700)
const TABLES = [
  'order_transition_rows',
  'activity_rows',
  'order_evidence_rows',
  'verification_rows',
  'settlement_rows',
]
const TIMES = 3
/** The most that the route answers. */
const PAGE = 200

/** Milliseconds at the median, for a million rows; the engine ends a query after 10 s. */
const LIMITS = { statistic: 5_000, counts: 200 }

const NOW = Date.parse('2026-03-01T00:00:00.000Z')
const JANUARY = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }

interface Measured {
  name: string
  rows: number
  samples: number[]
}

async function measure(name: string, ask: () => Promise<number> | number): Promise<Measured> {
  const samples: number[] = []
  let rows = 0
  // The first one is not counted.
  for (let time = 0; time <= TIMES; time += 1) {
    const start = performance.now()
    try {
      rows = await ask()
    } catch (error) {
      if (!(error instanceof HistoryUnavailableError)) throw error
      // The engine ended it.
      return { name, rows: 0, samples: [Number.POSITIVE_INFINITY] }
    }
    if (time > 0) samples.push(performance.now() - start)
  }
  process.stderr.write(`${name}\n`)
  return { name, rows, samples }
}

/**
 * Changes of orders as the projector writes them, then doubled under other order ids until there
 * are enough. Returns an inscription that was offered.
 */
async function fill(history: SqlHistory, engine: SqlEngine): Promise<string> {
  let batch: StoredRows[] = []
  let offset = 0
  let inscription = ''
  for (const life of eachMarketLife(Number.POSITIVE_INFINITY, 1)) {
    for (const change of life) {
      inscription ||= change.set?.assets?.[0]?.inscriptionId ?? ''
      batch.push({ partition: 0, offset: offset++, change })
    }
    if (batch.length >= BATCH) {
      await history.record(batch)
      batch = []
      if (offset >= WRITTEN) break
    }
  }
  for (let rows = offset, copy = 1; rows < ROWS; rows *= 2, copy += 1)
    for (const name of TABLES)
      await engine.run(
        `INSERT INTO ${name} SELECT * REPLACE (lower(hex(SHA256(concat(order_id, '${copy}')))) AS order_id) FROM ${name}`,
      )
  return inscription
}

async function statistics(): Promise<Measured[]> {
  const directory = mkdtempSync(join(tmpdir(), 'market-bench-'))
  const engine = await connectChdb(directory)
  const history = new SqlHistory({ connect: async () => engine })
  try {
    await history.probe()
    const inscription = await fill(history, engine)
    const asked: Record<string, Partial<StatisticQuestion>[]> = {
      book: [{ at: '2026-01-12T00:00:00.000Z' }, { at: '902000' }],
      inscription: [{ inscription }],
      depth: [{ protocol: 'inscriptions' }],
      floor: [{ protocol: 'inscriptions', interval: 'hour', ...JANUARY }],
      market: [{}],
      volume: [{ to: JANUARY.to }],
    }
    const answers: Measured[] = []
    for (const name of STATISTIC_NAMES)
      for (const question of asked[name] ?? [JANUARY]) {
        const bound = boundStatistic({ name, ...question }, NOW)
        if ('refused' in bound) throw new Error(`${name}: ${bound.refused}`)
        const of = 'at' in question ? `${name} at ${question.at}` : name
        const rows = async () =>
          (await history.statistics().rows(bound, { limit: PAGE })).rows.length
        answers.push(await measure(of, rows))
      }
    return answers
  } finally {
    await history.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function counts(): Promise<Measured[]> {
  const index = new QueryIndex('regtest')
  const roll = dice(1)
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const order = orderOf(roll, at)
    return { id: order.id, row: rowOf(order, 0) }
  }).sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const { id, row } of rows) index.fill(id, row)
  for (const _sort of index.sortFilled());
  const moment = { now: NOW, maxAgeSeconds: 600 }
  const all = { includeWithdrawn: false }
  const page = { ...all, sort: 'newest', limit: 50 } as const
  const reviewed = { ...page, actionability: { ...moment, is: 'REVIEW_ONLY' } } as const
  return [
    await measure('facets', () => index.counts({ filters: all, moment }, new Map()).total),
    await measure(
      'facets of state LIVE',
      () => index.counts({ filters: { ...all, state: 'LIVE' }, moment }, new Map()).total,
    ),
    await measure('a page without a filter', () => index.page(page, new Map()).total),
    await measure('a page by actionability', () => index.page(reviewed, new Map()).total),
  ]
}

const rowsOf = (found: readonly Measured[]) =>
  found.map(({ name, rows, samples }) => [name, rows, quantile(samples, 0.5), Math.max(...samples)])
const brokenOf = (found: readonly Measured[], limit: number) =>
  found.filter(({ samples }) => quantile(samples, 0.5) > limit)

console.log(
  `${ROWS} rows, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`,
)
const wanted = process.argv[2] ?? 'all'
const counted = wanted === 'changes' ? [] : await counts()
console.log(`\n${table(['of orders', 'matching', 'median ms', 'longest ms'], rowsOf(counted))}`)
const asked = wanted === 'orders' ? [] : await statistics()
console.log(`\n${table(['of changes', 'rows', 'median ms', 'longest ms'], rowsOf(asked))}`)
const broken = [...brokenOf(counted, LIMITS.counts), ...brokenOf(asked, LIMITS.statistic)]
for (const { name, samples } of broken)
  process.stderr.write(`${name}: ${quantile(samples, 0.5).toFixed(0)} ms is above its limit\n`)
process.exitCode = broken.length > 0 ? 1 : 0
