import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openPipelines } from '../support/pairing/pairing-pipeline.ts'

const built = temporaryDirectory()
const empty = temporaryDirectory()
let it: TestApp
let lagMs = 0
beforeAll(async () => {
  mkdirSync(join(built.path, 'assets'))
  mkdirSync(join(built.path, 'orders'))
  writeFileSync(join(built.path, 'index.html'), '<!doctype html><title>The API</title>')
  writeFileSync(join(built.path, 'missing.html'), '<!doctype html><title>No such page</title>')
  writeFileSync(join(built.path, 'orders/index.html'), '<!doctype html><title>Orders</title>')
  writeFileSync(join(built.path, 'orders/index.html.br'), 'br')
  writeFileSync(join(built.path, 'assets/guide-abc.css'), 'whole')
  it = await openTestApp({
    http: { rateLimits: { reference: 1_000 } },
    reference: built.path,
    lagMs: () => lagMs,
  })
})
afterAll(async () => {
  await it.close()
  built.drop()
  empty.drop()
})

describe.each(['/openapi.json', '/docs/json'])('%s', (path) => {
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

describe('the pages of the reference', () => {
  test.each([
    ['/docs/', 'The API'],
    ['/docs/orders/', 'Orders'],
  ])(
    '%s is a page, which caches revalidate and which runs only its own files',
    async (url, title) => {
      const { statusCode, headers, body } = await it.get(url)
      expect([statusCode, body]).toEqual([200, `<!doctype html><title>${title}</title>`])
      expect(headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'accept-encoding' })
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
      )
      const again = await it.get(url, { 'if-none-match': String(headers.etag) })
      expect([again.statusCode, again.body]).toEqual([304, ''])
    },
  )

  test('are sent as they were compressed, with files that caches keep', async () => {
    const page = await it.get('/docs/orders/', { 'accept-encoding': 'br' })
    expect([page.headers['content-encoding'], page.body]).toEqual(['br', 'br'])
    const style = await it.get('/docs/assets/guide-abc.css')
    expect(style.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test.each([
    ['/docs', '/docs/'],
    ['/docs/orders', '/docs/orders/'],
  ])('%s leads to %s', async (url, location) => {
    const answer = await it.get(url)
    expect([answer.statusCode, answer.headers.location]).toEqual([308, location])
  })

  test.each([
    '/docs/none/',
    '/docs/missing.html',
    '/docs/orders/index.html.br',
    '/docs/assets/',
    '/docs/%2e%2e%2findex.html',
    '/docs/yaml',
  ])('%s is not one of them', async (path) => {
    expect((await it.get(path)).statusCode).toBe(404)
  })

  test('are answered even under load', async () => {
    lagMs = 10_000
    for (const path of ['/docs/', '/docs/orders/', '/docs/assets/guide-abc.css'])
      expect((await it.get(path)).statusCode, path).toBe(200)
    lagMs = 0
  })

  test('that are not built say how to build them; the description is there', async () => {
    const own = await openTestApp({ reference: empty.path })
    for (const path of ['/docs', '/docs/', '/docs/orders/']) {
      const { statusCode, body } = await own.get(path)
      expect(statusCode).toBe(404)
      expect(body).toMatch(/^The reference is [^\n]*npm run build[^\n]*\n$/)
    }
    expect((await own.get('/docs/json')).statusCode).toBe(200)
    await own.close()
  })
})

describe('files of the guide and of the pages', () => {
  const PAGES = ['/docs/', '/docs/orders/', '/docs/assets/guide-abc.css', '/docs/served.css']
  const pageAt = (n: number) => PAGES[n % PAGES.length] ?? ''

  test('are read from the disk once, before any client asks', async () => {
    const folder = temporaryDirectory()
    mkdirSync(join(folder.path, 'assets'))
    writeFileSync(join(folder.path, 'index.html'), 'page')
    writeFileSync(join(folder.path, 'assets/guide-abc.css'), 'style')
    const own = await openTestApp({ reference: folder.path })
    rmSync(folder.path, { recursive: true })
    expect((await own.get('/docs/')).body).toBe('page')
    const style = await own.get('/docs/assets/guide-abc.css')
    expect([style.body, style.headers['content-type']]).toEqual([
      'style',
      'text/css; charset=utf-8',
    ])
    await own.close()
  })

  test('a folder of more than is kept in memory is refused at the start', async () => {
    const folder = temporaryDirectory()
    mkdirSync(join(folder.path, 'assets'))
    writeFileSync(join(folder.path, 'index.html'), Buffer.alloc(16 * 1_048_576 + 1))
    await expect(openTestApp({ reference: folder.path })).rejects.toThrow(
      /16777217 bytes, more than the 16777216 that are kept in memory/,
    )
    folder.drop()
  })

  test('a person has 40 pages of 20 files each in a minute, and all reads beside them', async () => {
    const clock = new ManualClock()
    const own = await openTestApp({ reference: built.path, ports: { clock } })
    const statuses = new Set<number>()
    for (let n = 0; n < 800; n += 1) statuses.add((await own.get(pageAt(n))).statusCode)
    expect(statuses).toEqual(new Set([200]))
    expect((await own.get('/api/market/catalog')).headers['ratelimit-remaining']).toBe('599')
    await own.close()
  })

  test('a client has no more than its limit, which takes no read from it', async () => {
    const http = { rateLimits: { guide: 8 } }
    const own = await openTestApp({ reference: built.path, http })
    const statuses: number[] = []
    for (let n = 0; n < 9; n += 1) statuses.push((await own.get(pageAt(n))).statusCode)
    expect(statuses).toEqual([...Array(8).fill(200), 429])
    expect((await own.get('/api/market/catalog')).statusCode).toBe(200)
    await own.close()
  })

  test('all clients together have those of two seconds at once', async () => {
    const http = { rateLimits: { guide: 30 } }
    const own = await openTestApp({
      reference: built.path,
      http,
      ports: { clock: new ManualClock() },
    })
    const statuses: number[] = []
    for (let n = 0; n < 33; n += 1) {
      const remoteAddress = `198.51.${n}.1`
      statuses.push((await own.app.inject({ url: pageAt(n), remoteAddress })).statusCode)
    }
    expect(statuses).toEqual([...Array(32).fill(200), 503])
    await own.close()
  })
})

describe('/docs/served.css', () => {
  const styleOf = async (app: TestApp | Awaited<ReturnType<typeof openPipelines>>) => {
    const { statusCode, headers, body } = await app.get('/docs/served.css')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', etag: expect.any(String) })
    return body
  }

  test('shows the notes of groups that this process does not serve', async () => {
    const served = /^\.not-served:not\(([^)]+)\)\{display:block\}/.exec(await styleOf(it))?.[1]
    expect(served?.split(',')).toEqual(
      expect.arrayContaining(['.of-orders', '.of-statistics', '.of-probes']),
    )
    expect(served).not.toContain('of-circles')
    const pipelines = await openPipelines()
    expect(await styleOf(pipelines)).toBe(
      '.not-served:not(.of-pairing,.of-probes){display:block}.of-console{display:none}',
    )
    await pipelines.close()
  })

  test('hides the links to the console and the guide where they are off', async () => {
    expect(await styleOf(it)).toContain('.of-console{display:none}')
    const settings = { directory: empty.path, guide: empty.path, isDevnet: false }
    const own = await openTestApp({ reference: built.path, console: settings })
    expect(await styleOf(own)).not.toContain('.of-console')
    await own.close()
  })

  test('is there under load, as the pages are', async () => {
    lagMs = 10_000
    expect(await styleOf(it)).not.toBe('')
    lagMs = 0
  })
})

test('a client has the description 40 times a minute, which takes no other read from it', async () => {
  const own = await openTestApp({ reference: built.path })
  for (let n = 0; n < 40; n += 1) {
    const path = ['/openapi.json', '/docs/json'][n % 2] ?? ''
    expect((await own.get(path, { 'accept-encoding': 'br' })).statusCode).toBe(200)
  }
  for (const path of ['/openapi.json', '/docs/json']) {
    const { statusCode, headers } = await own.get(path)
    expect(statusCode).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  for (const path of ['/docs/', '/api/market/catalog'])
    expect((await own.get(path)).statusCode).toBe(200)
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
