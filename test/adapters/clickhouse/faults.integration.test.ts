import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ClickHouseOptions,
  openClickHouseHistory,
} from '../../../src/adapters/clickhouse/clickhouse.ts'
import {
  type History,
  HistoryRefusedError,
  HistoryUnavailableError,
} from '../../../src/ports/views/history.ts'
import { ClickHouseServer, READER, WRITER } from '../../support/clickhouse/server.ts'
import { type Fault, type FaultyProxy, openFaultyProxy } from '../../support/faults/faulty-proxy.ts'
import { bookOf } from '../../support/orders/order-book.ts'
import { lifeOf } from '../../support/orders/order-changes.ts'

const MAX_MS = 2_000
let server: ClickHouseServer
let proxy: FaultyProxy
beforeAll(async () => {
  server = await ClickHouseServer.start()
  proxy = await openFaultyProxy(server.url)
})
afterAll(async () => {
  await proxy.close()
  await server.stop()
})

let database: string
let history: History
beforeEach(async () => {
  database = `market_${randomUUID().replaceAll('-', '')}`
  history = open()
  return async () => {
    proxy.decide(() => 'pass')
    await history.close()
    await server.query('default', `DROP DATABASE IF EXISTS ${database}`)
  }
})

const open = (options: Partial<ClickHouseOptions> & { access?: 'read' } = {}): History =>
  openClickHouseHistory({ url: proxy.url, ...WRITER, database, ...options })

const STORED = bookOf(20, 5).flatMap((order) =>
  lifeOf([order]).changes.map((change, index) => ({ partition: 0, offset: index, change })),
)

/** The error, once it was checked not to contain the password. */
async function failure(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => new Error('it worked'),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(HistoryUnavailableError)
  const told = inspect(error, { depth: 20, showHidden: true })
  expect(told).not.toContain(WRITER.password)
  expect(told).not.toContain(Buffer.from(`${WRITER.user}:${WRITER.password}`).toString('base64'))
  expect(error).not.toHaveProperty('cause')
  return error as Error
}

const isInsert = (address: URL) => address.searchParams.has('query')
const onInserts = (fault: Fault) =>
  proxy.decide(({ address }) => (isInsert(address) ? fault : 'pass'))
const exception = (status: number, code: number, words: string): Fault => ({
  status,
  headers: { 'x-clickhouse-exception-code': String(code), 'x-clickhouse-query-id': 'q' },
  body: `Code: ${code}. DB::Exception: ${words} (version 24.8.1.1 (official build))\n`,
})

describe('unavailable, and back', () => {
  test('killed: every use says so at once, and works when it runs again', async () => {
    await history.record(STORED)
    await server.kill()
    const uses = [
      () => history.probe(),
      () => history.activity({ limit: 1 }),
      () => history.record(STORED),
      () => history.verifyStored(),
      () => open({ url: server.url }).position(0),
    ]
    for (const use of uses) {
      const started = performance.now()
      expect((await failure(use())).message).toMatch(/^no answer from ClickHouse: /)
      expect(performance.now() - started).toBeLessThan(5_000)
    }
    await server.resume()
    await history.verifyStored()
    expect((await history.activity({ limit: 100 })).entries).toHaveLength(STORED.length)
  })

  test('silent: no query waits forever, whatever part of the answer is missing', async () => {
    const patient = open({ mostMs: MAX_MS })
    await patient.record(STORED.slice(0, 5))
    const silences: Fault[] = [
      'hang',
      { status: 200, headers: { 'content-length': '9', 'x-clickhouse-query-id': 'q' }, body: '{' },
    ]
    for (const silence of silences) {
      proxy.decide(() => silence)
      const late = `no answer from ClickHouse within ${MAX_MS} ms`
      expect((await failure(patient.activity({ limit: 1 }))).message).toBe(late)
      onInserts(silence)
      expect((await failure(patient.record(STORED))).message).toBe(late)
    }
    proxy.decide(() => 'pass')
    await patient.record(STORED)
    await patient.close()
  })

  test('cut: a connection that ends before or in its answer', async () => {
    await history.probe()
    proxy.decide(() => 'cut')
    expect((await failure(history.probe())).message).toMatch(/^no answer from ClickHouse: /)
    const half = gzipSync('{"1":1}\n').subarray(0, 12)
    proxy.decide(() => ({
      status: 200,
      headers: { 'content-encoding': 'gzip', 'x-clickhouse-query-id': 'q' },
      body: [half],
    }))
    expect((await failure(history.probe())).message).toMatch(/^no answer from ClickHouse: /)
    proxy.decide(() => 'pass')
    await history.probe()
  })

  test('an answer lost after the rows were stored: they count once', async () => {
    await history.probe()
    onInserts('lose')
    await failure(history.record(STORED))
    // The changes are the last that is written.
    proxy.decide(({ address }) =>
      isInsert(address) && address.search.includes('order_transition_rows') ? 'lose' : 'pass',
    )
    await failure(history.record(STORED))
    proxy.decide(() => 'pass')
    await history.record(STORED)
    const rows = await server.query(
      database,
      'SELECT count() AS n, uniqExact(order_id, seq) AS keys FROM order_transitions FORMAT JSONEachRow',
    )
    expect(rows).toEqual([{ n: STORED.length, keys: STORED.length }])
    expect((await history.activity({ limit: 100 })).entries).toHaveLength(STORED.length)
  })

  test('its database is dropped while it is open: the schema is created again', async () => {
    await history.record(STORED)
    await server.query('default', `DROP DATABASE ${database}`)
    await failure(history.record(STORED))
    expect(await history.position(0)).toBe(0)
    await history.record(STORED)
    expect((await history.activity({ limit: 100 })).entries).toHaveLength(STORED.length)
  })
})

