import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

// What a client does on the wire, which inject cannot test.

/** Short for dripping clients, long for the others on a busy machine. */
const timeouts = { headers: 1_500, request: 3_000, idle: 3_500, keepAlive: 300, answer: 8_000 }
/** How late a busy machine may be; a client that is not cut off drips for ten seconds. */
const LATE_MS = 6_000
let it: TestApp
let port: number

beforeAll(async () => {
  it = await openTestApp({ http: { timeouts, rateLimits: { read: 100_000 } } })
  port = await it.listen()
})
afterAll(() => it.close())

interface Exchange {
  text: string
  ms: number
}

/** Sends bytes, one piece after another with a pause, and reads until the other side closes. */
function send(
  pieces: readonly (string | Buffer)[],
  { pauseMs = 0, to = port } = {},
): Promise<Exchange> {
  const begun = performance.now()
  return new Promise((resolve) => {
    const sendAll = async (socket: Socket) => {
      for (const piece of pieces) {
        if (socket.destroyed) break
        socket.write(piece)
        if (pauseMs > 0) await delay(pauseMs)
      }
    }
    let text = ''
    const socket = connect(to, '127.0.0.1')
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ text, ms: performance.now() - begun }))
    socket.on('connect', () => void sendAll(socket))
  })
}

const statusOf = ({ text }: Exchange): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
const envelopeOf = ({ text }: Exchange): ErrorResponse =>
  ErrorResponse.parse(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)))
