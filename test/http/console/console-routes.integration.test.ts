import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/embedded.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'

const built = temporaryDirectory()
const guide = temporaryDirectory()
const reference = temporaryDirectory()
const empty = temporaryDirectory()
let it: TestApp
let notBuilt: TestApp
let off: TestApp
let lagMs = 0
beforeAll(async () => {
  mkdirSync(join(built.path, 'assets'))
  writeFileSync(join(built.path, 'index.html'), '<!doctype html><title>Market</title>')
  writeFileSync(join(built.path, 'assets/page-abc.js'), 'whole')
  writeFileSync(join(built.path, 'assets/page-abc.js.br'), 'br')
  mkdirSync(join(guide.path, 'assets'))
  mkdirSync(join(guide.path, 'adr'))
  writeFileSync(join(guide.path, 'index.html'), '<!doctype html><title>Guide</title>')
  writeFileSync(join(guide.path, 'adr/index.html'), '<!doctype html><title>Decisions</title>')
  writeFileSync(join(guide.path, 'tutorial.html'), '<!doctype html><title>Tutorial</title>')
  writeFileSync(join(guide.path, 'tutorial.html.br'), 'br')
  writeFileSync(join(guide.path, 'assets/guide-abc.css'), 'whole')
  writeFileSync(join(reference.path, 'missing.html'), '<!doctype html><title>No such page</title>')
  it = await openTestApp({
    reference: reference.path,
    console: { directory: built.path, guide: guide.path, isDevnet: true },
    lagMs: () => lagMs,
  })
  notBuilt = await openTestApp({
    reference: empty.path,
    console: { directory: empty.path, guide: empty.path, isDevnet: false },
  })
  off = await openTestApp({ reference: reference.path })
})
afterAll(async () => {
  await Promise.all([it.close(), notBuilt.close(), off.close()])
  built.drop()
  guide.drop()
  reference.drop()
  empty.drop()
})

