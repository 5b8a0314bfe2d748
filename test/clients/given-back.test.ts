import { getEventListeners, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMarketClient, type MarketClientOptions } from '../../clients/typescript/src/index.ts'
import { recordedTiming } from '../support/http/recorded-timing.ts'

// Whatever the client holds until an answer ends is given back, however that ends: the connection, and
// what it listens to the caller's signal with. Services are scripted: raw ones, and those of a fetch
// that heeds no abort once there are headers, as some have it.

const SNAPSHOT = 'id: a\nevent: snapshot\ndata: {"orders":[],"total":0,"hasMore":false}\n\n'
const STREAM = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n'
const HEALTH = '/api/market/health'
/** One byte of nine. */
const BEGUN = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{'
const REASON = new Error('the page is closed')

let stop: AbortController
beforeEach(() => {
  stop = new AbortController()
})
const listeners = () => getEventListeners(stop.signal, 'abort').length

/** Reads items until it fails, or has one. */
async function follow(made: MarketClientOptions, silentMs: number): Promise<unknown> {
  const client = createMarketClient(made)
  const options = { signal: stop.signal, silentMs, attempts: 1 }
  try {
    for await (const item of client.follow({}, options)) return item.type
    return 'ended'
  } catch (error) {
    return (error as Error).name
  }
}

describe('on a raw connection', () => {
  let sockets: Set<Socket>
  let begin: (socket: Socket) => void
  let server: ReturnType<typeof createServer>
  let baseUrl: string
  beforeEach(async () => {
    sockets = new Set()
    server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      socket.once('data', () => begin(socket))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  /** Enough, however busy the machine is, unless it is to be too late. */
  const patience = (outcome: string) => (outcome === 'TimeoutError' ? 500 : 30_000)
  const made = (attemptMs = 30_000) => ({
    baseUrl,
    timing: recordedTiming(),
    attempts: 1,
    attemptMs,
  })
  const nothingHeld = async () => {
    await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(0)
    expect(listeners()).toBe(0)
  }

  test.each<[what: string, begin: (socket: Socket) => void, outcome: string]>([
    ['with the loop', (socket) => socket.write(STREAM + SNAPSHOT), 'snapshot'],
    ['by RST', (socket) => socket.write(STREAM, () => socket.resetAndDestroy()), 'NetworkError'],
    ['in silence', (socket) => socket.write(STREAM), 'TimeoutError'],
    ['before it begins', () => {}, 'TimeoutError'],
    [
      'since it is none',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>'),
      'UnexpectedAnswerError',
    ],
    [
      'since it is refused without an end',
      (socket) => socket.write('HTTP/1.1 400 No\r\ncontent-length: 9\r\n\r\n{'),
      'TimeoutError',
    ],
  ])('a stream ends %s', async (_, how, outcome) => {
    begin = how
    const ms = patience(outcome)
    expect(await follow(made(ms), ms)).toBe(outcome)
    await nothingHeld()
  })

  test.each<[what: string, begin: (socket: Socket) => void, outcome: string]>([
    ['before it begins', () => {}, 'TimeoutError'],
    ['in its middle', (socket) => socket.write(BEGUN), 'TimeoutError'],
    [
      'byte by byte',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n')
        const more = setInterval(() => socket.write(' '), 50)
        socket.on('close', () => clearInterval(more))
      },
      'TimeoutError',
    ],
    ['by RST', (socket) => socket.write(BEGUN, () => socket.resetAndDestroy()), 'NetworkError'],
    [
      'since it is too long',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${' '.repeat(2_000)}`),
      'UnexpectedAnswerError',
    ],
  ])('an answer ends %s', async (_, how, outcome) => {
    begin = how
    const client = createMarketClient({ ...made(patience(outcome)), maxAnswerBytes: 1_000 })
    await expect(client.get(HEALTH, { signal: stop.signal })).rejects.toMatchObject({
      name: outcome,
    })
    await nothingHeld()
  })

  test.each([
    ['before its first event', STREAM],
    ['after it', STREAM + SNAPSHOT],
  ])('a stream is aborted %s', async (_, begun) => {
    begin = (socket) => socket.write(begun, () => stop.abort(REASON))
    const stream = createMarketClient(made()).follow({}, { signal: stop.signal })
    const reading = (async () => {
      for await (const { type } of stream) expect(type).toBe('snapshot')
    })()
    await expect(reading).rejects.toBe(REASON)
    await nothingHeld()
  })

  test('an answer is aborted', async () => {
    begin = (socket) => socket.write(BEGUN, () => stop.abort(REASON))
    const reading = createMarketClient(made()).get(HEALTH, { signal: stop.signal })
    await expect(reading).rejects.toBe(REASON)
    await nothingHeld()
  })
})

describe('of a fetch that heeds no abort', () => {
  let opened: number
  let cancelled: number
  const fetching = (status: number, type: string, ...texts: string[]) => ({
    baseUrl: 'http://market.example',
    timing: recordedTiming(),
    attempts: 1,
    attemptMs: 200,
    fetch: async () => {
      opened += 1
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
        },
        cancel: () => {
          cancelled += 1
        },
      })
      return new Response(body, { status, headers: { 'content-type': type } })
    },
  })
  beforeEach(() => {
    opened = 0
    cancelled = 0
  })
  const EVENTS = 'text/event-stream'

  test.each([
    ['with the loop', fetching(200, EVENTS, SNAPSHOT), 'snapshot'],
    ['in silence', fetching(200, EVENTS, ': hello\n\n'), 'TimeoutError'],
    ['since it is none', fetching(200, 'text/html'), 'UnexpectedAnswerError'],
    [
      'since an event is no JSON',
      fetching(200, EVENTS, 'event: snapshot\ndata: {\n\n'),
      'UnexpectedAnswerError',
    ],
    ['since it is refused without an end', fetching(400, 'application/json', '{'), 'TimeoutError'],
  ])('the body of a stream is cancelled that ends %s', async (_, made, outcome) => {
    expect(await follow(made, 200)).toBe(outcome)
    expect([cancelled, listeners()]).toEqual([1, 0])
  })

  test('the body of a stream is cancelled that is aborted', async () => {
    const items = createMarketClient(fetching(200, EVENTS, SNAPSHOT))
      .follow({}, { signal: stop.signal })
      [Symbol.asyncIterator]()
    await items.next()
    const next = items.next()
    stop.abort(REASON)
    await expect(next).rejects.toBe(REASON)
    expect([cancelled, listeners()]).toEqual([1, 0])
  })

  test('the body of an answer is cancelled that does not end, or is aborted', async () => {
    const client = createMarketClient(fetching(200, 'application/json', '{'))
    const { signal } = stop
    await expect(client.get(HEALTH, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    const aborted = client.get(HEALTH, { signal })
    await expect.poll(() => opened).toBe(2)
    stop.abort(REASON)
    await expect(aborted).rejects.toBe(REASON)
    expect([cancelled, listeners()]).toEqual([2, 0])
  })
})
