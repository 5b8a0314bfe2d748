import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openEmbeddedHistory } from '../../src/adapters/embedded/stores/history.ts'
import { grouped } from '../../src/domain/grouped.ts'
import { STATISTIC_NAMES } from '../../src/domain/statistics/statistics.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { HistoryUnavailableError } from '../../src/ports/views/history.ts'
import {
  FILE_FORMATS,
  type StatisticRow,
  type Statistics,
} from '../../src/ports/views/statistics.ts'
import { blocksOf } from '../support/docs/blocks.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { marketLives } from '../support/statistics/market-lives.ts'
import { naiveStatistics } from '../support/statistics/naive-statistics.ts'
import { systemClock } from '../support/system-clock.ts'

const LIVES = marketLives(120, 31)
const INSCRIPTION = String(naiveStatistics(LIVES)['stats_inscription']?.[0]?.['inscription_id'])
const TXID = String(naiveStatistics(LIVES)['stats_transaction']?.[0]?.['txid'])
const JANUARY = 'from=2026-01-01&to=2026-02-01'
const ASKED: Record<string, string> = {
  book: 'at=2026-01-12',
  market: '',
  depth: 'protocol=inscriptions',
  floor: `protocol=inscriptions&${JANUARY}`,
  inscription: `inscription=${INSCRIPTION}`,
  transaction: `txid=${TXID}`,
  volume: 'to=2026-01-20',
}
const NOW = Date.parse('2026-01-31T12:00:00.000Z')

type Made = Awaited<ReturnType<Statistics['file']>>

let made: number
/** Instead of the history, if it is there. */
let play: (() => Promise<Made>) | null
let it: TestApp
let end: () => Promise<void>
beforeAll(async () => {
  const { path, drop } = temporaryDirectory()
  const history = openEmbeddedHistory({ directory: path })
  await history.record(LIVES.flat().map((change, offset) => ({ partition: 0, offset, change })))
  const statistics = history.statistics()
  it = await openTestApp({
    http: {
      trustProxy: ['127.0.0.1'],
      rateLimits: { statistics: 100_000, statisticFile: 12, read: 100_000 },
      clientsAtOnce: 1_000,
      reading: { ...DEFAULT_HTTP_SETTINGS.reading, answerMs: 2_000, bytesPerSecond: 10 ** 9 },
    },
    ports: {
      clock: { ...systemClock, now: () => NOW },
      statistics: {
        ...statistics,
        rows: (...question) => statistics.rows(...question),
        file: (...question) => {
          made += 1
          return play ? play() : statistics.file(...question)
        },
      },
    },
  })
  end = async () => {
    await it.close()
    await history.close()
    drop()
  }
})
beforeEach(() => {
  made = 0
  play = null
})
afterAll(() => end())

const STATS = '/api/market/stats'
/** Each test is another client. */
let client = 0
const get = (path: string, headers: Record<string, string> = {}) =>
  it.get(`${STATS}/${path}`, { 'x-forwarded-for': `10.${client}.0.1`, ...headers })
beforeEach(() => {
  client += 1
})

/** RFC 4180: quotes are doubled in a quoted cell; an empty cell is null, an empty quoted one is ''. */
const rowsOfCsv = (text: string): (string | null)[][] =>
  text
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) =>
      [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
        quoted === undefined ? plain || null : quoted.replaceAll('""', '"'),
      ),
    )

describe.each(STATISTIC_NAMES)('GET /stats/%s', (name) => {
  const query = ASKED[name] ?? JANUARY

  test('.csv has the rows of its pages, and null as an empty cell', async () => {
    const { rows } = (await get(`${name}?${query}&limit=1000`)).json()
    const file = await get(`${name}.csv?${query}`)
    expect(file.statusCode, file.body).toBe(200)
    expect(file.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(`^attachment; filename="${name}(_2.*)?\\.csv"$`),
      'content-length': String(file.rawPayload.length),
      'cache-control': 'no-cache',
    })
    const [columns = [], ...found] = rowsOfCsv(file.body)
    expect(file.body).not.toContain(String.raw`\N`)
    expect(found).toEqual(
      rows.map((row: StatisticRow) => columns.map((column) => cellOf(row[String(column)]))),
    )
  })

  test('.parquet is a whole file', async () => {
    const { rawPayload, headers } = await get(`${name}.parquet?${query}`)
    expect(headers['content-type']).toBe('application/vnd.apache.parquet')
    expect(String(rawPayload.subarray(0, 4))).toBe('PAR1')
    expect(String(rawPayload.subarray(-4))).toBe('PAR1')
  })
})