describe('the console', () => {
  test.each(['/', '/?state=LIVE', '/console', '/console/orders/abc', '/console/a/b'])(
    '%s is its page, which caches revalidate',
    async (url) => {
      const { statusCode, headers, body } = await it.get(url)
      expect(statusCode).toBe(200)
      expect(body).toContain('<title>Market</title>')
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
      })
      const again = await it.get(url, { 'if-none-match': String(headers.etag) })
      expect(again.statusCode).toBe(304)
    },
  )

  test('and its files have no line in the log at info', async () => {
    const before = it.logLines.length
    for (const url of [
      '/',
      '/console/assets/page-abc.js',
      '/guide/tutorial.html',
      '/console/settings.json',
    ])
      expect((await it.get(url)).statusCode).toBe(200)
    expect(it.logLines.slice(before)).toEqual([])
    await it.get('/console/assets/away.js')
    expect(it.logLines.slice(before)).toHaveLength(1)
  })

  test('runs only its own files: nothing inline, nothing from elsewhere, no HTML from text', async () => {
    const policy = String((await it.get('/')).headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  test('its pages and files are answered even under load: no page is empty, or lacks a part', async () => {
    lagMs = 10_000
    for (const path of [
      '/',
      '/console',
      '/console/orders/some',
      '/console/settings.json',
      '/console/assets/page-abc.js',
      '/guide',
    ])
      expect((await it.get(path)).statusCode, path).toBeLessThan(400)
    expect((await it.get('/api/market/orders')).statusCode).toBe(503)
    lagMs = 0
  })

  test('its files are cached forever, and sent compressed to clients that accept it', async () => {
    const plain = await it.get('/console/assets/page-abc.js')
    expect(plain.body).toBe('whole')
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    const small = await it.get('/console/assets/page-abc.js', { 'accept-encoding': 'br' })
    expect(small.headers['content-encoding']).toBe('br')
    expect(small.body).toBe('br')
  })

  test.each([
    '/console/assets/old-def.js',
    '/console/assets/',
    '/console/assets/%2e%2e%2findex.html',
  ])('%s is not one of its files: 404', async (url) => {
    const { statusCode, headers } = await it.get(url)
    expect(statusCode).toBe(404)
    expect(headers['cache-control']).toBe('no-store')
  })

  test.each([
    ['POST', '/'],
    ['DELETE', '/console'],
    ['PUT', '/console/orders/abc'],
    ['OPTIONS', '/console/assets/page-abc.js'],
    ['POST', '/console/settings.json'],
    ['POST', '/guide'],
    ['PUT', '/guide/tutorial.html'],
  ] as const)('is read-only: %s %s is 405', async (method, url) => {
    for (const app of [it.app, notBuilt.app]) {
      const { statusCode, headers, json } = await app.inject({ method, url, payload: '{' })
      expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD'])
      expect(json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
    }
  })

  test('says whether there is a devnet', async () => {
    expect((await it.get('/console/settings.json')).json()).toEqual({ isDevnet: true })
  })

  test.each(['/', '/console', '/console/orders/abc'])(
    'that is not built says in a line how to build it: %s',
    async (url) => {
      const { statusCode, headers, body } = await notBuilt.get(url)
      expect(statusCode).toBe(404)
      expect(headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(body).toMatch(/^[^\n]*npm run build[^\n]*\n$/)
    },
  )

  test('that is off has no path: the API answers there', async () => {
    const { statusCode, body } = await off.get('/')
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('the guide', () => {
  test.each([
    ['/guide/', 'Guide'],
    ['/guide/adr/', 'Decisions'],
    ['/guide/tutorial.html', 'Tutorial'],
  ])(
    '%s is a page, which caches revalidate, under the policy of the console',
    async (url, title) => {
      const { statusCode, headers, body } = await it.get(url)
      expect(statusCode).toBe(200)
      expect(body).toContain(`<title>${title}</title>`)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        'content-security-policy': (await it.get('/')).headers['content-security-policy'],
      })
      const again = await it.get(url, { 'if-none-match': String(headers.etag) })
      expect(again.statusCode).toBe(304)
    },
  )

  test('/guide leads to it', async () => {
    const { statusCode, headers } = await it.get('/guide')
    expect([statusCode, headers.location]).toEqual([308, '/guide/'])
  })

  test('is sent compressed to clients that accept it, and its hashed files are cached forever', async () => {
    const page = await it.get('/guide/tutorial.html', { 'accept-encoding': 'br' })
    expect([page.headers['content-encoding'], page.body]).toEqual(['br', 'br'])
    const style = await it.get('/guide/assets/guide-abc.css')
    expect(style.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test.each([
    '/guide/none.html',
    '/guide/tutorial.html.br',
    '/guide/assets/',
    '/guide/assets/old.css',
    '/guide/%2e%2e%2findex.html',
  ])('%s is not one of its pages: 404', async (url) => {
    expect((await it.get(url)).statusCode).toBe(404)
  })

  test('that is not built says how to build it; that is off has no path', async () => {
    for (const url of ['/guide', '/guide/tutorial.html']) {
      expect((await notBuilt.get(url)).body).toMatch(/^The guide is [^\n]*npm run build[^\n]*\n$/)
      expect(JSON.parse((await off.get(url)).body)).toMatchObject({ code: 'NOT_FOUND' })
    }
  })
})

describe('an address without a page', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  test.each(['/nope', '/guide/none.html', '/console/assets/old.js'])(
    '%s is a page for a browser, under the policy of the others',
    async (url) => {
      const { statusCode, headers, body } = await it.get(url, { accept })
      expect(statusCode).toBe(404)
      expect(body).toBe('<!doctype html><title>No such page</title>')
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': (await it.get('/')).headers['content-security-policy'],
        'x-request-id': expect.any(String),
      })
    },
  )

  test.each([
    ['/nope', '*/*'],
    ['/nope', 'application/json'],
    ['/nope', 'text/html;q=0, */*'],
    ['/nope', ''],
    ['/api', accept],
    ['/api/market/nope', accept],
    [`/api/market/orders/${'0'.repeat(64)}`, accept],
    ['/devnet/nope', accept],
    ['/pairing/nope', accept],
    ['/circles/nope', accept],
    ['/ready/nope', accept],
  ])('%s is the envelope for a program: accept %s', async (url, accepted) => {
    const { statusCode, json } = await it.get(url, { accept: accepted })
    expect(statusCode).toBe(404)
    expect(json()).toMatchObject({ statusCode: 404, requestId: expect.any(String) })
  })

  test('is the envelope for a request that changes something, and where there is no page', async () => {
    const posted = await it.app.inject({ method: 'POST', url: '/nope', headers: { accept } })
    for (const { json } of [
      posted,
      await off.get('/nope', { accept }),
      await notBuilt.get('/nope', { accept }),
    ])
      expect(json()).toMatchObject({ code: 'NOT_FOUND' })
  })
})