const GET = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'host: x', ...headers].join('\r\n')}\r\n\r\n`
const POST = (headers: readonly string[], body: string) =>
  `${['POST /api/market/orders/import HTTP/1.1', 'host: x', 'content-type: application/json', ...headers].join('\r\n')}\r\n\r\n${body}`

describe('bytes that never become a request are answered with the envelope', () => {
  test.each<[string, string | Buffer, number, string]>([
    ['not HTTP', 'hello\r\n\r\n', 400, 'BAD_REQUEST'],
    ['binary', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1]), 400, 'BAD_REQUEST'],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown method', 'STEAL / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a NUL in a header', GET('/livez', 'a: b\0c'), 400, 'BAD_REQUEST'],
    ['a folded header', GET('/livez', 'a: b', ' c: d'), 400, 'BAD_REQUEST'],
    ['17 kB of headers', GET('/livez', `a: ${'b'.repeat(17_000)}`), 431, 'HEADERS_TOO_LARGE'],
    ['a target of 17 kB', GET(`/${'p'.repeat(17_000)}`), 431, 'HEADERS_TOO_LARGE'],
  ])('%s', async (_name, bytes, status, code) => {
    const answer = await send([bytes])
    expect(statusOf(answer)).toBe(status)
    expect(envelopeOf(answer)).toMatchObject({ statusCode: status, code })
    expect(answer.text).not.toMatch(/ {4}at /)
  })
})

test('a space in a header name is refused; the parser of Node 20.19 takes it, as a name that means nothing', async () => {
  const answer = await send([GET('/livez', 'a b: c', 'connection: close')])
  const isTaken = process.versions.node.startsWith('20.19.')
  expect(statusOf(answer)).toBe(isTaken ? 200 : 400)
})

test('a flood of what is no request waits as refusals of a limit do, and is not read', async () => {
  const clock = new ManualClock()
  const flooded = await openTestApp({ ports: { clock } })
  const to = await flooded.listen()
  const statuses: number[] = []
  for (let n = 0; n < 250; n += 1) {
    void send([n % 2 ? 'hello\r\n\r\n' : GET(`/${'p'.repeat(17_000)}`)], { to }).then((answer) =>
      statuses.push(statusOf(answer)),
    )
  }
  await expect.poll(() => statuses.length).toBe(200)
  const fat = connect(to, '127.0.0.1')
  fat.write(GET('/livez', `a: ${'b'.repeat(32 * 2 ** 20)}`))
  fat.on('error', () => undefined)
  await delay(500)
  expect(fat.writableLength).toBeGreaterThan(2 ** 20)
  expect(statuses).toHaveLength(200)
  clock.advance(1_000)
  await expect.poll(() => statuses.length).toBe(250)
  expect(new Set(statuses)).toEqual(new Set([400, 431]))
  await expect.poll(() => fat.closed).toBe(true)
  await flooded.close()
})

test('a flood of paths that are not percent-encoded UTF-8 waits as one of unknown paths does', async () => {
  const clock = new ManualClock()
  const flooded = await openTestApp({ ports: { clock } })
  const to = await flooded.listen()
  const statuses: number[] = []
  for (let n = 0; n < 250; n += 1) {
    void send([GET(`/${'%/'.repeat(n)}%`, 'connection: close')], { to }).then((answer) =>
      statuses.push(statusOf(answer)),
    )
  }
  await expect.poll(() => statuses.length).toBe(200)
  await delay(300)
  expect(statuses).toHaveLength(200)
  clock.advance(1_000)
  await expect.poll(() => statuses.length).toBe(250)
  expect(new Set(statuses)).toEqual(new Set([404]))
  await flooded.close()
})

describe('what is no request does not get into an answer that has begun', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['headers that never end', 'GET / HTTP/1.1\r\nhost: x\r\n'],
    ['a CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('%s', async (_name, bytes) => {
    const { text } = await send([GET('/api/market/activity/stream'), bytes], { pauseMs: 500 })
    expect(text).toContain('event: snapshot')
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })
})

describe('a request that two servers could read differently is refused', () => {
  const body = '{}'
  test.each<[string, string]>([
    ['two lengths', POST(['content-length: 2', 'content-length: 7'], body)],
    ['a list of lengths', POST(['content-length: 2, 7'], body)],
    ['a signed length', POST(['content-length: +2'], body)],
    ['a hexadecimal length', POST(['content-length: 0x2'], body)],
    [
      'a length and chunks',
      POST(['content-length: 2', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'),
    ],
    ['chunked twice removed', POST(['transfer-encoding: chunked, identity'], body)],
    ['an unknown transfer coding', POST(['transfer-encoding: xchunked'], body)],
    ['a space before the colon', POST(['content-length : 2'], body)],
    ['a bare line feed in a chunk', POST(['transfer-encoding: chunked'], '2\n{}\n0\n\n')],
    ['an invalid chunk size', POST(['transfer-encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')],
  ])('%s', async (_name, bytes) => {
    const answer = await send([bytes])
    expect(statusOf(answer)).toBe(400)
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  test('what follows a refused request on its connection is not answered', async () => {
    const smuggled = GET('/api/market/catalog')
    const answer = await send([
      POST(['content-length: 2', 'transfer-encoding: chunked'], `0\r\n\r\n${smuggled}`),
    ])
    expect(answer.text).not.toContain('verificationScope')
  })

  test('X-Request-Id cannot split an answer', async () => {
    const answer = await send([
      GET('/livez', 'x-request-id: a\x0bSet-Cookie: b', 'connection: close'),
    ])
    expect(answer.text.toLowerCase()).not.toContain('set-cookie')
  })
})

describe('slow clients', () => {
  test('headers that drip are cut off', async () => {
    const answer = await send([...GET('/livez', 'x: y'.repeat(50))], { pauseMs: 50 })
    expect(answer.ms).toBeLessThan(timeouts.headers + LATE_MS)
    expect(statusOf(answer)).toBe(408)
    expect(envelopeOf(answer)).toMatchObject({ code: 'REQUEST_TIMEOUT' })
  })

  test('a body that drips is cut off', async () => {
    const answer = await send([POST(['content-length: 5000'], ''), ...'x'.repeat(200)], {
      pauseMs: 50,
    })
    expect(answer.ms).toBeLessThan(timeouts.request + LATE_MS)
    expect(statusOf(answer)).toBe(408)
  })

  test('a connection on which nothing is sent is closed', async () => {
    expect((await send([])).ms).toBeLessThan(timeouts.idle + LATE_MS)
  })

  test('an idle kept-alive connection is closed', async () => {
    const answer = await send([GET('/livez')])
    expect(statusOf(answer)).toBe(200)
    expect(answer.ms).toBeLessThan(timeouts.keepAlive + LATE_MS)
  })

  test('a client that sends requests and never reads is disconnected', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => undefined)
    const many = GET('/api/market/catalog').repeat(20)
    socket.on('connect', () => {
      for (let round = 0; round < 100 && !socket.destroyed; round += 1) socket.write(many)
    })
    await delay(timeouts.idle + 1_500)
    socket.resume()
    await ended
    expect(socket.destroyed).toBe(true)
  })

  test('1,000 idle connections do not keep others from being answered', async () => {
    const app = await openTestApp()
    const patient = await app.listen()
    const idle = Array.from({ length: 1_000 }, () => connect(patient, '127.0.0.1'))
    for (const socket of idle) socket.on('error', () => undefined)
    const begun = performance.now()
    const response = await fetch(`http://127.0.0.1:${patient}/api/market/health`)
    expect(response.status).toBe(200)
    // While they are open.
    expect(performance.now() - begun).toBeLessThan(DEFAULT_HTTP_SETTINGS.timeouts.idle)
    for (const socket of idle) socket.destroy()
    await app.close()
  })
})

