import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectChdb, openEmbeddedHistory } from '../../../src/adapters/embedded/stores/history.ts'
import { readConfig } from '../../../src/cli/terminal/environment.ts'
import { operatorProblem } from '../../../src/operator/operator-problem.ts'
import { exportHistory } from '../../../src/operator/statistics/export-history.ts'
import {
  type AskedStatistic,
  queryStatistic,
} from '../../../src/operator/statistics/query-statistic.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { marketLives } from '../../support/statistics/market-lives.ts'
import { naiveStatistics } from '../../support/statistics/naive-statistics.ts'

const LIVES = marketLives(40, 31)
const CHANGES = LIVES.flat()
const STORED = CHANGES.map((change, offset) => ({ partition: 0, offset, change }))
const JANUARY = { from: '2026-01-01', to: '2026-02-01T00:00:00Z' }

const { path, drop } = temporaryDirectory()
const config = readConfig({ DATA_DIR: path })
const directory = join(path, 'history')

async function write(rows: typeof STORED): Promise<void> {
  const history = openEmbeddedHistory({ directory })
  await history.record(rows)
  await history.close()
}

beforeAll(() => write(STORED.slice(0, -5)))
afterAll(() => drop())

const query = (asked: Partial<AskedStatistic> & { name: string }) =>
  queryStatistic(config, { format: 'table', limit: '1000', ...asked })
const problemOf = async (work: Promise<unknown>) =>
  operatorProblem(await work.catch((error: unknown) => error))

test('a question is answered as a table, as JSON, as CSV and as Parquet', async () => {
  const expected = naiveStatistics(LIVES)['stats_conflicts']!
  await write(STORED)
  const asked = { name: 'conflicts', ...JANUARY }
  const { answer, isWhole } = await query({ ...asked, format: 'json' })
  const document = JSON.parse((answer as { lines: string[] }).lines[0]!)
  expect(isWhole).toBe(true)
  expect(document).toMatchObject({
    name: 'conflicts',
    from: '2026-01-01T00:00:00.000Z',
    hasMore: false,
  })
  expect(document.rows).toHaveLength(expected.length)
  const { rows } = (await query(asked)).answer as { rows: object[] }
  expect(rows).toEqual(document.rows)
  const some = await query({ ...asked, columns: 'kind,day' })
  expect(Object.keys((some.answer as { rows: object[] }).rows[0]!)).toEqual(['kind', 'day'])
  const csv = await query({ ...asked, format: 'csv', limit: '2' })
  expect(csv.isWhole).toBe(false)
  expect(String((csv.answer as { bytes: Buffer }).bytes).split('\r\n')[0]).toBe(
    '"day","kind","events","orders"',
  )
  const parquet = await query({ ...asked, format: 'parquet' })
  expect((parquet.answer as { bytes: Buffer }).bytes.subarray(0, 4).toString()).toBe('PAR1')
  const none = await query({ name: 'sales', from: '2025-01-01', to: '2025-01-02' })
  expect(none.answer).toEqual({ rows: [] })
})

test('a seller is named by script, or by the address that a table shows', async () => {
  const sold = async (seller?: string) => {
    const { answer } = await query({ name: 'sellers', ...(seller && { seller }), ...JANUARY })
    return (answer as { rows: Record<string, string>[] }).rows
  }
  const one = (await sold()).find(({ seller_address: address }) => address !== null)
  expect(await sold(one?.['seller_script_hex'])).toEqual([one])
  expect(await sold(one?.['seller_address'])).toEqual([one])
})

