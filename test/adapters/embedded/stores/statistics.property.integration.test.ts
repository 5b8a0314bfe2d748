import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SqlEngine } from '../../../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../../../src/adapters/clickhouse/history.ts'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
import { connectChdb } from '../../../../src/adapters/embedded/stores/history.ts'
import { parseMoment } from '../../../../src/domain/statistics/moment.ts'
import { boundStatistic, INTERVALS } from '../../../../src/domain/statistics/statistics.ts'
import { projectHistory } from '../../../../src/projections/project-history.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import { type ChangeRecord, TOPICS } from '../../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { dice } from '../../../support/orders/order-book.ts'
import { waitUntil } from '../../../support/services/programs.ts'
import { marketLives } from '../../../support/statistics/market-lives.ts'
import { naiveStatistics, type Row } from '../../../support/statistics/naive-statistics.ts'
import { naiveFloor, naiveVolume } from '../../../support/statistics/naive-trends.ts'
import { naiveBook, namedHeights } from '../../../support/statistics/naive-versions.ts'
import { systemClock } from '../../../support/system-clock.ts'

const PARTITIONS = 2
const SEEDS = [1, 2, 3, 5]
const ORDERS = 90
const DAY_MS = 86_400_000
/** Spans of the floor, with some beginnings of the interval in each. */
const FLOOR_DAYS = { hour: 3, day: 14, week: 50 }

/** An engine that runs several markets, one after another, on a busy machine. */
vi.setConfig({ testTimeout: 120_000 })

/** Real turns of the event loop, waits a hundred times shorter. */
const clock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
}

const { path, drop } = temporaryDirectory()
let engine: SqlEngine
beforeAll(async () => {
  engine = await connectChdb(path)
})
afterAll(async () => {
  await engine.close()
  drop()
})

/** The changes of all orders in one order of time and chance, those of each order in sequence. */
function mixed(lives: readonly (readonly ChangeRecord[])[], seed: number): ChangeRecord[] {
  const roll = dice(seed)
  const left = lives.map((changes) => [...changes])
  const all: ChangeRecord[] = []
  while (left.length > 0) {
    const index = roll.below(left.length)
    const next = left[index]!.shift()
    if (next) all.push(next)
    else left.splice(index, 1)
  }
  return all
}

/** Times of changes and around them, and heights, including the first and the last. */
function momentsOf(lives: readonly (readonly ChangeRecord[])[]): string[] {
  const times = lives
    .flat()
    .map(({ observedAt }) => observedAt)
    .toSorted()
  const heights = [...namedHeights(lives).keys()].toSorted((a, b) => a - b)
  const about = [0, 0.3, 0.6, 0.9].flatMap((share) => {
    const time = times[Math.trunc(share * times.length)]!
    const before = new Date(Date.parse(time) - 1).toISOString()
    return [time, before, String(heights[Math.trunc(share * heights.length)]!)]
  })
  return [...about, times.at(-1)!, String(heights[0]! - 1), String(heights.at(-1)!)]
}

/** Questions about spans of time, with the plain answer of each. */
function trendsOf(lives: readonly (readonly ChangeRecord[])[]) {
  const times = momentsOf(lives).filter((at) => at.includes('T'))
  const markets = [{ protocol: 'brc20' }, { token: 'ORDI' }, { protocol: 'brc20', token: 'ordi' }]
  const volumes = [{}, ...markets].flatMap((market) =>
    times.slice(-3).map((to) => ({
      question: { name: 'volume', to, ...market },
      expected: () => naiveVolume(lives, to, market),
    })),
  )
  const floors = markets.flatMap((market) =>
    INTERVALS.map((interval, place) => {
      const to = times[4 + place * 2]!
      const from = new Date(Date.parse(to) - FLOOR_DAYS[interval] * DAY_MS).toISOString()
      return {
        question: { name: 'floor', from, to, interval, ...market },
        expected: () => naiveFloor(lives, { from, to, interval }, market),
      }
    }),
  )
  return [...volumes, ...floors]
}

