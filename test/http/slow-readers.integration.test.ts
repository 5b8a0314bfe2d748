import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Observable } from 'rxjs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import type { ReadingLimits } from '../../src/http/plugins/reading-speed.ts'
import type { CircleViews } from '../../src/ports/folds/circle-views.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toAnyHash } from '../support/ids.ts'
import { LiveLifecycle } from '../support/log/live-lifecycle.ts'
import { bookOf } from '../support/orders/order-book.ts'

/** Long, for a busy machine. */
const until = (holds: () => void | Promise<void>) => vi.waitFor(holds, 30_000)

const STREAM = '/api/market/activity/stream'
const SNAPSHOT = '/circles/snapshot'
/** 857 kB. */
const DESCRIPTION = '/openapi.json'
/** Requests for more than the buffers of both ends of a connection hold. */
const MANY = 16
const PIECE = Buffer.alloc(65_536, 'x')
const PIECES = 1_024

let it: TestApp
let port: number
let sockets: Socket[]

const STATE = { revision: 0, stateHash: toAnyHash('00'.repeat(32)), height: null, blockHash: null }
/** 64 MiB: only its size matters here. */
const graph: Partial<CircleViews> = {
  state: () => STATE,
  snapshot: () => ({
    state: STATE,
    pieces: Array<Buffer>(PIECES).fill(PIECE),
    length: PIECES * PIECE.length,
  }),
}

async function start(reading: Partial<ReadingLimits>, reference?: string): Promise<void> {
  sockets = []
  it = await openTestApp({
    ...(reference !== undefined && { reference }),
    circles: graph as CircleViews,
    http: { reading: { ...DEFAULT_HTTP_SETTINGS.reading, ...reading } },
  })
  port = await it.listen()
}
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await it.close()
})

/** Sends the bytes, and reads nothing. */
function send(bytes: string): Socket {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(bytes)
  return socket
}
const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

async function metricValue(metric: string, labels: Record<string, string> = {}): Promise<number> {
  const { values = [] } = (await it.registry.getSingleMetric(metric)?.get()) ?? {}
  const found = values.find((one) =>
    Object.entries(labels).every(([name, value]) => one.labels[name] === value),
  )
  return found?.value ?? 0
}
const dropped = (reason: string) => metricValue('market_http_dropped_answers_total', { reason })
const GAUGES = ['connections', 'streams', 'snapshots', 'unread_bytes'] as const
async function gauges(): Promise<Record<string, number>> {
  const read = GAUGES.map(async (name) => [name, await metricValue(`market_http_${name}`)] as const)
  return Object.fromEntries(await Promise.all(read))
}
const NOTHING = { connections: 0, streams: 0, snapshots: 0, unread_bytes: 0 }

describe('whoever does not read a whole answer', () => {
  test.each([
    ['of many pages', GET(DESCRIPTION).repeat(MANY)],
    ['of a snapshot', GET(SNAPSHOT)],
  ])(
    '%s is disconnected, however often a byte is read, and nothing of it is held',
    async (_, bytes) => {
      await start({ answerMs: 1_000, bytesPerSecond: 10 ** 9 })
      const readers = [send(bytes), send(bytes)]
      const reading = setInterval(() => {
        for (const socket of readers) socket.read(1)
      }, 20)
      await until(async () => expect(await dropped('slow')).toBe(2))
      clearInterval(reading)
      await until(async () => expect(await gauges()).toEqual(NOTHING))
    },
  )

  test('has a second more for each of so many bytes', async () => {
    await start({ answerMs: 1, bytesPerSecond: 1_000 })
    const fast = await fetch(`http://127.0.0.1:${port}${SNAPSHOT}`)
    expect((await fast.arrayBuffer()).byteLength).toBe(PIECES * PIECE.length)
    expect(await dropped('slow')).toBe(0)
  })

  test('of a stream is left to the limit of streams', async () => {
    await start({ answerMs: 500, bytesPerSecond: 10 ** 9 })
    const stream = send(GET(STREAM))
    await once(stream, 'readable')
    send(GET(DESCRIPTION).repeat(MANY))
    await until(async () => expect(await dropped('slow')).toBe(1))
    await until(async () =>
      expect(await gauges()).toEqual({ ...NOTHING, connections: 1, streams: 1 }),
    )
    expect(stream.closed).toBe(false)
  })
})