test.each([
  [{ name: 'all' }, 'there is no statistic all: one of market, depth, '],
  [{ name: 'depth' }, 'depth would read everything: name its protocol or token'],
  [{ name: 'sales', from: '2020-01-01' }, 'sales would read too much: at most 31 days at once'],
  [{ name: 'sales', from: 'yesterday' }, 'from must be a day or a time in UTC'],
  [{ name: 'sales', to: '2026-13-01' }, 'to must be a day or a time in UTC'],
  [{ name: 'sales', from: '2026-02-30' }, 'from must be a day or a time in UTC'],
  [
    { name: 'book', at: '2025-02-29' },
    'at, unless it is the height of a block, must be a day or a',
  ],
  [{ name: 'sales', limit: '10001' }, 'limit must be a number from 1 to 10000'],
  [
    { name: 'conflicts', columns: 'day,colour', from: '2026-01-01' },
    'there is no column colour: one of day, kind, events, orders',
  ],
  [{ name: 'sales', columns: 'day', format: 'csv' }, 'columns are chosen for --format table'],
  [{ name: 'sales', format: 'xml' }, 'format must be one of table, csv, json, parquet'],
  [{ name: 'book', at: 'now' }, 'at, unless it is the height of a block, must be a day or a time'],
  [{ name: 'candles', interval: 'year' }, 'interval must be one of hour, day, week'],
  [
    { name: 'sales', seller: 'nobody' },
    'seller must be a script in lowercase hex or an address of',
  ],
  [{ name: 'transaction', txid: 'ab' }, 'txid: must be'],
  [{ name: 'inscription', inscription: 'ab' }, 'inscription: must be <txid>i<index>'],
])('%o is refused with the bound', async (asked, problem) => {
  expect(await problemOf(query({ to: '2026-02-01', ...asked }))).toContain(problem)
})

test('without a history, and while another process has it open, it says what to do', async () => {
  const elsewhere = readConfig({ DATA_DIR: join(path, 'nowhere') })
  expect(
    await problemOf(queryStatistic(elsewhere, { name: 'market', format: 'csv', limit: '1' })),
  ).toBe(
    `there is no history in ${join(path, 'nowhere')}: set DATA_DIR to the service's folder, or CLICKHOUSE_URL`,
  )
  expect(existsSync(join(path, 'nowhere'))).toBe(false)
  const script = `const { Session } = await import('chdb'); new Session(${JSON.stringify(directory)}); console.log('open'); setInterval(() => {}, 1000)`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(other.stdout, 'data')
    expect(await problemOf(query({ name: 'market' }))).toBe(
      `chDB cannot open ${directory}, which one process at a time may have open, now process ${other.pid}: wait for its end or stop it, or keep the history in a ClickHouse server (CLICKHOUSE_URL)`,
    )
  } finally {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
})

test('an export is resumed: a complete day is not written again', async () => {
  const folder = join(path, 'export')
  const days = new Set(CHANGES.map(({ observedAt }) => observedAt.slice(0, 10)))
  const stop = new AbortController()
  let files = 0
  const countTo = (most: number) => async () => {
    files += 1
    if (files === most) stop.abort()
  }
  const cut = await exportHistory(config, folder, { onFile: countTo(3) }, stop.signal)
  expect(cut).toEqual({ written: 3, kept: 0, shrunk: 0, whole: false, isTodayLeft: false })
  const transitions = join(folder, 'order_transitions')
  const [first = ''] = readdirSync(transitions).toSorted()
  const { mtimeMs } = statSync(join(transitions, first))
  // What a run that was killed left is removed a day later, and no sooner: another run may write it.
  const [left, fresh] = ['left.part', 'fresh.part'].map((name) => join(transitions, name))
  for (const part of [left, fresh]) writeFileSync(part!, 'half')
  const before = (Date.now() - 90_000_000) / 1_000
  utimesSync(left!, before, before)
  const { signal } = new AbortController()
  const rest = await exportHistory(config, folder, { onFile: countTo(-1) }, signal)
  expect(rest).toMatchObject({ kept: 3, whole: true })
  expect(statSync(join(transitions, first)).mtimeMs).toBe(mtimeMs)
  const exported = readdirSync(transitions).filter((name) => name.endsWith('.parquet'))
  expect(exported.toSorted()).toEqual([...days].toSorted().map((day) => `${day}.parquet`))
  const again = await exportHistory(config, folder, { onFile: countTo(-1) }, signal)
  expect(again).toMatchObject({ written: 0, kept: rest.written + 3, whole: true })

  // Late rows, and a missing file.
  const list = join(transitions, 'days.json')
  const written = JSON.parse(readFileSync(list, 'utf8'))
  const [day = ''] = Object.keys(written.days)
  const setRows = (rows: number) =>
    writeFileSync(list, JSON.stringify({ ...written, days: { ...written.days, [day]: rows } }))
  setRows(0)
  rmSync(join(transitions, first))
  const mended = await exportHistory(config, folder, { onFile: countTo(-1) }, signal)
  expect(mended.written).toBe(first === `${day}.parquet` ? 1 : 2)

  // A history that is being filled again: no file loses rows.
  const whole = readFileSync(join(transitions, `${day}.parquet`))
  setRows(1_000_000)
  const kept = await exportHistory(config, folder, { onFile: countTo(-1) }, signal)
  expect(kept).toMatchObject({ written: 0, shrunk: 1, whole: true })
  expect(readFileSync(join(transitions, `${day}.parquet`))).toEqual(whole)
  expect(readdirSync(transitions).filter((name) => name.endsWith('.part'))).toEqual(['fresh.part'])

  // A file that an editor has damaged.
  writeFileSync(list, '{"days":')
  const cure = `${list} is not as an export writes it: remove it`
  await expect(exportHistory(config, folder, { onFile: countTo(-1) }, signal)).rejects.toThrow(cure)
})

