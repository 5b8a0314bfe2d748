import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/embedded.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'

const built = temporaryDirectory()
const empty = temporaryDirectory()
let it: TestApp
let notBuilt: TestApp
let off: TestApp
beforeAll(async () => {
  mkdirSync(join(built.path, 'assets'))
  writeFileSync(join(built.path, 'index.html'), '<!doctype html><title>Market</title>')
  writeFileSync(join(built.path, 'assets/page-abc.js'), 'whole')
  writeFileSync(join(built.path, 'assets/page-abc.js.br'), 'br')
  it = await openTestApp({ console: { directory: built.path, isDevnet: true } })
  notBuilt = await openTestApp({ console: { directory: empty.path, isDevnet: false } })
  off = await openTestApp()
})
afterAll(async () => {
  await Promise.all([it.close(), notBuilt.close(), off.close()])
  built.drop()
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

  test('runs its own files alone: nothing inline, nothing from elsewhere, no HTML from text', async () => {
    const policy = String((await it.get('/')).headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  test('its files are kept for ever, and sent compressed to who takes that', async () => {
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
  ])('%s is no file of it: 404', async (url) => {
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
  ] as const)('is only read: %s %s is 405', async (method, url) => {
    for (const app of [it.app, notBuilt.app]) {
      const { statusCode, headers, json } = await app.inject({ method, url, payload: '{' })
      expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD'])
      expect(json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
    }
  })

  test('says whether there is a devnet to play with', async () => {
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

  test('that is off is no path: the API answers for it', async () => {
    const { statusCode, body } = await off.get('/')
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toMatchObject({ code: 'NOT_FOUND' })
  })
})