describe('an exception', () => {
  test.each([
    [500, 241, '(total) memory limit exceeded: would use 3.60 GiB. (MEMORY_LIMIT_EXCEEDED)'],
    [500, 252, 'Too many parts (3000). Merges are slower than inserts. (TOO_MANY_PARTS)'],
    [500, 242, 'Table is in readonly mode. (TABLE_IS_READ_ONLY)'],
    [500, 243, 'Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)'],
    [408, 159, 'Timeout exceeded: elapsed 10.01 seconds. (TIMEOUT_EXCEEDED)'],
    [503, 209, 'Timeout exceeded while reading from socket. (SOCKET_TIMEOUT)'],
    [200, 394, 'Query was cancelled. (QUERY_WAS_CANCELLED)'],
  ])(
    'HTTP %i with code %i is reported in its words, and is transient',
    async (status, code, words) => {
      await history.probe()
      proxy.decide(() => exception(status, code, words))
      const told = `ClickHouse answered with code ${code}: ${words}`
      expect((await failure(history.activity({ limit: 1 }))).message).toBe(told)
      onInserts(exception(status, code, words))
      expect((await failure(history.record(STORED))).message).toBe(told)
      proxy.decide(() => 'pass')
      await history.record(STORED)
      expect(await history.position(0)).toBe(1)
    },
  )

  test('endless text is cut, and a password in it is not shown', async () => {
    proxy.decide(() => exception(500, 62, `near '${WRITER.password}' ${'x'.repeat(1_000_000)}`))
    const { message } = await failure(history.probe())
    expect(message).toMatch(/^ClickHouse answered with code 62: near '…' x+…$/)
    expect(message.length).toBeLessThan(500)
  })

  test('rights that are taken away while it is open are an outage, named', async () => {
    await history.probe()
    onInserts(exception(500, 164, 'market: Cannot execute query in readonly mode. (READONLY)'))
    expect((await failure(history.record(STORED))).message).toMatch(
      /^the ClickHouse user market is read-only: /,
    )
    proxy.decide(() =>
      exception(403, 516, 'market: Authentication failed: (AUTHENTICATION_FAILED)'),
    )
    expect(await failure(history.probe())).toBeInstanceOf(HistoryRefusedError)
    proxy.decide(() => 'pass')
    await history.record(STORED)
  })
})

describe('what is not ClickHouse', () => {
  const html = { 'content-type': 'text/html' }

  test.each<[string, Fault, string]>([
    [
      'a page of some other server',
      { status: 200, headers: html, body: '<html>' },
      'the server at CLICKHOUSE_URL is not ClickHouse',
    ],
    [
      'a proxy without its server',
      { status: 502, headers: html, body: '<html>' },
      'ClickHouse answered with HTTP 502',
    ],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
      'ClickHouse answered with HTTP 302',
    ],
  ])('%s takes no rows', async (_name, fault, message) => {
    await history.probe()
    proxy.decide(() => fault)
    expect((await failure(history.probe())).message).toBe(message)
    onInserts(fault)
    expect((await failure(history.record(STORED))).message).toBe(message)
  })

  test('rows that are not rows', async () => {
    proxy.decide(() => ({ status: 200, headers: { 'x-clickhouse-query-id': 'q' }, body: 'Ok.\n' }))
    expect((await failure(history.probe())).message).toBe(
      'ClickHouse sent an answer that is not JSON rows',
    )
  })

  test('an endless answer is abandoned, plain and compressed', async () => {
    await history.probe()
    let sent = 0
    const megabyte = Buffer.alloc(1_048_576, '{"a":1}\n')
    function* endless() {
      for (;;) {
        sent += 1
        yield megabyte
      }
    }
    const headers = { 'x-clickhouse-query-id': 'q' }
    proxy.decide(() => ({ status: 200, headers, body: endless() }))
    const tooLong = 'no answer from ClickHouse: the answer is longer than 33554432 bytes'
    expect((await failure(history.probe())).message).toBe(tooLong)
    expect(sent).toBeLessThan(64)
    const packed = gzipSync(Buffer.alloc(64 * 1_048_576))
    expect(packed.length).toBeLessThan(100_000)
    proxy.decide(() => ({
      status: 200,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: [packed],
    }))
    expect((await failure(history.probe())).message).toBe(tooLong)
  })
})