test('of the connections of a client with too much unread, the one that is slow for longest ends', async () => {
  await start({ clientBytes: 1_000_000 })
  send(GET(DESCRIPTION).repeat(MANY))
  await until(async () => expect(await metricValue('market_http_unread_bytes')).toBeGreaterThan(0))
  send(GET(DESCRIPTION).repeat(MANY))
  await until(async () => expect(await dropped('unread')).toBe(1))
  await until(async () => expect((await gauges())['connections']).toBe(1))
  expect(await dropped('slow')).toBe(0)
})

test('files of the reference that are not read count as unread, and end beyond the bound', async () => {
  const built = temporaryDirectory()
  mkdirSync(join(built.path, 'assets'))
  // More than the buffers of both ends of a connection hold.
  writeFileSync(join(built.path, 'index.html'), Buffer.alloc(8_388_608, 'x'))
  await start({ clientBytes: 9_000_000 }, built.path)
  built.drop()
  send(GET('/docs/'))
  await until(async () => expect(await metricValue('market_http_unread_bytes')).toBe(8_388_608))
  send(GET('/docs/'))
  await until(async () => expect(await dropped('unread')).toBe(1))
  await until(async () => expect((await gauges())['connections']).toBe(1))
})

test('what a slow stream holds counts as unread, and the stream ends beyond the bound', async () => {
  await start({ clientBytes: 50_000 })
  const lifecycle = new LiveLifecycle(it.gateway.log, it.gateway.views)
  const [order] = bookOf(1, 7)
  if (!order) throw new Error('the book is empty')
  const streams = [send(GET(STREAM)), send(GET(STREAM))]
  await until(async () => expect((await gauges())['streams']).toBe(2))
  // More than the buffers of both ends of a connection hold.
  for (let n = 0; (await dropped('unread')) === 0; n += 1) {
    const notes = [String(n).repeat(60_000)]
    await lifecycle.write(order, { notes, state: n % 2 === 0 ? 'SPENT' : 'LIVE' })
  }
  await until(async () => expect((await gauges())['streams']).toBe(1))
  expect(await metricValue('market_http_unread_bytes')).toBeGreaterThan(50_000)
  for (const stream of streams) stream.destroy()
  await until(async () => expect(await gauges()).toEqual(NOTHING))
  await lifecycle.close()
})

describe('nothing is held of a connection that ends by RST in the middle of', () => {
  test.each([
    ['a stream', GET(STREAM), 'streams'],
    ['a snapshot', GET(SNAPSHOT), 'snapshots'],
    ['a page', GET(DESCRIPTION).repeat(MANY), 'unread_bytes'],
  ] as const)('%s', async (_, bytes, gauge) => {
    await start({})
    const socket = send(bytes)
    await until(async () => expect((await gauges())[gauge]).toBeGreaterThan(0))
    socket.resetAndDestroy()
    await until(async () => expect(await gauges()).toEqual(NOTHING))
    const lines = it.logLines.map((line) => JSON.parse(line))
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'unanswered', statusCode: 200 }))
  })

  test('the opening of a stream, which is no failure of the service', async () => {
    await start({})
    // The log is not read to its end yet.
    let readers = 0
    it.gateway.changes = new Observable(() => {
      readers += 1
      return () => {
        readers -= 1
      }
    })
    const socket = send(GET(STREAM))
    await until(() => expect(readers).toBe(1))
    socket.resetAndDestroy()
    await until(() => expect(readers).toBe(0))
    await until(async () => expect(await gauges()).toEqual(NOTHING))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const lines = it.logLines.map((line) => JSON.parse(line))
    expect(lines.filter(({ level }) => level > 30)).toEqual([])
    expect(lines.map(({ msg }) => msg)).toContain('unanswered')
  })

  test('an upload', async () => {
    await start({})
    const path = '/api/market/orders/import'
    const socket = send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
        'idempotency-key: a-key\r\ncontent-length: 5000\r\n\r\n{"psbt":"',
    )
    await until(async () => expect((await gauges())['connections']).toBe(1))
    socket.resetAndDestroy()
    await until(async () => expect(await gauges()).toEqual(NOTHING))
    const again = await it.post(path, {}, { 'idempotency-key': 'a-key' })
    expect(again.json()).toMatchObject({ code: 'VALIDATION_FAILED' })
  })
})
