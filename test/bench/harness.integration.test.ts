import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { guardOf } from '../../bench/harness/guards.ts'
import { compare } from '../../bench/harness/line.ts'
import { lineFiles } from '../../bench/harness/lines.ts'
import { pageWithTable, tableOf } from '../../bench/harness/performance-page.ts'
import { processorUsOf } from '../../bench/harness/processor-time.ts'
import {
  type Comparison,
  type MeasuredLine,
  readResults,
  writeResults,
} from '../../bench/harness/results.ts'
import { spreadOf } from '../../bench/harness/spread.ts'
import { quantile } from '../../bench/harness/table.ts'
import { brokenGuards, isWithin, ratioOf } from '../../bench/harness/verdict.ts'

const RESULTS = 'bench/results.json'
const PAGE = 'docs/performance.md'

const about = {
  name: 'with two threads',
  sizes: '1,000 checks',
  unit: 'checks/s',
  ratio: 'ours/peer',
  target: { atLeast: 5 },
  rounds: 3,
} as const

const sample = (figure: number, cpuUs: number | null = null) => ({ figure, cpuUs })

const lineOf = (number: number, comparisons: Comparison[]): MeasuredLine => ({
  number,
  name: 'sums',
  work: 'sums',
  peer: 'sums by hand',
  commit: 'abcdef0+',
  at: '2026-11-24T07:00:00.000Z',
  seconds: 12.4,
  load: { began: 0.5, ended: 1.25 },
  machine: '2 cores',
  comparisons,
})

test('rounds alternate, the first ones do not count, and the ratio is that of each round', async () => {
  const order: string[] = []
  const comparison = await compare(
    { ...about, warmUp: 1 },
    (round) => {
      order.push(`ours ${round}`)
      return sample([10, 40, 90][round] ?? 0)
    },
    (round) => {
      order.push(`peer ${round}`)
      return sample([10, 20, 30][round] ?? 0)
    },
  )
  expect(order).toEqual([
    'peer -1',
    'ours -1',
    ...['ours 0', 'peer 0', 'peer 1', 'ours 1', 'ours 2', 'peer 2'],
  ])
  expect(comparison.rounds).toHaveLength(3)
  expect(ratioOf(comparison)).toEqual({ lower: 1.5, median: 2, upper: 2.5 })
  expect(ratioOf({ ...comparison, ratio: 'peer/ours' }).median).toBe(0.5)
})

test('median and quartiles are between two values, and not the extremes of three', () => {
  expect(spreadOf([4, 1, 3, 2])).toEqual({ lower: 1.75, median: 2.5, upper: 3.25 })
  expect(spreadOf([9, 1, 5])).toEqual({ lower: 3, median: 5, upper: 7 })
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ lower: 2, median: 3, upper: 4 })
  expect(spreadOf([7])).toEqual({ lower: 7, median: 7, upper: 7 })
  expect(spreadOf([])).toEqual({ lower: Number.NaN, median: Number.NaN, upper: Number.NaN })
  expect(spreadOf([1, Number.NaN, 2]).median).toBeNaN()
})

test('a share of the samples does not exceed its quantile: one of a hundred exceeds the p99', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at)
  expect(quantile(hundred, 0.99)).toBe(99)
  expect(quantile(hundred, 0.07)).toBe(7)
  expect(quantile(hundred, 1)).toBe(100)
  expect(quantile(hundred, 0)).toBe(1)
  expect(quantile([3, 1, 2], 0.5)).toBe(2)
  expect(quantile([5], 0.99)).toBe(5)
  expect(quantile([], 0.5)).toBeNaN()
})

test('a missed target fails nothing, a limit that held before does', async () => {
  const measure = async (guard: number, wanted: number): Promise<Comparison> => {
    const beside = { 'p99, ms': { target: { atMost: 1 }, guard: { atMost: wanted } } }
    const measured = await compare(
      { ...about, beside },
      () => ({ ...sample(8), beside: { 'p99, ms': 20 } }),
      () => sample(2),
    )
    return { ...measured, guard: { atLeast: guard } }
  }
  expect(brokenGuards(lineOf(3, [await measure(4, 20)]))).toEqual([])
  expect(brokenGuards(lineOf(3, [await measure(4.5, 19)]))).toEqual([
    'line 3 (sums), with two threads: ratio ours/peer 4.00, was ≥ 4.5',
    'line 3 (sums), with two threads: p99, ms 20.0, was ≤ 19',
  ])
})