describe('at the start', () => {
  test('a wrong password and an unknown user are refused', async () => {
    for (const wrong of [{ password: 'another-password' }, { user: 'nobody' }]) {
      const error = await failure(open(wrong).probe())
      expect(error).toBeInstanceOf(HistoryRefusedError)
      expect(error.message).toMatch(
        /^ClickHouse rejected the user \w+ or its password: set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD \(/,
      )
      expect(error.message).not.toContain('another-password')
    }
  })

  test('a user who may only read is refused as a writer, and reads as a reader', async () => {
    await history.record(STORED)
    const writer = await failure(open(READER).probe())
    expect(writer).toBeInstanceOf(HistoryRefusedError)
    expect(writer.message).toMatch(/^the ClickHouse user analyst is read-only: set CLICKHOUSE_USER/)
    const reader = open({ ...READER, access: 'read' })
    expect((await reader.activity({ limit: 100 })).entries).toHaveLength(STORED.length)
    await reader.close()
    const strict = open({ user: 'dashboard', password: 'of-dashboards', access: 'read' })
    expect((await failure(strict.probe())).message).toMatch(
      /for reading set readonly = 2 \(Cannot modify/,
    )
  })

  test('a database that this user may not create is refused', async () => {
    const error = await failure(open({ user: 'tenant', password: 'of-tenants' }).probe())
    expect(error).toBeInstanceOf(HistoryRefusedError)
    expect(error.message).toMatch(
      /^the ClickHouse user tenant lacks a privilege: grant what "market acl clickhouse" prints, or set CLICKHOUSE_DATABASE to a database that user owns \(/,
    )
  })

  test('a reader waits for the database and the schema of a writer', async () => {
    const reader = open({ access: 'read' })
    const noDatabase = await failure(reader.probe())
    expect(noDatabase).not.toBeInstanceOf(HistoryRefusedError)
    expect(noDatabase.message).toBe(
      `ClickHouse has no database ${database} that the user ${WRITER.user} may see: the service that writes the history creates it when it starts; if it is there, grant what "market acl clickhouse" prints`,
    )
    await server.query('default', `CREATE DATABASE ${database}`)
    expect((await failure(reader.probe())).message).toMatch(/ lacks migration 0001-baseline\.sql: /)
    await history.probe()
    await reader.probe()
    await reader.close()
  })

  test('a schema that needs a newer release is waited for', async () => {
    await history.probe()
    await server.query(
      database,
      "INSERT INTO schema_migrations (version, name, checksum) VALUES (99, '0099-later.sql', '00')",
    )
    for (const access of [{}, { access: 'read' } as const]) {
      const error = await failure(open(access).probe())
      expect(error).not.toBeInstanceOf(HistoryRefusedError)
      expect(error.message).toBe(
        `the history has migration 99 (0099-later.sql) of a newer release, which this one cannot work with: start that release, or drop the database ${database}: it is refilled from the log`,
      )
    }
  })
})

test('what is sent: compressed, its values as parameters, nothing left in the memory of the server', async () => {
  await history.probe()
  const seen: { address: URL; body: Buffer }[] = []
  proxy.decide((request) => {
    seen.push(request)
    return 'pass'
  })
  const orderId = STORED[0]!.change.orderId
  await history.record(STORED)
  await history.activity({ limit: 3, orderId })
  const insert = seen.find(({ address }) => isInsert(address))!
  expect(insert.body.subarray(0, 2).toString('hex')).toBe('1f8b')
  expect(Object.fromEntries(insert.address.searchParams)).toMatchObject({
    database,
    query: 'INSERT INTO activity_rows FORMAT JSONEachRow',
    async_insert: '0',
    insert_deduplicate: '0',
    wait_end_of_query: '1',
  })
  const read = Object.fromEntries(seen.at(-1)!.address.searchParams)
  expect(read).toMatchObject({
    param_id: orderId,
    enable_http_compression: '1',
    max_execution_time: '10',
    wait_end_of_query: '1',
  })
  expect(seen.some(({ address }) => address.href.includes(WRITER.password))).toBe(false)
})
