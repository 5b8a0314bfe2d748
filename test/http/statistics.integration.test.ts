import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbeddedHistory } from '../../src/adapters/embedded/stores/history.ts'
import { addressOfScript } from '../../src/domain/script/address.ts'
import { parseMoment } from '../../src/domain/statistics/moment.ts'
import { STATISTIC_NAMES } from '../../src/domain/statistics/statistics.ts'
import type { StatisticRow, Statistics } from '../../src/ports/views/statistics.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { marketLives } from '../support/statistics/market-lives.ts'
import { naiveStatistics } from '../support/statistics/naive-statistics.ts'
import { naiveBook, namedHeights } from '../support/statistics/naive-versions.ts'
import { systemClock } from '../support/system-clock.ts'

const LIVES = marketLives(60, 31)
const NAIVE = naiveStatistics(LIVES)
const INSCRIPTION = String(NAIVE['stats_inscription']?.[0]?.['inscription_id'])
const TXID = String(NAIVE['stats_transaction']?.[0]?.['txid'])
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
const now = () => Date.parse('2026-01-31T12:00:00.000Z')

let asked: Parameters<Statistics['rows']>[]
/** While it is set, no statistic is answered. */
let held: Promise<void> | undefined
let it: TestApp
let end: () => Promise<void>
beforeAll(async () => {
  const { path, drop } = temporaryDirectory()
  const history = openEmbeddedHistory({ directory: path })
  await history.record(LIVES.flat().map((change, offset) => ({ partition: 0, offset, change })))
  const statistics = history.statistics()
  asked = []
  it = await openTestApp({
    http: { trustProxy: ['127.0.0.1'], rateLimits: { statistics: 100_000, read: 100_000 } },
    ports: {
      clock: { ...systemClock, now },
      statistics: {
        ...statistics,
        rows: async (...question) => {
          asked.push(question)
          await held
          return statistics.rows(...question)
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
afterAll(() => end())

const get = (name: string, query = ASKED[name] ?? JANUARY) =>
  it.get(`/api/market/stats/${name}?${query}`)

describe.each(STATISTIC_NAMES)('GET /stats/%s', (name) => {
  test('has rows as described, in pages that neither miss nor repeat one', async () => {
    const query = ASKED[name] ?? JANUARY
    const whole = await get(name, `${query}&limit=1000`)
    expect(whole.statusCode, whole.body).toBe(200)
    const { rows, hasMore, nextCursor } = whole.json()
    expect(rows.length).toBeGreaterThan(0)
    expect([hasMore, nextCursor]).toEqual([false, ''])
    const limit = Math.max(1, Math.ceil(rows.length / 3))
    const walked: unknown[] = []
    for (let cursor = ''; ; ) {
      const page = await get(name, `${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
      const body = page.json()
      walked.push(...body.rows)
      expect(page.headers.link !== undefined).toBe(body.hasMore)
      if (!body.hasMore) break
      cursor = body.nextCursor
    }
    expect(walked).toEqual(rows)
  })
})

describe('a statistic', () => {
  test('is read once for all identical requests, and has a validator', async () => {
    asked.length = 0
    const answers = await Promise.all([1, 2, 3].map(() => get('verdicts', `${JANUARY}&limit=7`)))
    expect(asked).toHaveLength(1)
    const etag = String(answers[0]?.headers.etag)
    const again = await it.get(`/api/market/stats/verdicts?${JANUARY}&limit=7`, {
      'if-none-match': etag,
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  test('of one network waits for one of another, not for all that wait there', async () => {
    asked.length = 0
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    const from = (network: number, limit: number) =>
      it.get(`/api/market/stats/verdicts?${JANUARY}&limit=${limit}`, {
        'x-forwarded-for': `100.64.${network}.7`,
      })
    const flood = [101, 102, 103, 104].map((limit) => from(1, limit))
    await expect.poll(() => asked.length).toBe(1)
    const other = from(2, 105)
    // Once a later request was answered, all of these wait.
    await it.get('/api/market/catalog')
    held = undefined
    release()
    const answers = await Promise.all([...flood, other])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
    expect(asked.map(([, { limit }]) => limit)).toEqual([101, 102, 105, 103, 104])
  })

  test('says its range: the default one, or the requested one', async () => {
    expect((await get('verdicts', '')).json()).toMatchObject({
      from: '2026-01-02T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
    })
    expect((await get('market')).json()).toMatchObject({ from: null, to: null })
    expect((await get('sales', 'from=2026-01-30T06:00:00Z')).json()).toMatchObject({
      from: '2026-01-30T06:00:00.000Z',
    })
  })

  test('of a seller is by its script; anything else is refused', async () => {
    const { rows } = (await get('sellers')).json()
    const [{ seller_script_hex: script }] = rows
    const byScript = (await get('sellers', `${JANUARY}&seller=${script}`)).json()
    expect(byScript.rows).toEqual([rows[0]])
    expect((await get('sellers', `${JANUARY}&seller=nobody`)).json()).toMatchObject({
      code: 'VALIDATION_FAILED',
    })
  })

  test.each(['book', 'sales', 'sellers'])('%s have the address of each script', async (name) => {
    const { rows } = (await get(name)).json()
    const scripts = rows.map((row: StatisticRow) => row['seller_script_hex'])
    expect(rows.map((row: StatisticRow) => row['seller_address'])).toEqual(
      scripts.map((script: string | null) => script && addressOfScript(script, 'regtest')),
    )
    expect(scripts.some((script: string | null) => script)).toBe(true)
  })

  test('volume ends with the present minute, and has no from', async () => {
    expect((await get('volume', '')).json()).toMatchObject({
      from: '2025-12-02T12:01:00.000Z',
      to: '2026-01-31T12:01:00.000Z',
    })
    const { rows, ...range } = (await get('volume', 'from=2026-01-01')).json()
    expect([rows.length, range.to]).toEqual([3, '2026-01-31T12:01:00.000Z'])
  })

  test.each([
    ['floor', '', 'floor would read everything: name its protocol or token'],
    ['depth', '', 'depth would read everything: name its protocol or token'],
    ['book', '', 'book would read everything: name its at'],
    ['inscription', '', 'inscription would read everything: name its inscription'],
    ['transaction', '', 'transaction would read everything: name its txid'],
    ['sales', 'from=2025-01-01', 'sales would read too much: at most 31 days at once'],
    [
      'candles',
      'interval=hour&from=2025-01-01&to=2026-01-01',
      'candles by hour would read too much: at most 31 days at once',
    ],
    ['verdicts', 'from=2026-01-02&to=2026-01-01', 'the range is empty: from is not before to'],
  ])('%s of too much is refused with the bound: %s', async (name, query, message) => {
    expect((await get(name, query)).json()).toMatchObject({
      statusCode: 400,
      code: 'VALIDATION_FAILED',
      message,
    })
  })

  test.each([
    ['from=yesterday', 'VALIDATION_FAILED'],
    ['from=2026-13-01', 'VALIDATION_FAILED'],
    ['from=2026-02-30', 'VALIDATION_FAILED'],
    ['to=2026-02-29T00:00:00Z', 'VALIDATION_FAILED'],
    ['to=2026-01-31T24:00:00Z', 'VALIDATION_FAILED'],
    ['limit=0', 'VALIDATION_FAILED'],
    ['limit=1001', 'VALIDATION_FAILED'],
    ['offset=5', 'OFFSET_NOT_SUPPORTED'],
    ['cursor=x', 'INVALID_CURSOR'],
  ])('asked with %s is refused: %s', async (query, code) => {
    expect((await get('verdicts', query)).json()).toMatchObject({ statusCode: 400, code })
  })

  /** Of the right form, but in no calendar. */
  const NO_DAYS = ['2026-02-30', '2026-04-31', '2025-02-29T00:00:00Z', '2026-01-12T24:00:00.000Z']

  test('as of a height or a time: anything else is refused', async () => {
    const heights = [...namedHeights(LIVES).keys()].toSorted((a, b) => a - b)
    for (const at of [String(heights[20]), '2026-01-12', '2026-01-12T06:00:00.001Z']) {
      const { rows } = (await get('book', `at=${at}&limit=1000`)).json()
      expect(rows).toHaveLength(naiveBook(LIVES, parseMoment(at)).length)
      expect(rows.length).toBeGreaterThan(0)
    }
    for (const at of [
      '',
      '-1',
      '1e3',
      '0x10',
      '01',
      '12345678901',
      '2026-02-30T',
      'now',
      ...NO_DAYS,
    ])
      expect((await get('book', `at=${at}`)).json()).toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  test.each([
    ['candles', 'interval=hour&from=2025-12-31T12:30:00Z&to=2026-01-31T12:30:00Z'],
    ['candles', 'interval=day&from=2023-01-27T12:30:00Z&to=2026-01-31T12:30:00Z'],
    ['candles', 'interval=week&from=2015-12-16&to=2026-02-01'],
    ...['sellers', 'time-to-settle', 'conflicts', 'verdicts', 'sources'].map(
      (name): [string, string] => [name, 'from=2025-01-30T12:00:00Z&to=2026-01-31T12:00:00Z'],
    ),
  ] satisfies [string, string][])(
    '%s of the longest range, widened to whole ones, has a second page: %s',
    async (name, query) => {
      const first = (await get(name, `${query}&limit=1`)).json()
      expect(first).toMatchObject({ hasMore: true, rows: [{}] })
      const second = (await get(name, `${query}&limit=1&cursor=${first.nextCursor}`)).json()
      expect(second).toMatchObject({ from: first.from, to: first.to, rows: [{}] })
      expect(second.rows).not.toEqual(first.rows)
    },
  )

  test('of another query accepts no cursor of this one', async () => {
    const { nextCursor } = (await get('verdicts', `${JANUARY}&limit=1`)).json()
    for (const other of [`from=2026-01-02&cursor=${nextCursor}`, `cursor=${nextCursor}`]) {
      expect((await get('verdicts', other)).json()).toMatchObject({ code: 'INVALID_CURSOR' })
    }
    expect((await get('sources', `${JANUARY}&cursor=${nextCursor}`)).statusCode).toBe(400)
  })
})

test('there is none by another name, and none while the history is unavailable', async () => {
  expect((await get('everything')).statusCode).toBe(404)
  const other = await openTestApp()
  const response = await other.get('/api/market/stats/market')
  expect(response.json()).toMatchObject({ statusCode: 503, code: 'HISTORY_UNAVAILABLE' })
  await other.close()
})