test('what met its target has a limit that held, and none is far from its figure', () => {
  for (const { number, comparisons } of readResults(RESULTS).lines) {
    for (const comparison of comparisons) {
      const { target, name, sizes } = comparison
      const { median } = ratioOf(comparison)
      const guard = guardOf(number, comparison)
      const about = `line ${number}, ${name}, ${sizes}`
      if (target && isWithin(median, target)) expect(guard, about).not.toBeNull()
      if (!guard) continue
      expect(isWithin(median, guard), about).toBe(true)
      const held = 'atLeast' in guard ? median / guard.atLeast : guard.atMost / median
      expect(held, about).toBeLessThan(2)
    }
  }
})

test('a limit is of one size and comparison', () => {
  const of = (number: number, name: string, sizes: string) => guardOf(number, { name, sizes })
  expect(of(15, 'line 3', '100000 orders; peer 10000')).toEqual({ atMost: 1.2 })
  expect(of(15, 'line 3', '1000000 orders; peer 10000')).toEqual({ atMost: 2.1 })
  expect(of(15, 'line 3', '5000 orders; peer 500')).toBeNull()
  expect(of(3, 'line 3', '30000 orders')).toBeNull()
})

test('new measurements replace known ones, and the page shows all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-bench-test-'))
  try {
    const path = join(folder, 'results.json')
    const first = await compare(
      about,
      () => sample(1, 250),
      () => sample(10, 1_000),
    )
    const second = await compare(
      about,
      () => sample(60_000, 250),
      () => sample(10_000, 1_000),
    )
    writeResults(path, [lineOf(7, [first]), lineOf(2, [first])])
    const results = writeResults(path, [lineOf(7, [second])])
    expect(results.lines.map(({ number }) => number)).toEqual([2, 7])
    expect(readResults(path)).toEqual(results)
    expect(tableOf(results).split('\n').slice(2)).toEqual([
      '| 2 | sums: with two threads | 1,000 checks | checks/s | 1 | 10 | 250 µs, 1,000 µs | 0.1 ours/peer | ≥ 5 | no |',
      '| 7 | sums: with two threads | 1,000 checks | checks/s | 60,000 | 10,000 | 250 µs, 1,000 µs | 6 ours/peer | ≥ 5 | yes |',
      '',
      'What each line measures:',
      '',
      '- line 2: sums; beside sums by hand',
      '- line 7: sums; beside sums by hand',
      '',
      'Measured:',
      '',
      '- line 2: 2026-11-24, abcdef0+, 3 rounds in 12 s, load 0.5 to 1.3; 2 cores',
      '- line 7: 2026-11-24, abcdef0+, 3 rounds in 12 s, load 0.5 to 1.3; 2 cores',
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a comparison with parts has a table of them', async () => {
  const comparison = await compare(
    about,
    () => sample(1),
    () => sample(2),
  )
  const details = [{ name: 'twos', ours: { median: 4, p99: 8 }, peer: { median: 2, p99: 16 } }]
  const text = tableOf({ lines: [lineOf(3, [{ ...comparison, details }])] })
  expect(text.split('\n').slice(-5)).toEqual([
    'Line 3, with two threads: its parts, in milliseconds.',
    '',
    '| part | ours: median | p99 | peer: median | p99 | peer/ours: median | p99 |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    '| twos | 4 | 8 | 2 | 16 | 0.5 | 2 |',
  ])
})

test('the page has the table of the stored results', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(pageWithTable(page, readResults(RESULTS))).toBe(page)
})

test('a file’s name has its number and name, and it exports its line', () => {
  const files = lineFiles()
  expect(files.length).toBeGreaterThan(0)
  for (const { path, number, name } of files) {
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(
      `export const line: Line = {\n  number: ${number},\n  name: '${name}',\n`,
    )
  }
})

/** It waits for a process to start, on a busy machine. */
const PATIENCE_MS = 240_000

test(
  'a line is measured in a process of its own, and its result can be stored',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'market-bench-test-'))
    try {
      const { path } = lineFiles().find(({ name }) => name === 'circle-hash')!
      const target = join(folder, 'line.json')
      await promisify(execFile)(process.execPath, [
        ...['--import', 'tsx', 'bench/harness/run-line.ts', path, target, '1', '--quick'],
      ])
      const measured = JSON.parse(readFileSync(target, 'utf8')) as MeasuredLine
      const results = writeResults(join(folder, 'results.json'), [measured])
      expect(readResults(join(folder, 'results.json'))).toEqual(results)
      expect(ratioOf(results.lines[0]!.comparisons[0]!).median).toBeGreaterThan(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  PATIENCE_MS,
)

test.runIf(process.platform === 'linux')('processor time of another process is known', () => {
  expect(processorUsOf(process.pid)).toBeGreaterThan(0)
  expect(processorUsOf(2 ** 30)).toBeNull()
})