/** All rows of the views, once the projector has written these lives. */
async function rowsOf(lives: readonly (readonly ChangeRecord[])[], seed: number) {
  const database = `market_${seed}`
  await engine.run(`CREATE DATABASE ${database}`)
  await engine.run(`USE ${database}`)
  const kept = temporaryDirectory()
  const store = await LmdbStore.open(kept.path)
  const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
  const history = new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
  await history.probe()
  const stop = new AbortController()
  const changes = mixed(lives, seed)
  const running = projectHistory({ log, history, clock }, stop.signal)
  try {
    for (let from = 0; from < changes.length; from += 100)
      await log.append(
        changes.slice(from, from + 100).map((value) => ({
          topic: TOPICS.lifecycle,
          partition: Number.parseInt(value.orderId.slice(0, 2), 16) % PARTITIONS,
          key: value.orderId,
          value,
        })),
      )
    await waitUntil('every change is in the history', async () => {
      const [row] = await engine.select('SELECT count() AS changes FROM order_transitions', {})
      return (row as { changes: number }).changes === changes.length
    })
    // Repeated rows count once.
    const again = changes.slice(0, 50).map((change, offset) => ({ partition: 0, offset, change }))
    await new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) }).record(
      again,
    )
    const names = Object.keys(naiveStatistics([]))
    const found: Record<string, Row[]> = {}
    for (const name of names) found[name] = await rowsOfView(name)
    const statistics = history.statistics()
    const books: Row[][] = []
    for (const at of momentsOf(lives)) {
      const question = { name: 'book' as const, filters: { at }, range: null }
      books.push([...(await statistics.rows(question, { limit: 10_000 })).rows])
    }
    const trends: Row[][] = []
    for (const { question } of trendsOf(lives)) {
      const bound = boundStatistic(question, 0)
      if ('refused' in bound) throw new Error(bound.refused)
      trends.push([...(await statistics.rows(bound, { limit: 10_000 })).rows])
    }
    return { found, books, trends }
  } finally {
    stop.abort()
    await running
    await history.close()
    await store.close()
    kept.drop()
  }
}

/** Amounts are text: they may be larger than a JavaScript number holds. */
async function rowsOfView(name: string): Promise<Row[]> {
  const columns = await engine.select(
    `SELECT name FROM system.columns
     WHERE database = currentDatabase() AND table = {name:String} AND name LIKE '%sats%'`,
    { name },
  )
  const texts = columns.map((row) => (row as { name: string }).name)
  const replaced = texts.map((column) => `toString(${column}) AS ${column}`).join(', ')
  const rows = await engine.select(
    `SELECT *${texts.length > 0 ? ` REPLACE (${replaced})` : ''} FROM ${name}`,
    {},
  )
  return rows as Row[]
}

const sorted = (rows: readonly Row[]): Row[] =>
  rows
    .map((row) => [JSON.stringify(Object.entries(row).sort()), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row)

const MARKETS = SEEDS.map((seed) => {
  const lives = marketLives(ORDERS, seed)
  return { seed, lives, expected: naiveStatistics(lives) }
})

describe.each(MARKETS)('random lives with reorgs, seed $seed', ({ seed, lives, expected }) => {
  let found: Record<string, Row[]>
  let books: Row[][]
  let trends: Row[][]
  beforeAll(async () => {
    ;({ found, books, trends } = await rowsOf(lives, seed))
  }, 120_000)

  test.each(Object.keys(expected))('%s is what the log says', (name) => {
    expect(sorted(found[name] ?? [])).toEqual(sorted(expected[name]!))
  })

  test('the book as of a time, or of a height, is what the log says', () => {
    const plain = (rows: readonly Row[]) =>
      sorted(rows.map((row) => ({ ...row, seq: `${row['seq']}` })))
    const sizes = momentsOf(lives).map((at, index) => {
      const rows = naiveBook(lives, parseMoment(at))
      expect(plain(books[index]!), at).toEqual(plain(rows))
      return rows.length
    })
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThan(8)
  })

  test('volume, and the floor over time, are what the log says', () => {
    for (const [index, { question, expected: plain }] of trendsOf(lives).entries()) {
      expect(sorted(trends[index]!), JSON.stringify(question)).toEqual(sorted(plain()))
    }
    expect(trends.flat().some(({ volume_change_percent: change }) => change)).toBe(true)
    expect(trends.flat().some(({ floor_sats: floor }) => floor)).toBe(true)
  })

  test('contain what the statistics are about', () => {
    for (const rows of Object.values(expected)) expect(rows.length).toBeGreaterThan(0)
    const sales = expected['stats_sales']!
    expect(sales.some((sale) => sale['is_taken_back'])).toBe(true)
    expect(sales.some((sale) => sale['is_counted'])).toBe(true)
    const kinds = expected['stats_conflicts']!.map(({ kind }) => kind)
    expect(new Set(kinds)).toEqual(new Set(['conflict', 'replacement', 'release', 'taken_back']))
  })
})

test('of several orders that one output had, only one is counted as sold', () => {
  const sales = MARKETS.flatMap(({ expected }) => expected['stats_sales'] ?? [])
  expect(
    sales.some((sale) => !sale['is_taken_back'] && !sale['is_counted'] && sale['first_live_at']),
  ).toBe(true)
})

test('what was sold without having been LIVE here is no sale of this market', () => {
  const never = MARKETS.flatMap(({ expected }) => expected['stats_sales'] ?? []).filter(
    (sale) => !sale['is_taken_back'] && sale['first_live_at'] === null,
  )
  expect(never.length).toBeGreaterThan(0)
  expect(never.filter((sale) => sale['is_counted'])).toEqual([])
})
