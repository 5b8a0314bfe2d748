import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildProbeApp } from '../../src/http/probe-app.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'

let it: TestApp
let port: number

beforeAll(async () => {
  it = await openTestApp()
  port = await it.listen()
})
afterAll(() => it.close())

/** Every text that was parsed as JSON. */
const parsed: string[] = []
beforeEach(() => {
  parsed.length = 0
  const parse = JSON.parse
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    parsed.push(text)
    return parse(text, reviver)
  })
})
afterEach(() => vi.restoreAllMocks())

const head = (method: string, path: string, length: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\n\r\n`

/** Sends bytes, does not close, and reads until the server closes. */
function untilClosed(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
  })
}

describe('an unknown path or method is refused before its body is read', () => {
  const HOSTILE = `[${'[],'.repeat(300_000)}[]]`

  test.each([
    ['POST', '/nowhere', 404],
    ['POST', '/api/market/orders/x/nothing', 404],
    ['PUT', '/api/market/orders/import', 405],
    ['POST', '/api/market/orders', 405],
  ] as const)('a megabyte of JSON to %s %s is never parsed', async (method, url, status) => {
    const headers = { 'content-type': 'application/json' }
    const response = await it.app.inject({ method, url, headers, payload: HOSTILE })
    expect(response.statusCode).toBe(status)
    expect(parsed).not.toContain(HOSTILE)
  })

  test.each([
    ['GET', '/nowhere', 404],
    ['PUT', '/api/market/orders', 405],
  ] as const)('a flood of %s %s waits as refusals of a limit do', async (method, url, status) => {
    const clock = new ManualClock()
    const flooded = await openTestApp({ ports: { clock } })
    const answers: number[] = []
    for (let n = 0; n < 250; n += 1) {
      void flooded.app.inject({ method, url }).then(({ statusCode }) => answers.push(statusCode))
    }
    await expect.poll(() => answers.length).toBe(200)
    clock.advance(1_000)
    await expect.poll(() => answers.length).toBe(250)
    expect(new Set(answers)).toEqual(new Set([status]))
    await flooded.close()
  })

  test('an existing route parses its body once', async () => {
    const response = await it.post('/api/market/orders/import', {})
    expect(response.statusCode).toBe(400)
    expect(parsed.filter((text) => text === '{}')).toHaveLength(1)
  })

  test.each([
    ['POST', '/nowhere', 'content-length: 1000000', '404'],
    ['POST', '/nowhere', 'transfer-encoding: chunked', '404'],
    ['PUT', '/api/market/orders/import', 'transfer-encoding: chunked', '405'],
  ])('%s %s: a body that never ends is answered, and its connection closed', async (...row) => {
    const [method, path, length, status] = row
    const text = await untilClosed(head(method, path, length))
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(text.toLowerCase()).toContain('connection: close')
    expect(text).not.toContain('REQUEST_TIMEOUT')
  })

  test('a small body is discarded, and its connection is kept', async () => {
    const stray = `${head('POST', '/nowhere', 'content-length: 7')}{"a":1}`
    const last = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
    const text = await untilClosed(stray + last)
    expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual([
      '404',
      '200',
    ])
    expect(parsed).not.toContain('{"a":1}')
  })

  test('a role with only probes reads no body either', async () => {
    const readiness = async () => ({ missing: [], degraded: [] })
    const logger = pino({ level: 'silent' })
    const probes = buildProbeApp({ logger, readiness, drainMs: 100 })
    const headers = { 'content-type': 'application/json' }
    const refused = await probes.inject({ method: 'POST', url: '/x', headers, payload: 'not json' })
    expect(refused.statusCode).toBe(404)
    await probes.close()
  })
})
