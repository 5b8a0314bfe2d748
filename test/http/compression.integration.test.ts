import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../support/http/http.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

let it: TestApp
beforeAll(async () => {
  it = await openWholeApp({
    http: { allowedOrigins: ['https://shop.example'] },
  })
  for (let n = 0; n < 5; n += 1) await it.seed()
})
afterAll(() => it.close())

const OPEN = { br: brotliDecompressSync, gzip: gunzipSync }
const LONG = [
  '/api/market',
  '/api/market/catalog',
  '/api/market/orders',
  '/api/market/orders/facets',
  '/circles/schema.json',
  '/openapi.json',
]
const ask = (url: string, accepted?: string, more: Record<string, string> = {}) =>
  it.get(url, {
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
    ...more,
  })

describe.each(LONG)('%s', (url) => {
  test.each(['br', 'gzip'] as const)('is compressed for a client that takes %s', async (coding) => {
    const plain = await ask(url)
    const coded = await ask(url, coding)
    expect(coded.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': plain.headers['content-type'],
      'content-length': `${coded.rawPayload.length}`,
    })
    expect(OPEN[coding](coded.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(coded.rawPayload.length * 2).toBeLessThan(plain.rawPayload.length)
  })

  test('is as it is for any other client', async () => {
    const { headers } = await ask(url)
    expect(headers).not.toHaveProperty('content-encoding')
    expect(String(headers['vary'])).toMatch(/\baccept-encoding\b/)
  })

  test('has an ETag in each coding, and 304 for each of them whatever is asked for', async () => {
    const plain = String((await ask(url)).headers.etag)
    const coded = String((await ask(url, 'br')).headers.etag)
    expect(coded).toBe(`${plain.slice(0, -1)}-br"`)
    const again = await ask(url, 'br', { 'if-none-match': coded })
    expect([again.statusCode, again.headers.etag, again.body]).toEqual([304, coded, ''])
  })

  test('has the length of the coding in a HEAD', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const head = await it.app.inject({ method: 'HEAD', url, headers })
    const { rawPayload } = await ask(url, 'gzip')
    expect(head.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': `${rawPayload.length}`,
    })
    expect(head.rawPayload).toHaveLength(0)
  })
})

describe('is not compressed', () => {
  test.each([
    ['a short answer', '/livez', 200],
    ['a failure', `/api/market/orders?search=${'s'.repeat(2_000)}&limit=0`, 400],
  ])('%s', async (_what, url, status) => {
    const { statusCode, headers } = await ask(url, 'gzip, br')
    expect(statusCode).toBe(status)
    expect(headers).not.toHaveProperty('content-encoding')
  })

  test('the answer to a POST, which may have a secret or what was sent', async () => {
    const psbt = 'x'.repeat(5_000)
    const made = await it.post(
      '/api/market/orders/inspect',
      { psbt },
      { 'accept-encoding': 'gzip, br' },
    )
    expect(made.rawPayload.length).toBeGreaterThan(0)
    expect(made.headers).not.toHaveProperty('content-encoding')
  })

  test('a snapshot, which is sent as it is made', async () => {
    expect((await ask('/circles/snapshot', 'gzip, br')).headers).not.toHaveProperty(
      'content-encoding',
    )
  })
})

test('an answer that varies by origin varies by both', async () => {
  const { headers } = await ask('/api/market/catalog', 'br', { origin: 'https://shop.example' })
  expect(headers['vary']).toBe('Origin, accept-encoding')
})

test('a change is a new answer: what is kept is never an older one', async () => {
  const read = async () =>
    JSON.parse(brotliDecompressSync((await ask('/api/market/orders', 'br')).rawPayload).toString())
  const before = await read()
  await it.seed()
  expect((await read()).total).toBe(before.total + 1)
})
