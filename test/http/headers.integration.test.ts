import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/http/http.ts'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp()
})
afterAll(() => it.close())

const CATALOG = '/api/market/catalog'

test.each(['/api/market/catalog', '/api/market/orders/x', '/nowhere', '/livez', '/%zz'])(
  '%s may not run, be framed or be sniffed',
  async (url) => {
    expect((await it.get(url)).headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'application/json; charset=utf-8',
    })
  },
)

describe('ETag', () => {
  test('is strong, the same for the same bytes, and asks caches to revalidate', async () => {
    const [first, second] = [await it.get(CATALOG), await it.get(CATALOG)]
    expect(first.headers.etag).toMatch(/^"[\w-]{43}"$/)
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(first.headers['cache-control']).toBe('no-cache')
  })

  test.each<[string, (etag: string) => string]>([
    ['itself', (etag) => etag],
    ['itself, weak', (etag) => `W/${etag}`],
    ['a list that has it', (etag) => `"other", ${etag}`],
    ['anything', () => '*'],
  ])('If-None-Match with %s is 304 without a body', async (_name, header) => {
    const { etag } = (await it.get(CATALOG)).headers
    const response = await it.get(CATALOG, { 'if-none-match': header(String(etag)) })
    expect(response.statusCode).toBe(304)
    expect(response.body).toBe('')
    expect(response.headers.etag).toBe(etag)
  })

  test.each<[string, (etag: string) => string]>([
    ['another', () => '"stale"'],
    ['it without quotes', (etag) => etag.replaceAll('"', '')],
    ['a part of it', (etag) => `${etag.slice(0, -2)}"`],
    ['nothing', () => ''],
  ])('If-None-Match with %s is 200', async (_name, header) => {
    const { etag } = (await it.get(CATALOG)).headers
    const response = await it.get(CATALOG, { 'if-none-match': header(String(etag)) })
    expect(response.statusCode).toBe(200)
  })

  test.each(['/api/market/orders/x', '/api/market/orders/%E0%A4%A'])(
    'failures have none, are not cached, and are never 304: %s',
    async (url) => {
      const response = await it.get(url, { 'if-none-match': '*' })
      expect(response.statusCode).toBe(404)
      expect(response.headers.etag).toBeUndefined()
      expect(response.headers['cache-control']).toBe('no-store')
    },
  )
})
