import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { describedIn } from '../support/http/openapi.ts'
import { openWholeApp } from '../support/market/whole-app.ts'

const PAGE = 'https://app.example'
const ORDERS = '/api/market/orders'
const EXPOSED =
  'Accept-Ranges, Content-Digest, Content-Range, Error-Param, ETag, Idempotent-Replayed, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Circles-Block, X-Circles-Height, X-Request-Id'
/** Of those that pages may always read (Fetch Standard, CORS-safelisted response-header names). */
const ALWAYS = ['Cache-Control']

const routes: { method: string; url: string }[] = []
let it: TestApp
beforeAll(async () => {
  it = await openTestApp({
    http: { allowedOrigins: [PAGE, 'http://localhost:5173'] },
    onRoute: ({ method, url }) => {
      for (const one of [method].flat())
        if (one === 'GET' || one === 'POST') routes.push({ method: one, url })
    },
  })
})
afterAll(() => it.close())

const preflight = (app: TestApp, url: string, method: string, origin = PAGE) =>
  app.app.inject({
    method: 'OPTIONS',
    url,
    headers: { origin, 'access-control-request-method': method },
  })

describe('a page of an allowed origin', () => {
  test('gets a preflight of every route answered, and sends what the API reads', async () => {
    expect(routes.length).toBeGreaterThan(20)
    for (const { method, url } of [...routes, { method: 'GET', url: '/nowhere' }]) {
      const { statusCode, headers, body } = await preflight(it, url.replaceAll(':', ''), method)
      expect([statusCode, body], url).toEqual([204, ''])
      expect(headers, url).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers':
          'authorization, content-type, idempotency-key, if-none-match, if-range, last-event-id, range, x-request-id',
        'access-control-max-age': '3600',
        vary: 'Origin',
      })
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  test('reads answers, refusals and errors with their headers', async () => {
    const asked: [string, number][] = [
      [ORDERS, 200],
      [`${ORDERS}/${'0'.repeat(64)}`, 404],
      ['/nowhere', 404],
      [`${ORDERS}?offset=1`, 400],
      [`/${'x'.repeat(2_000)}`, 414],
    ]
    for (const [url, status] of asked) {
      const { statusCode, headers } = await it.get(url, { origin: PAGE })
      expect(statusCode, url).toBe(status)
      expect(headers, url).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-expose-headers': EXPOSED,
      })
    }
  })

  test('reads every header that is described', async () => {
    const whole = await openWholeApp({ http: { allowedOrigins: [PAGE] } })
    const document: OpenAPIV3_1.Document = (await whole.get('/openapi.json')).json()
    const described = describedIn(document).flatMap(({ operation: { responses = {} } }) =>
      Object.values(responses as Record<string, OpenAPIV3_1.ResponseObject>).flatMap(
        ({ headers = {} }) => Object.keys(headers),
      ),
    )
    const { headers } = await whole.get('/circles/snapshot', { origin: PAGE })
    const read = String(headers['access-control-expose-headers']).split(', ')
    expect(read).toContain('Content-Digest')
    expect([...read, ...ALWAYS].sort()).toEqual([...new Set(described)].sort())
    await whole.close()
  })

  test('shares no kept file with a page of another origin: it varies by that too', async () => {
    const built = temporaryDirectory()
    mkdirSync(join(built.path, 'assets'))
    writeFileSync(join(built.path, 'index.html'), '<!doctype html><title>The API</title>')
    writeFileSync(join(built.path, 'assets/guide-abc.css'), 'whole')
    const pages = await openTestApp({ http: { allowedOrigins: [PAGE] }, reference: built.path })
    for (const url of ['/docs/', '/docs/assets/guide-abc.css']) {
      const { statusCode, headers } = await pages.get(url, { origin: PAGE })
      expect([url, statusCode, headers['vary']]).toEqual([url, 200, 'Origin, accept-encoding'])
    }
    await pages.close()
    built.drop()
  })

  test('reads a refusal for overload', async () => {
    const busy = await openTestApp({ http: { allowedOrigins: [PAGE] }, lagMs: () => 10_000 })
    const { statusCode, headers } = await busy.get(ORDERS, { origin: PAGE })
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([503, PAGE])
    await busy.close()
  })
})

describe('a page of another origin', () => {
  test.each(['https://evil.example', 'null', 'https://app.example.evil', 'http://app.example'])(
    '%s may read nothing, and its preflight is refused as by a service without CORS',
    async (origin) => {
      const read = await it.get(ORDERS, { origin })
      expect(read.statusCode).toBe(200)
      expect(read.headers).not.toHaveProperty('access-control-allow-origin')
      expect(read.headers['vary']).toBe('Origin, accept-encoding')
      const { statusCode, headers } = await preflight(it, ORDERS, 'GET', origin)
      expect(statusCode).toBe(405)
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    },
  )
})

test('an OPTIONS other than a preflight is answered as usual', async () => {
  const options = (url: string) => it.app.inject({ method: 'OPTIONS', url })
  expect((await options(ORDERS)).json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
  expect((await options('/nowhere')).json()).toMatchObject({ code: 'NOT_FOUND' })
})

test('without origins there is no CORS', async () => {
  const none = await openTestApp()
  const { headers } = await none.get(ORDERS, { origin: PAGE })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  expect(headers['vary']).toBe('accept-encoding')
  expect((await preflight(none, ORDERS, 'GET')).statusCode).toBe(405)
  await none.close()
})

test('where every origin is allowed the answer names none', async () => {
  const all = await openTestApp({ http: { allowedOrigins: ['*'] } })
  const { headers } = await all.get(ORDERS, { origin: PAGE })
  expect(headers['access-control-allow-origin']).toBe('*')
  expect((await preflight(all, ORDERS, 'POST')).statusCode).toBe(204)
  await all.close()
})
