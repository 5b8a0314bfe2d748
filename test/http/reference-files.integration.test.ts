import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openPipelines } from '../support/pairing/pairing-pipeline.ts'

const BUNDLE = '/docs/static/swagger-ui-bundle.js'
const DESCRIPTION = '/openapi.json'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ http: { rateLimits: { reference: 1_000 } } })
})
afterAll(() => it.close())

describe.each([BUNDLE, DESCRIPTION])('%s', (path) => {
  const ask = (accepted?: string) =>
    it.get(path, accepted === undefined ? {} : { 'accept-encoding': accepted })

  test.each([
    ['br', 'gzip, deflate, br'],
    ['br', 'BR;q=0.1'],
    ['gzip', 'gzip, br;q=0'],
    ['gzip', 'br; q=0.000, gzip;q=0.5'],
  ])('is in %s for a client that takes %s, a third as long at most', async (coding, accepted) => {
    const plain = await ask()
    const coded = await ask(accepted)
    expect(coded.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': plain.headers['content-type'],
      vary: 'accept-encoding',
    })
    const open = coding === 'br' ? brotliDecompressSync : gunzipSync
    expect(open(coded.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(coded.rawPayload.length * 3).toBeLessThan(plain.rawPayload.length)
    expect(Number(coded.headers['content-length'])).toBe(coded.rawPayload.length)
  })

  test.each([undefined, '', 'identity', 'deflate, zstd', 'gzip;q=0, br;q=0'])(
    'is as it is for a client that takes %s',
    async (accepted) => {
      const { headers, rawPayload } = await ask(accepted)
      expect(headers).not.toHaveProperty('content-encoding')
      expect(headers['vary']).toBe('accept-encoding')
      expect(rawPayload.length).toBeGreaterThan(500_000)
    },
  )

  test('has an ETag of its own in each coding, and 304 for it', async () => {
    const etags = new Set<string>()
    for (const accepted of ['', 'gzip', 'br']) {
      const etag = String((await ask(accepted)).headers.etag)
      const again = await it.get(path, { 'accept-encoding': accepted, 'if-none-match': etag })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
      etags.add(etag)
    }
    expect(etags.size).toBe(3)
  })
})

test.each([
  '/docs/static/',
  '/docs/static/swagger-ui.js',
  '/docs/static/..%2findex.js',
  '/docs/static/../lib/routes.js',
  '/docs/yaml',
])('%s is not one of the files', async (path) => {
  expect((await it.get(path)).statusCode).toBe(404)
})

test('a client has 40 a minute, which takes no other read from it', async () => {
  const own = await openTestApp()
  for (let n = 0; n < 40; n += 1) {
    const path = [BUNDLE, DESCRIPTION, '/docs/', '/docs/json'][n % 4] ?? ''
    expect((await own.get(path, { 'accept-encoding': 'br' })).statusCode).toBe(200)
  }
  for (const path of [BUNDLE, DESCRIPTION, '/docs/']) {
    const { statusCode, headers } = await own.get(path)
    expect(statusCode).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  expect((await own.get('/api/market/catalog')).statusCode).toBe(200)
  await own.close()
})

test('all clients together have those of two seconds at once', async () => {
  const own = await openTestApp({ ports: { clock: new ManualClock() } })
  const statuses: number[] = []
  for (let n = 0; n < 44; n += 1) {
    const remoteAddress = `198.51.${n}.1`
    const { statusCode } = await own.app.inject({ url: '/docs/json', remoteAddress })
    statuses.push(statusCode)
  }
  expect(statuses).toEqual([...Array(43).fill(200), 503])
  await own.close()
})

test('they are limited in a process without the market, in the shape of its failures', async () => {
  const own = await openPipelines()
  const statuses: number[] = []
  for (let n = 0; n < 41; n += 1) statuses.push((await own.get('/docs/json')).statusCode)
  expect(statuses).toEqual([...Array(40).fill(200), 429])
  expect((await own.get('/docs/json')).json()).toMatchObject({ statusCode: 429 })
  await own.close()
})
