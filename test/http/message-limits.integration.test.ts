import { afterEach, describe, expect, test } from 'vitest'
import type { TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openWholeApp } from '../support/market/whole-app.ts'
import { openPipelines, TIP } from '../support/pairing/pairing-pipeline.ts'

let it: TestApp | undefined
afterEach(async () => {
  await it?.close()
  it = undefined
})

const MESSAGES = ['/pairing/objects', '/pairing/checkpoints', '/circles/state', '/circles/states']
const VERIFIED = '/pairing/verified/search?q=oak'
const HEIGHT = `/pairing/agreement/${TIP}`

const ask = (url: string, remoteAddress = '192.0.2.1') =>
  it!.app.inject({ method: 'GET', url, remoteAddress })
const statusOf = async (url: string, remoteAddress?: string) =>
  (await ask(url, remoteAddress)).statusCode

describe('a client that reads pairing and circles', () => {
  const open = async (read: number) => {
    // What all clients may send at once is more than these tests send.
    it = await openWholeApp({ http: { clientsAtOnce: 200, rateLimits: { read } } })
  }

  test('has one allowance for them and the market, and is refused in their own shape', async () => {
    await open(3)
    for (const url of ['/pairing/objects', '/circles/state', '/api/market/orders'])
      expect(await statusOf(url), url).toBe(200)
    for (const url of [...MESSAGES, VERIFIED]) {
      const { statusCode, headers, body } = await ask(url)
      expect([statusCode, body], url).toEqual([
        429,
        '{"message":"at most 3 requests a minute to this route","error":"Too Many Requests","statusCode":429}',
      ])
      expect(Number(headers['retry-after']), url).toBeGreaterThan(0)
    }
    expect(await statusOf('/api/market/orders')).toBe(429)
    expect(await statusOf('/pairing/objects', '198.51.100.1')).toBe(200)
  })

  test('shares four times that with its network', async () => {
    await open(1)
    for (const last of [1, 2, 3, 4])
      expect(await statusOf('/circles/state', `192.0.2.${last}`)).toBe(200)
    expect(await statusOf('/pairing/objects', '192.0.2.5')).toBe(429)
    expect(await statusOf('/pairing/objects', '192.0.3.1')).toBe(200)
  })

  test('still gets unknown paths, readiness and envelopes answered', async () => {
    await open(1)
    expect(await statusOf('/pairing/objects')).toBe(200)
    for (let n = 0; n < 5; n += 1) {
      expect(await statusOf('/ready')).toBe(200)
      expect(await statusOf('/pairing/readiness')).toBe(200)
      // The other pipeline requests them, from one address for all its readers.
      expect(await statusOf(HEIGHT)).toBe(200)
      expect(await statusOf('/pairing/nothing')).toBe(404)
    }
  })
})

test('a pipeline in a process of its own counts too', async () => {
  const pipelines = await openPipelines({ reads: 2 })
  const get = async (url: string) => (await pipelines.get(url)).statusCode
  for (const url of ['/pairing/objects', VERIFIED]) expect(await get(url), url).toBe(200)
  for (const url of ['/pairing/objects', VERIFIED, '/openapi.json'])
    expect(await get(url), url).toBe(429)
  for (const url of ['/ready', '/livez', HEIGHT]) expect(await get(url), url).toBe(200)
  await pipelines.close()
})

describe('all clients together', () => {
  test('may read at once what all may in two seconds', async () => {
    const http = { clientsAtOnce: 60, rateLimits: { read: 10 } }
    it = await openWholeApp({ http, ports: { clock: new ManualClock() } })
    for (let n = 0; n < 20; n += 1)
      expect(await statusOf('/circles/state', `10.${n}.0.1`)).toBe(200)
    await expect(ask('/circles/state', '10.20.0.1')).rejects.toThrow()
  })

  const open = async (closed: string[]) => {
    const clock = new ManualClock()
    it = await openWholeApp({
      http: { clientsAtOnce: 6, rateLimits: { read: 4 } },
      ports: { clock },
    })
    for (let n = 0; n < 4; n += 1)
      expect(await statusOf('/pairing/objects', `10.0.${n}.1`)).toBe(200)
    for (const url of closed) await expect(ask(url, '10.1.0.1'), url).rejects.toThrow()
    return clock
  }

  test('are disconnected where the contract has no message for it', async () => {
    const clock = await open(MESSAGES)
    expect(await statusOf('/api/market/orders', '10.1.0.1')).toBe(200)
    clock.advance(2_500)
    expect(await statusOf('/circles/state', '10.1.0.1')).toBe(200)
    await expect(ask('/circles/state', '10.1.0.2')).rejects.toThrow()
  })

  test('get a withheld verified answer, with Retry-After', async () => {
    await open([])
    const { statusCode, headers, body } = await ask(VERIFIED, '10.1.0.1')
    expect([statusCode, body]).toEqual([
      503,
      '{"status":"verification_unavailable","error":"verification_unavailable"}',
    ])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })
})