describe('the rest of HTTP/1.1', () => {
  test('no Host, an unknown Expect and an Upgrade are treated as a plain request', async () => {
    for (const header of ['expect: cookies', 'upgrade: websocket', 'x: y']) {
      const answer = await send([`GET /livez HTTP/1.1\r\n${header}\r\nconnection: close\r\n\r\n`])
      expect(statusOf(answer)).toBe(200)
    }
  })

  test('CONNECT is refused like any other method that a path does not have', async () => {
    const answer = await send(['CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n'])
    expect(statusOf(answer)).toBe(405)
    expect(envelopeOf(answer)).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
  })

  test('HTTP/1.0 is answered and closed', async () => {
    expect(statusOf(await send(['GET /livez HTTP/1.0\r\n\r\n']))).toBe(200)
  })

  test('304 has no body and HEAD has none', async () => {
    const first = await send([GET('/api/market/catalog', 'connection: close')])
    const etag = /etag: (\S+)/i.exec(first.text)?.[1]
    const second = await send([
      GET('/api/market/catalog', `if-none-match: ${etag}`, 'connection: close'),
    ])
    expect(statusOf(second)).toBe(304)
    expect(second.text.endsWith('\r\n\r\n')).toBe(true)
    const head = await send([
      'HEAD /api/market/catalog HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    ])
    expect(statusOf(head)).toBe(200)
    expect(head.text.endsWith('\r\n\r\n')).toBe(true)
  })

  test.each(['GET', 'HEAD'])('304 of %s has no length, and no type', async (method) => {
    const built = temporaryDirectory()
    mkdirSync(join(built.path, 'assets'))
    writeFileSync(join(built.path, 'index.html'), '<!doctype html><title>The API</title>')
    const file = async () => ({ bytes: Buffer.from('token\n'), isWhole: true })
    const whole = await openWholeApp({
      ports: { statistics: { rows: async () => ({ rows: [], next: null }), file } },
      reference: built.path,
    })
    const to = await whole.listen()
    const ask = (path: string, ...headers: string[]) =>
      send([GET(path, 'connection: close', ...headers).replace('GET', method)], { to })
    const [page, snapshot, csv] = ['/docs/', '/circles/snapshot', '/api/market/stats/market.csv']
    for (const path of ['/api/market/catalog', '/openapi.json', page, snapshot, csv]) {
      const first = await ask(path)
      expect([path, statusOf(first)]).toEqual([path, 200])
      const etag = /etag: (\S+)/i.exec(first.text)?.[1]
      const { text } = await ask(path, `if-none-match: ${etag}`)
      expect(text, path).toMatch(/^HTTP\/1.1 304 /)
      expect(text, path).not.toMatch(/^(?:content-length|content-type|transfer-encoding):/im)
      expect(text.endsWith('\r\n\r\n'), path).toBe(true)
    }
    await whole.close()
    built.drop()
  })

  test('pipelined requests are answered in order', async () => {
    const answer = await send([
      GET('/livez', 'x-request-id: 1') + GET('/nowhere', 'x-request-id: 2', 'connection: close'),
    ])
    expect([...answer.text.matchAll(/x-request-id: (\d)/gi)].map(([, id]) => id)).toEqual([
      '1',
      '2',
    ])
  })
})

test('the time-outs of a default app leave room for the wait for a verdict', () => {
  const VERDICT_WAIT_MS = 15_000
  const { headers, request, idle, answer } = DEFAULT_HTTP_SETTINGS.timeouts
  expect(headers).toBe(10_000)
  expect(request).toBe(15_000)
  expect(idle).toBe(20_000)
  expect(answer).toBeGreaterThan(VERDICT_WAIT_MS)
  expect(idle).toBeGreaterThan(answer)
})
