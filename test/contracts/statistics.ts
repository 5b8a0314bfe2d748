import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BoundStatistic,
  boundStatistic,
  STATISTIC_NAMES,
  type StatisticQuestion,
} from '../../src/domain/statistics/statistics.ts'
import type { History } from '../../src/ports/views/history.ts'
import type { StatisticRow, Statistics } from '../../src/ports/views/statistics.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { marketLives } from '../support/statistics/market-lives.ts'
import { naiveStatistics } from '../support/statistics/naive-statistics.ts'
import { naiveFloor, naiveVolume } from '../support/statistics/naive-trends.ts'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const JANUARY = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }
const LIVES = marketLives(60, 31)
const NAIVE = naiveStatistics(LIVES)
const INSCRIPTION = String(NAIVE['stats_inscription']![0]!['inscription_id'])
const TXID = String(NAIVE['stats_transaction']!.find(({ did }) => did === 'sale')!['txid'])
const ASKED: Record<string, Partial<StatisticQuestion>> = {
  book: { at: '2026-01-12T00:00:00.000Z' },
  depth: { protocol: 'inscriptions' },
  floor: { protocol: 'inscriptions', ...JANUARY },
  inscription: { inscription: INSCRIPTION },
  market: {},
  transaction: { txid: TXID },
  volume: { to: '2026-01-20T00:00:00.000Z' },
}

type Changes = (typeof LIVES)[number][number][]

const bound = (question: StatisticQuestion): BoundStatistic => {
  const found = boundStatistic(question, NOW)
  if ('refused' in found) throw new Error(found.refused)
  return found
}
const questionOf = (name: string) => bound({ name, ...(ASKED[name] ?? JANUARY) })

export interface OpenedStatistics {
  history: Pick<History, 'record'>
  statistics: Statistics
  close(): Promise<void>
}