/** Arrays are in ClickHouse's own form. */
function cellOf(value: StatisticRow[string] | undefined): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `[${value.map((one) => `'${one}'`).join(',')}]`
  return String(value)
}

describe('a file of a statistic', () => {
  test('that is asked for again within a minute is read once, by all who ask', async () => {
    const ask = () => get(`verdicts.csv?${JANUARY}&limit=7`)
    const [first, second] = await Promise.all([ask(), ask()])
    expect([made, second?.body]).toEqual([1, first?.body])
    const etag = String(first?.headers.etag)
    expect(await get(`verdicts.csv?${JANUARY}&limit=7`, { 'if-none-match': etag })).toMatchObject({
      statusCode: 304,
      body: '',
    })
    expect(made).toBe(1)
  })

  test.each([
    [
      'sellers.csv?from=2026-01-31T12:00:00Z&to=2026-01-31T13:00:00Z',
      'sellers_2026-01-31_2026-02-01.csv',
    ],
    [
      'sales.parquet?from=2026-01-31&to=2026-01-31T13:30:00Z',
      'sales_2026-01-31_2026-01-31T133000Z.parquet',
    ],
    ['market.csv?', 'market.csv'],
  ])('%s is named by the range that it has: %s', async (path, name) => {
    const { headers } = await get(path)
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`)
  })

  test('is read in ranges of the same bytes, and HEAD says how many there are', async () => {
    const path = `sales.parquet?${JANUARY}&limit=77`
    const { rawPayload: whole, headers } = await get(path)
    const head = await it.app.inject({ method: 'HEAD', url: `${STATS}/${path}` })
    expect(head.headers).toMatchObject({
      'content-length': String(whole.length),
      'accept-ranges': 'bytes',
      etag: headers.etag,
    })
    const last = await get(path, { range: 'bytes=-8' })
    expect(last.statusCode).toBe(206)
    expect(last.headers['content-range']).toBe(
      `bytes ${whole.length - 8}-${whole.length - 1}/${whole.length}`,
    )
    expect(last.rawPayload).toEqual(whole.subarray(-8))
    const other = await get(path, { range: 'bytes=-8', 'if-range': '"another"' })
    expect([other.statusCode, other.rawPayload]).toEqual([200, whole])
    const beyond = await get(path, { range: `bytes=${whole.length}-` })
    expect(beyond.json()).toMatchObject({ statusCode: 416, code: 'RANGE_NOT_SATISFIABLE' })
    expect(beyond.headers['content-range']).toBe(`bytes */${whole.length}`)
    expect(beyond.headers['content-disposition']).toBeUndefined()
    expect(made).toBe(1)
  })

  test('has all rows or is refused; its first rows are a file where a limit asks for them', async () => {
    play = async () => ({ bytes: Buffer.from('day\n'), isWhole: false })
    expect((await get('verdicts.csv')).json()).toMatchObject({
      statusCode: 400,
      message:
        'verdicts would be a file of more than 10000 rows: name a shorter range (from, to), or a limit',
    })
    expect((await get('market.csv?token=x')).json()).toMatchObject({
      message: 'market would be a file of more than 10000 rows: name a filter, or a limit',
    })
    expect((await get('verdicts.csv?limit=9')).statusCode).toBe(200)
    play = async () => ({ bytes: Buffer.alloc(16_777_217), isWhole: true })
    expect((await get('verdicts.parquet')).json()).toMatchObject({ statusCode: 400 })
  })

  test.each([
    ['depth.csv', 'depth would read everything: name its protocol or token'],
    ['book.parquet', 'book would read everything: name its at'],
    ['verdicts.csv?token=x', 'verdicts has no token'],
    ['volume.csv?from=2026-01-01', 'volume reads 60 days: it has no from, only to'],
    ['sales.csv?from=2025-01-01', 'sales would read too much: at most 31 days at once'],
    ['sales.csv?limit=10001', 'limit: must be a decimal number from 1 to 10000'],
    ['sales.csv?form=2026-01-01', 'form: unknown parameter, did you mean from?'],
  ])('%s is refused: %s', async (path, message) => {
    expect((await get(path)).json()).toMatchObject({ code: 'VALIDATION_FAILED', message })
    expect(made).toBe(0)
  })

  test('is there by no other name or form', async () => {
    expect((await get('everything.csv')).statusCode).toBe(400)
    expect((await get('sales.json')).statusCode).toBe(404)
  })

  test('is a failure as of any statistic, and nothing is kept of that', async () => {
    play = () => Promise.reject(new HistoryUnavailableError('away'))
    const { statusCode, headers, json } = await get('verdicts.csv?limit=99')
    expect([statusCode, headers['content-disposition']]).toEqual([503, undefined])
    expect(json()).toMatchObject({ code: 'HISTORY_UNAVAILABLE' })
    play = null
    expect((await get('verdicts.csv?limit=99')).statusCode).toBe(200)
  })

  test('costs a client one of its files only where it has to be made', async () => {
    play = async () => ({ bytes: Buffer.from('day\n'), isWhole: true })
    const ask = (n: number) => get(`verdicts.csv?limit=${100 + n}`)
    for (let n = 0; n < 12; n += 1) expect((await ask(n)).statusCode).toBe(200)
    expect((await ask(0)).statusCode).toBe(200)
    expect((await get('verdicts.csv?limit=999')).json()).toMatchObject({
      code: 'MARKET_RATE_LIMITED',
    })
  })
})

let listening: Promise<number> | undefined
const port = (): Promise<number> => {
  listening ??= it.listen()
  return listening
}

test('SQL of one’s own joins the listing with what was sold, by their addresses', async () => {
  const pricesIn = async (query: string, isMeant: (row: StatisticRow) => boolean) => {
    const rows: StatisticRow[] = (await get(`${query}&limit=1000`)).json().rows
    const priced = rows.filter((row) => isMeant(row) && row['gross_price_sats'] !== null)
    const all = [...grouped(priced, (row) => row['protocol_id'])]
    return new Map(all.map(([market, of]) => [market, of.map(priceOf).toSorted(rising)]))
  }
  const asks = await pricesIn('book?at=2026-01-15', ({ side }) => side === 'ASK')
  const sold = await pricesIn(
    'sales?from=2026-01-01&to=2026-01-15',
    (row) => row['is_counted'] === true,
  )
  const expected = [...asks].flatMap(([market, [floor]]) => {
    const sales = sold.get(market) ?? []
    const median = sales[Math.trunc(sales.length / 2)]
    if (typeof market !== 'string' || median === undefined) return []
    return [{ protocol_id: market, floor_sats: Number(floor), median_sats: Number(median) }]
  })
  expect(expected.length).toBeGreaterThan(1)

  const address = `http://127.0.0.1:${await port()}`
  const sql = blocksOf('docs/sql-for-analysts.md')
    .at(-1)
    ?.text.replaceAll('http://127.0.0.1:8080', address)
    .replaceAll('2026-11', '2026-01')
  // Another process: an engine that has nothing of the history but its address.
  const program = "console.log(require('chdb').query(process.argv[1], 'JSONEachRow'))"
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, String(sql)])
  const found = stdout.split('\n').filter((line) => line !== '')
  expect(found.map((line) => JSON.parse(line))).toEqual(
    expected.toSorted((a, b) => (a.protocol_id < b.protocol_id ? -1 : 1)),
  )
})