test('no file has rows that are to be written again for new columns: they would be taken for whole', async () => {
  const data = temporaryDirectory()
  const own = readConfig({ DATA_DIR: data.path })
  const stored = join(data.path, 'history')
  const { signal } = new AbortController()
  const record = async (rows: typeof STORED) => {
    const history = openEmbeddedHistory({ directory: stored })
    await history.record(rows)
    await history.close()
  }
  const exported = () =>
    exportHistory(own, join(data.path, 'export'), { onFile: async () => {} }, signal)
  try {
    await record(STORED)
    const engine = await connectChdb(stored)
    // As a release wrote them that did not know the newest columns.
    await engine.run(`ALTER TABLE order_transition_rows UPDATE form = 0 WHERE log_offset < 3
      SETTINGS mutations_sync = 1`)
    await engine.close()
    expect(await problemOf(exported())).toContain('export it when that is done')
    await record(STORED.slice(0, 2))
    expect(await problemOf(exported())).toContain('export it when that is done')
    await record(STORED.slice(2, 3))
    expect(await exported()).toMatchObject({ whole: true, kept: 0, shrunk: 0 })
  } finally {
    data.drop()
  }
})

test('a folder takes the files of one history: another is refused, and the first goes on', async () => {
  const folder = join(path, 'one')
  const data = temporaryDirectory()
  const other = readConfig({ DATA_DIR: data.path })
  const { signal } = new AbortController()
  const onFile = async () => {}
  const exported = (from: typeof config) => exportHistory(from, folder, { onFile }, signal)
  try {
    const history = openEmbeddedHistory({ directory: join(data.path, 'history') })
    await history.record([])
    // An empty one claims nothing.
    await history.close()
    expect(await exported(other)).toMatchObject({ written: 0, whole: true })
    const { written } = await exported(config)
    const refused = 'are of a history with another first change'
    expect(await problemOf(exported(other))).toContain(refused)
    const filled = openEmbeddedHistory({ directory: join(data.path, 'history') })
    const others = marketLives(60, 32).flat()
    await filled.record(others.map((change, offset) => ({ partition: 0, offset, change })))
    await filled.close()
    expect(await problemOf(exported(other))).toContain(refused)
    expect(await exported(config)).toMatchObject({ written: 0, kept: written, shrunk: 0 })
  } finally {
    data.drop()
  }
})

test('today is left, and said to be, unless it is asked for; it is written anew as it grows', async () => {
  const data = temporaryDirectory()
  const own = readConfig({ DATA_DIR: data.path })
  const folder = join(data.path, 'export')
  const observedAt = new Date().toISOString()
  const changes = CHANGES.slice(0, 4).map((change) => ({ ...change, observedAt }))
  const record = async (count: number) => {
    const history = openEmbeddedHistory({ directory: join(data.path, 'history') })
    const stored = changes.map((change, offset) => ({ partition: 0, offset, change }))
    await history.record(stored.slice(0, count))
    await history.close()
  }
  const written: [view: string, rows: number][] = []
  const onFile = async (file: string, rows: number) => {
    if (file.includes('order_transitions')) written.push([basename(file), rows])
  }
  const { signal } = new AbortController()
  try {
    await record(2)
    const left = await exportHistory(own, folder, { onFile }, signal)
    expect(left).toMatchObject({ whole: true, isTodayLeft: true })
    expect(written).toEqual([])
    for (const count of [2, 4]) {
      await record(count)
      const asked = await exportHistory(own, folder, { onFile, withToday: true }, signal)
      expect(asked).toMatchObject({ whole: true, isTodayLeft: false })
    }
    const name = `${observedAt.slice(0, 10)}.parquet`
    expect(written).toEqual([
      [name, 2],
      [name, 4],
    ])
  } finally {
    data.drop()
  }
})