/** What the statistics of every history do, beyond having correct views. */
export function statisticsContract(name: string, open: () => Promise<OpenedStatistics>): void {
  const withStatistics = (run: (statistics: Statistics) => Promise<void>) => async () => {
    const { history, statistics, close } = await open()
    try {
      const changes = LIVES.flat()
      await history.record(changes.map((change, offset) => ({ partition: 0, offset, change })))
      await run(statistics)
    } finally {
      await close()
    }
  }

  describe(`Statistics/${name}`, () => {
    test(
      'every one by pages that neither miss nor repeat a row; amounts are text',
      withStatistics(async (statistics) => {
        for (const asked of STATISTIC_NAMES) {
          const question = questionOf(asked)
          const { rows, next } = await statistics.rows(question, { limit: 10_000 })
          expect(next).toBeNull()
          expect(rows.length).toBeGreaterThan(0)
          const limit = Math.max(1, Math.ceil(rows.length / 4))
          expect(await walk(statistics, question, limit)).toEqual(rows)
          for (const row of rows)
            for (const [column, value] of Object.entries(row))
              if (column.includes('_sats') && value !== null) expect(value).toMatch(/^-?\d+$/)
        }
      }),
    )

    test(
      'filters select what they name',
      withStatistics(async (statistics) => {
        const of = async (question: StatisticQuestion) =>
          (await statistics.rows(bound(question), { limit: 10_000 })).rows
        const sales = await of({ name: 'sales', ...JANUARY })
        expect(sales.map((row) => row['sold_at'])).toEqual(
          sales
            .map((row) => row['sold_at'])
            .toSorted()
            .toReversed(),
        )
        expect(sales).toHaveLength(NAIVE['stats_sales']!.length)
        const punk = await of({ name: 'sales', ...JANUARY, token: 'rare punk' })
        expect(punk).toEqual(sales.filter(({ token }) => token === 'Rare Punk'))
        expect(punk.length).toBeGreaterThan(0)
        const life = await of({ name: 'inscription', inscription: INSCRIPTION })
        expect(life).toHaveLength(
          NAIVE['stats_inscription']!.filter((row) => row['inscription_id'] === INSCRIPTION).length,
        )
        const hours = await of({ name: 'candles', ...JANUARY, interval: 'hour' })
        expect(hours).toHaveLength(
          NAIVE['stats_candles']!.filter(({ interval }) => interval === 'hour').length,
        )
        const until = { from: JANUARY.from, to: '2026-01-10T00:00:00.000Z' }
        const early = await of({ name: 'verdicts', ...until })
        expect(early).toHaveLength(
          NAIVE['stats_verdicts']!.filter(({ day }) => String(day) < '2026-01-10').length,
        )
        expect(await of({ name: 'sales', ...JANUARY, token: "' OR 1 = 1 --" })).toEqual([])
      }),
    )

    test(
      'volume and floor are those of the changes, for any market, time and interval',
      withStatistics(async (statistics) => {
        const of = async (question: StatisticQuestion) =>
          (await statistics.rows(bound(question), { limit: 10_000 })).rows
        const market = fc.record(
          {
            protocol: fc.constantFrom('inscriptions', 'brc20', 'another'),
            token: fc.constantFrom('ordi', 'Rare Punk', '𝔘nicode'),
          },
          { requiredKeys: [] },
        )
        const time = fc
          .date({ min: new Date('2025-12-25'), max: new Date('2026-03-10'), noInvalidDate: true })
          .map((date) => date.toISOString())
        await fc.assert(
          fc.asyncProperty(market, time, async (some, to) => {
            expect(await of({ name: 'volume', to, ...some })).toEqual(naiveVolume(LIVES, to, some))
          }),
          { numRuns: 10 },
        )
        const needed = market.filter((some) => Object.keys(some).length > 0)
        const interval = fc.constantFrom('hour', 'day', 'week')
        await fc.assert(
          fc.asyncProperty(needed, time, interval, async (some, from, by) => {
            const to = new Date(Date.parse(from) + FLOOR_DAYS[by] * 86_400_000).toISOString()
            const rows = await of({ name: 'floor', from, to, interval: by, ...some })
            expect(sorted(rows)).toEqual(
              sorted(naiveFloor(LIVES, { from, to, interval: by }, some)),
            )
          }),
          { numRuns: 10 },
        )
      }),
    )

    test(
      'files in CSV and Parquet say whether they have all rows',
      withStatistics(async (statistics) => {
        const question = questionOf('sales')
        const all = NAIVE['stats_sales']!.length
        const csv = await statistics.file(question, 'csv', all)
        expect(csv.isWhole).toBe(true)
        const [head = '', ...lines] = csv.bytes.toString().trimEnd().split('\r\n')
        expect(head).toMatch(/^"order_id","outpoint","txid","sold_at",/)
        expect(lines).toHaveLength(all)
        expect((await statistics.file(question, 'csv', all - 1)).isWhole).toBe(false)
        const { bytes } = await statistics.file(question, 'parquet', all)
        expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
        expect(bytes.subarray(-4).toString()).toBe('PAR1')
      }),
    )

    test('text of strangers is no formula in CSV, and is as it was in Parquet', async () => {
      const told = JSON.stringify(LIVES.flat())
        .replaceAll('Rare Punk', '=cmd()')
        .replaceAll('𝔘nicode', '-3.5')
      const { history, statistics, close } = await open()
      try {
        const changes: Changes = JSON.parse(told)
        await history.record(changes.map((change, offset) => ({ partition: 0, offset, change })))
        const sales = questionOf('sales')
        const csv = (await statistics.file(sales, 'csv', 1_000)).bytes.toString()
        expect(csv).toContain(`,"'=cmd()",`)
        expect(csv).not.toContain(',"=cmd()",')
        expect(csv).toContain(',"-3.5",')
        const { rows } = await statistics.rows(sales, { limit: 1_000 })
        expect(rows.map((row) => row['token'])).toContain('=cmd()')
        expect(String((await statistics.file(sales, 'parquet', 1_000)).bytes)).not.toContain(
          "'=cmd()",
        )
      } finally {
        await close()
      }
    })

    test('a filter by such text, and a limit, take the same rows for CSV', async () => {
      const texts = { ORDI: '=cmd', 'Rare Punk': '-x', 𝔘nicode: '@a', brc20: '+1!' }
      let told = JSON.stringify(LIVES.flat())
      for (const [word, text] of Object.entries(texts)) told = told.replaceAll(word, text)
      const { history, statistics, close } = await open()
      try {
        const changes: Changes = JSON.parse(told)
        await history.record(changes.map((change, offset) => ({ partition: 0, offset, change })))
        const asked = {
          market: { token: '@a' },
          book: { protocol: '+1!' },
          candles: { protocol: 'inscriptions' },
          sales: { token: '-x' },
          floor: { protocol: '+1!', ...JANUARY },
        }
        for (const [name, filter] of Object.entries(asked)) {
          const question = bound({ name, ...(ASKED[name] ?? JANUARY), ...filter })
          for (const limit of [2, 1_000]) {
            const { rows } = await statistics.rows(question, { limit })
            expect(rows.length, name).toBeGreaterThan(0)
            const { bytes } = await statistics.file(question, 'csv', limit)
            expect(linesOf(bytes), name).toEqual(linesOfRows(rows))
          }
        }
      } finally {
        await close()
      }
    })

    test(
      'a day of the log goes to a new file',
      withStatistics(async (statistics) => {
        const days = await statistics.days('order_transitions')
        const counts = new Map<string, number>()
        for (const { observedAt } of LIVES.flat()) {
          const day = observedAt.slice(0, 10)
          counts.set(day, (counts.get(day) ?? 0) + 1)
        }
        expect([...days]).toEqual([...counts].toSorted())
        const { path, drop } = temporaryDirectory()
        try {
          const folder = join(path, "it's here")
          mkdirSync(folder)
          const file = join(folder, 'day.parquet')
          await statistics.exportDay('order_transitions', [...days.keys()][0]!, file)
          expect(readFileSync(file).subarray(-4).toString()).toBe('PAR1')
          const again = statistics.exportDay('order_transitions', [...days.keys()][0]!, file)
          await expect(again).rejects.toThrow('exists')
        } finally {
          drop()
        }
      }),
    )
  })
}

/** Spans of the floor that a plain recomputation reads quickly. */
const FLOOR_DAYS = { hour: 2, day: 20, week: 90 }
const sorted = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted()

/** The order of the rows of a file by their market, without the apostrophes of a spreadsheet. */
const linesOf = (csv: Buffer): string[] => {
  const [head = '', ...lines] = csv.toString().trimEnd().split('\r\n')
  const columns = head.replaceAll('"', '').split(',')
  const [protocol, token] = ['protocol_id', 'token'].map((name) => columns.indexOf(name))
  return lines.map((line) => {
    const cells = line.split(',').map((cell) => cell.replaceAll('"', '').replace(/^'/, ''))
    return `${cells[protocol ?? 0]} ${cells[token ?? 0]}`
  })
}
const linesOfRows = (rows: readonly StatisticRow[]): string[] =>
  rows.map((row) => `${row['protocol_id'] ?? ''} ${row['token'] ?? ''}`)

async function walk(statistics: Statistics, question: BoundStatistic, limit: number) {
  const all: StatisticRow[] = []
  let after: readonly string[] | null = null
  do {
    const page = await statistics.rows(question, { limit, ...(after && { after }) })
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    all.push(...page.rows)
    after = page.next
  } while (after)
  return all
}