const priceOf = (row: StatisticRow): bigint => BigInt(String(row['gross_price_sats']))
const rising = (a: bigint, b: bigint): number => (a < b ? -1 : 1)

test('a reader of a byte now and then is disconnected, and the file is not held for it', async () => {
  play = async () => ({ bytes: Buffer.alloc(8_000_000, 'x'), isWhole: true })
  const socket = connect(await port(), '127.0.0.1')
  socket.pause()
  socket.write(`GET ${STATS}/sources.csv HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 10.0.0.1\r\n\r\n`)
  const reading = setInterval(() => socket.read(1), 50)
  const ended = once(socket, 'close')
  const unread = async () =>
    (await it.registry.getSingleMetric('market_http_unread_bytes')?.get())?.values[0]?.value
  await vi.waitFor(async () => expect(await unread()).toBeGreaterThan(1_000_000), 30_000)
  await vi.waitFor(async () => expect(await unread()).toBe(0), 30_000)
  clearInterval(reading)
  socket.resume()
  await ended
})

test.each(FILE_FORMATS)('there is no %s while the history is unavailable', async (format) => {
  const other = await openTestApp()
  const response = await other.get(`${STATS}/market.${format}`)
  expect(response.json()).toMatchObject({ statusCode: 503, code: 'HISTORY_UNAVAILABLE' })
  await other.close()
})
