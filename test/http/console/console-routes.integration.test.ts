import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withPreview } from '../../../src/http/console/link-preview.ts'
import type { FiatPrices } from '../../../src/ports/authorities/fiat-prices.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'

/** What a link to the site is shown as: the elements of the console's own page. */
const SITE = readFileSync('console/index.html', 'utf8')
  .match(/<meta\s+property="og:[^>]*>/g)
  ?.join('\n')
const built = temporaryDirectory()
const guide = temporaryDirectory()
const reference = temporaryDirectory()
const empty = temporaryDirectory()
let it: TestApp
let notBuilt: TestApp
let off: TestApp
let lagMs = 0
let prices: FiatPrices | null = null
beforeAll(async () => {
  mkdirSync(join(built.path, 'assets'))
  writeFileSync(
    join(built.path, 'index.html'),
    `<!doctype html><head><title>Market</title>${SITE}</head>`,
  )
  writeFileSync(
    join(built.path, 'page-files.json'),
    JSON.stringify({
      '/console/find': ['/console/assets/find-abc.js', '/console/assets/find-abc.css'],
    }),
  )
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
    console: {
      directory: built.path,
      guide: guide.path,
      isDevnet: true,
      explorerUrl: 'https://explorer.example',
      fiatPrices: { read: async () => prices },
    },
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

  test.each([
    ['/console/find', 2],
    ['/console/find/?q=a/../b', 2],
    ['/console/finder', 0],
    ['/console?q=/console/find', 0],
    ['/', 0],
  ])('%s names %d files beside those that every page needs', async (url, count) => {
    const { body } = await it.get(url)
    const files = [
      ...body.matchAll(/<link rel="(\w+)"(?: as="style")? crossorigin href="([^"]+)">/g),
    ]
    expect(files.map(([, kind, file]) => [kind, file])).toEqual(
      [
        ['modulepreload', '/console/assets/find-abc.js'],
        ['preload', '/console/assets/find-abc.css'],
      ].slice(0, count),
    )
  })

  test.each([
    [`/console/orders/${'aB'.repeat(32)}?from=chat`, `/api/market/orders/${'aB'.repeat(32)}`],
    ['/console/orders/abc', null],
    ['/console/find', null],
  ])('%s names the answers that it waits for: %s', async (url, order) => {
    const { body } = await it.get(url)
    const answers = [
      ...body.matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]+)">/g),
    ]
    expect(answers.map(([, answer]) => answer)).toEqual(
      order === null ? [] : [order, '/api/market/catalog'],
    )
  })

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
    ['POST', '/console/prices.json'],
    ['POST', '/guide'],
    ['PUT', '/guide/tutorial.html'],
  ] as const)('is read-only: %s %s is 405', async (method, url) => {
    for (const app of [it.app, notBuilt.app]) {
      const { statusCode, headers, json } = await app.inject({ method, url, payload: '{' })
      expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD'])
      expect(json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
    }
  })

  test('says what the operator set, and no path of this machine', async () => {
    expect((await it.get('/console/settings.json')).json()).toEqual({
      isDevnet: true,
      explorerUrl: 'https://explorer.example',
      showsFiat: true,
    })
  })

  test('says what a bitcoin costs in other money, or that it does not know', async () => {
    const read = async () => (await it.get('/console/prices.json')).json()
    expect(await read()).toBeNull()
    prices = { at: '2026-03-01T12:00:00.000Z', prices: { USD: 61_000 } }
    expect(await read()).toEqual(prices)
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

/** That of the console, whose pages frame and play what is sold. */
async function policyWithoutContent(): Promise<string> {
  const policy = String((await it.get('/')).headers['content-security-policy'])
  const content = "media-src 'self'; frame-src 'self'; "
  expect(policy).toContain(content)
  return policy.replace(content, '')
}

describe('a link to an order is shown', () => {
  /** What a service that shows previews reads of the page. */
  const shown = async (id: string) => {
    const { statusCode, body } = await it.get(`/console/orders/${id}`)
    expect([statusCode, body.includes('<title>Market</title>')]).toEqual([200, true])
    const named = body.matchAll(/property="og:(\w+)"\s+content="([^"]*)"/g)
    return Object.fromEntries([...named].map(([, name = '', content]) => [name, content]))
  }
  const updatedAt = '2026-03-01T12:34:56.000Z'
  const site = { title: 'PSBT Market', type: 'website' }
  const asset = (order: Awaited<ReturnType<TestApp['seed']>>) => ({
    inscriptionId: `${'cd'.repeat(32)}i0`,
    inscriptionNumber: 5,
    outpoint: order.kept.inspection.inputOutpoints[0]!,
  })

  test('by what it offers, its signed price, and its state with the time of its last change', async () => {
    const order = await it.seed({ side: 'ASK', quotedPriceSats: '40000', updatedAt, assets: [] })
    const short = `${order.id.slice(0, 8)}…${order.id.slice(-4)}`
    expect(await shown(order.id.toUpperCase())).toEqual({
      ...{ type: 'website', title: `Order ${short}, ask of 40,000 sats` },
      description: expect.stringMatching(
        /^Bitcoin \w+: live, last changed 2026-03-01 12:34 UTC\. The page has its state now,/,
      ),
    })
    await it.seed({ ...order, state: 'SETTLED', assets: [asset(order)] })
    expect(await shown(`${order.id}?from=chat`)).toMatchObject({
      title: 'Inscription 5, ask of 40,000 sats',
      description: expect.stringContaining(': settled, last changed'),
    })
    await it.seed({ ...order, state: 'REJECTED', assets: [asset(order)] })
    expect((await shown(order.id))['title']).toMatch(/^Order /)
  })

  test('as the site where it is hidden, unknown, or no order', async () => {
    const hidden = await it.seed({ hidden: { hiddenAt: updatedAt } })
    for (const id of [hidden.id, 'ab'.repeat(32), 'abc', `${hidden.id}/x`, 'x'.repeat(400)])
      expect(await shown(id), id).toMatchObject(site)
  })

  test('as the site where the views fail, or do not answer in time', async () => {
    const { id } = await it.seed()
    const { views } = it.gateway
    for (const order of [
      async () => Promise.reject(new Error('away')),
      () => new Promise(() => {}),
    ]) {
      it.gateway.views = Object.assign(Object.create(views), { order })
      expect(await shown(id)).toMatchObject(site)
    }
    it.gateway.views = views
    expect(await shown(id)).not.toMatchObject(site)
  })

  test('in text that cannot leave its place', () => {
    const text = '"><script>ran=1</script>&amp;$1'
    const page = withPreview(String(SITE), { title: text, description: text })
    expect(page).not.toContain('<script')
    const whole = 'content="&quot;&gt;&lt;script&gt;ran=1&lt;/script&gt;&amp;amp;$1"'
    expect(page.split(whole)).toHaveLength(3)
  })
})

describe('the guide', () => {
  test.each([
    ['/guide/', 'Guide'],
    ['/guide/adr/', 'Decisions'],
    ['/guide/tutorial.html', 'Tutorial'],
  ])(
    '%s is a page, which caches revalidate, under the policy of the console without what is sold',
    async (url, title) => {
      const { statusCode, headers, body } = await it.get(url)
      expect(statusCode).toBe(200)
      expect(body).toContain(`<title>${title}</title>`)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        'content-security-policy': await policyWithoutContent(),
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
    '%s is a page for a browser, under the policy of the guide',
    async (url) => {
      const { statusCode, headers, body } = await it.get(url, { accept })
      expect(statusCode).toBe(404)
      expect(body).toBe('<!doctype html><title>No such page</title>')
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': await policyWithoutContent(),
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
