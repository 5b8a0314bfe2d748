import { afterEach, describe, expect, test } from 'vitest'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import type { RequestCounts, WindowCount } from '../../src/ports/views/request-counts.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { ManualClock } from '../support/manual-clock.ts'

let it: TestApp
afterEach(() => it.close())

const IMPORT = '/api/market/orders/import'
const ask = (remoteAddress: string, headers: Record<string, string> = {}) =>
  it.app.inject({ method: 'POST', url: IMPORT, payload: {}, remoteAddress, headers })

describe('a limit of 3 a minute', () => {
  const limits = {
    artifact: 3,
    revalidate: 3,
    withdraw: 3,
    operator: 3,
    import: 3,
    portableEvent: 3,
  }
  const http = { rateLimits: limits, clientsAtOnce: 1_000 }
  const open = async (settings: object = {}) => {
    it = await openTestApp({ http: { ...http, ...settings } })
  }

  test('counts down in headers, then answers 429 in the envelope [spec 7 429] [spec 7 ErrorResponse.code]', async () => {
    await open()
    const remaining = []
    for (let n = 0; n < 3; n += 1) {
      const response = await ask('192.0.2.1')
      expect(response.statusCode).toBe(400)
      remaining.push(response.headers['ratelimit-remaining'])
    }
    expect(remaining).toEqual(['2', '1', '0'])
    const response = await ask('192.0.2.1')
    expect(response.json()).toEqual({
      statusCode: 429,
      error: 'Too Many Requests',
      message: 'at most 3 requests a minute to this route',
      requestId: response.headers['x-request-id'],
      code: 'MARKET_RATE_LIMITED',
    })
    expect(response.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' })
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(response.headers['ratelimit-reset'])).toBeLessThanOrEqual(60)
  })

  test('is separate for each client address, and each route', async () => {
    await open()
    for (let n = 0; n < 4; n += 1) await ask('192.0.2.1')
    expect((await ask('192.0.2.2')).statusCode).toBe(400)
    const other = await it.app.inject({
      method: 'POST',
      url: '/api/market/orders/portable-event',
      payload: {},
      remoteAddress: '192.0.2.1',
    })
    expect(other.statusCode).toBe(400)
  })

  test('counts an IPv6 /64 as one client, and an IPv4 in IPv6 for the IPv4', async () => {
    await open()
    for (let n = 0; n < 3; n += 1) await ask(`2001:db8:0:1::${n}`)
    expect((await ask('2001:db8:0:1:ffff::9')).statusCode).toBe(429)
    expect((await ask('2001:db8:0:2::1')).statusCode).toBe(400)
    for (let n = 0; n < 3; n += 1) await ask('::ffff:192.0.2.7')
    expect((await ask('192.0.2.7')).statusCode).toBe(429)
  })

  test('does not trust X-Forwarded-For from an untrusted client: 1,000 values are one client', async () => {
    await open()
    const statusOf = async (n: number) => {
      const forwarded = { 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` }
      return (await ask('192.0.2.1', forwarded)).statusCode
    }
    for (let n = 0; n < 3; n += 1) expect(await statusOf(n)).toBe(400)
    const others = Array.from({ length: 997 }, (_, n) => statusOf(n + 3))
    expect(new Set(await Promise.all(others))).toEqual(new Set([429]))
  })

  test('behind a trusted proxy counts the address that the proxy adds', async () => {
    await open({ trustProxy: ['10.0.0.0/8'] })
    const through = (forwarded: string) => ask('10.1.2.3', { 'x-forwarded-for': forwarded })
    for (let n = 0; n < 3; n += 1) await through(`forged-${n}, 198.51.100.1`)
    expect((await through('203.0.113.9, 198.51.100.1')).statusCode).toBe(429)
    expect((await through('198.51.100.2')).statusCode).toBe(400)
    // An untrusted proxy is counted itself.
    expect((await ask('192.0.2.1', { 'x-forwarded-for': '198.51.100.1' })).statusCode).toBe(400)
  })

  test('a link-local peer is counted without its zone, whatever that is called', async () => {
    await open()
    for (const zone of ['eth0', 'br-lan', 'eth0.100'])
      expect((await ask(`fe80::1%${zone}`)).statusCode).toBe(400)
    expect((await ask('fe80::1%wlan0')).statusCode).toBe(429)
  })

  test('a refusal shows the limit that it is for, not that of reads', async () => {
    await open()
    const artifact = (n: number) =>
      it.app.inject({ url: '/api/market/orders/x/artifact', remoteAddress: `192.0.2.${n}` })
    for (let n = 0; n < 12; n += 1) expect((await artifact(n)).statusCode).toBe(404)
    const refused = await artifact(13)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '12', 'ratelimit-remaining': '0' })
  })

  test('an invalid forwarded address does no harm', async () => {
    await open({ trustProxy: ['10.0.0.0/8'], rateLimits: DEFAULT_HTTP_SETTINGS.rateLimits })
    for (const forwarded of [
      'not an address',
      '::ffff:999.1.1.1',
      'fe80::1%eth0',
      '1.2.3.4:80',
      '[::1]:80',
      '',
    ]) {
      const response = await ask('10.1.2.3', { 'x-forwarded-for': forwarded })
      expect(response.statusCode, forwarded).toBe(400)
    }
  })

  test('a forwarded entry that is not an address is ignored, with everything to its left: 100 are one client', async () => {
    await open({ trustProxy: ['10.0.0.0/8'] })
    for (let n = 0; n < 100; n += 1) {
      const forwarded = n % 2 === 0 ? `nobody-${n}` : `198.51.100.${n}, fe80::1%${n}`
      const response = await ask('10.1.2.3', { 'x-forwarded-for': forwarded })
      expect(response.statusCode, forwarded).toBe(n < 3 ? 400 : 429)
    }
    // The proxy itself is counted; others behind it are not.
    expect((await ask('10.1.2.3')).statusCode).toBe(429)
    expect((await ask('10.1.2.3', { 'x-forwarded-for': '198.51.100.7' })).statusCode).toBe(400)
  })

  test('behind that many proxies counts the entry that the first of them adds, whatever is to its left', async () => {
    await open({ trustProxy: 2 })
    const through = (forwarded: string) => ask('10.1.2.3', { 'x-forwarded-for': forwarded })
    for (let n = 0; n < 3; n += 1) await through(`203.0.113.${n}, 198.51.100.1, 192.0.2.200`)
    expect((await through('forged, 198.51.100.1, 192.0.2.201')).statusCode).toBe(429)
    expect((await through('198.51.100.2, 192.0.2.200')).statusCode).toBe(400)
    // An entry of the proxies that is not an address: the nearest one that is.
    for (let n = 0; n < 3; n += 1) await through(`198.51.100.${n + 10}, unknown`)
    expect((await through('198.51.100.99, unknown')).statusCode).toBe(429)
    // A client that bypasses the proxies is not a proxy.
    for (let n = 0; n < 3; n += 1)
      await ask('203.0.113.9', { 'x-forwarded-for': `198.51.100.${n}` })
    expect((await ask('203.0.113.9', { 'x-forwarded-for': '198.51.100.77' })).statusCode).toBe(429)
  })

  test('counts what was refused for its body, and what an Idempotency-Key replays', async () => {
    await open()
    for (let n = 0; n < 3; n += 1) await ask('192.0.2.1', { 'idempotency-key': 'k' })
    expect((await ask('192.0.2.1', { 'idempotency-key': 'k' })).statusCode).toBe(429)
  })

  test('is shared by artifact and nostr-envelope, which carry the same bytes, and by HEAD', async () => {
    await open()
    const statuses = []
    for (const [method, route] of [
      ['GET', 'artifact'],
      ['GET', 'nostr-envelope'],
      ['HEAD', 'artifact'],
      ['GET', 'artifact'],
      ['GET', 'nostr-envelope'],
    ] as const) {
      const response = await it.app.inject({ method, url: `/api/market/orders/x/${route}` })
      statuses.push(response.statusCode)
    }
    expect(statuses).toEqual([404, 404, 404, 429, 429])
  })

  test('applies to the networks around a client too, each with four times the allowance', async () => {
    await open()
    const statuses = async (address: (n: number) => string, times: number) => {
      const all = []
      for (let n = 0; n < times; n += 1) all.push((await ask(address(n))).statusCode)
      return all
    }
    const twelve = Array.from({ length: 12 }, () => 400)
    expect(await statuses((n) => `192.0.2.${n}`, 14)).toEqual([...twelve, 429, 429])
    const refused = await ask('192.0.2.99')
    expect(refused.json().message).toBe(
      'at most 12 requests a minute to this route from 192.0.2.0/24',
    )
    expect(refused.headers['ratelimit-limit']).toBe('12')
    expect((await ask('192.0.3.1')).statusCode).toBe(400)

    expect(await statuses((n) => `2001:db8:0:${n.toString(16)}::1`, 13)).toEqual([...twelve, 429])
    // Three /56 more fill the /48; a fifth has none left, and the next /48 has its own.
    for (const third of ['100', '200', '300'])
      expect(await statuses(() => `2001:db8:0:${third}::1`, 3)).toEqual([400, 400, 400])
    expect((await ask('2001:db8:1::1')).statusCode).toBe(400)
  })

  test('a refused request uses none of its network’s allowance', async () => {
    await open()
    for (let n = 0; n < 100; n += 1) await ask('192.0.2.1')
    for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4'])
      expect((await ask(address)).statusCode).toBe(400)
  })

  test('does not limit browsing [spec 4.2 Artifact]', async () => {
    await open()
    for (let n = 0; n < 20; n += 1) {
      expect((await it.get('/api/market/orders')).statusCode).toBe(200)
    }
  })
})

test('the defaults are those of the design [spec 8 rule 2]', async () => {
  it = await openTestApp()
  const limitOf = async (method: 'GET' | 'POST', path: string) => {
    const response = await it.app.inject({ method, url: `/api/market/orders/${path}` })
    return Number(response.headers['ratelimit-limit'])
  }
  expect(await limitOf('GET', 'x/artifact')).toBe(60)
  expect(await limitOf('POST', 'x/revalidate')).toBe(30)
  expect(await limitOf('POST', 'build')).toBe(30)
  expect(await limitOf('POST', 'publish')).toBe(30)
  expect(await limitOf('POST', 'x/withdraw')).toBe(10)
  expect(await limitOf('POST', 'import')).toBe(60)
  expect(await limitOf('POST', 'portable-event')).toBe(60)
})

describe('all clients together', () => {
  const address = (n: number) => `10.${n >> 8}.${n & 255}.1`
  const open = async (clientsAtOnce = 6) => {
    const clock = new ManualClock()
    const http = { clientsAtOnce, rateLimits: { import: 10, publish: 10 } }
    it = await openTestApp({ http, ports: { clock } })
    return clock
  }
  const publish = () => it.post('/api/market/orders/publish', {})

  test('are limited on each expensive route: 503 with Retry-After', async () => {
    const clock = await open()
    const statuses = []
    for (let n = 0; n < 12; n += 1) statuses.push((await ask(address(n))).statusCode)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 503, 503])
    const refused = await ask(address(50))
    expect(refused.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
    expect(refused.headers['retry-after']).toBe('1')
    // Another route has a bucket of its own.
    expect((await publish()).statusCode).toBe(400)
    clock.advance(1_000)
    expect((await ask(address(50))).statusCode).toBe(400)
    expect((await ask(address(51))).statusCode).toBe(503)
  })

  test.each([
    { clients: 1, atOnce: 10, why: 'one client all that its limit allows' },
    { clients: 60, atOnce: 20, why: 'what all may send in two seconds' },
  ])('may send at once $why', async ({ clients, atOnce }) => {
    await open(clients)
    const statuses = []
    for (let n = 0; n <= atOnce; n += 1) statuses.push((await ask(address(n))).statusCode)
    expect(statuses).toEqual([...Array.from({ length: atOnce }, () => 400), 503])
  })

  describe('that send long bodies', () => {
    const body = (bytes: number) => ({ psbt: 'x'.repeat(bytes - '{"psbt":""}'.length) })
    const importOf = async (bytes: number, headers = {}) =>
      (await it.post(IMPORT, body(bytes), headers)).statusCode
    const long = () => importOf(262_144)

    test('get 503 once these are as many times 64 KiB as requests are allowed; short ones are served', async () => {
      const clock = await open(60)
      // 20 at once, and ten a second; each of these is three beyond the first.
      for (let n = 0; n < 6; n += 1) expect(await long()).toBe(400)
      expect(await long()).toBe(503)
      expect(await importOf(65_537 + 65_536)).toBe(400)
      expect(await importOf(65_537)).toBe(503)
      expect(await importOf(65_536)).toBe(400)
      clock.advance(100)
      expect(await importOf(65_537)).toBe(400)
    })

    test('of unknown length count as the longest, and those that are too long as none', async () => {
      await open(60)
      const chunked = () => importOf(100, { 'transfer-encoding': 'chunked' })
      for (let n = 0; n < 6; n += 1) expect(await chunked()).toBe(400)
      expect(await chunked()).toBe(503)
      for (let n = 0; n < 2; n += 1) expect(await importOf(262_145)).toBe(413)
      expect(await importOf(65_537 + 65_536)).toBe(400)
    })
  })

  test('what is refused for all of them is not looked up', async () => {
    const counts = new HeldCounts()
    const http = { clientsAtOnce: 1, rateLimits: { import: 10 } }
    it = await openTestApp({ http, ports: { clock: new ManualClock() }, sharedCounts: counts })
    for (let n = 0; n < 10; n += 1) {
      counts.set(0)
      expect((await ask(address(n))).statusCode).toBe(400)
    }
    const asked = counts.asked
    expect((await ask(address(11))).statusCode).toBe(503)
    expect(counts.asked).toBe(asked)
  })

  test('a flood of addresses does not reset any client’s count', async () => {
    const clock = await open()
    for (let n = 0; n < 10; n += 1) expect((await ask('192.0.2.1')).statusCode).toBe(400)
    let answered = 0
    for (let n = 0; n < 1_000; n += 1) {
      if (n % 20 === 0) clock.advance(500)
      void ask(address(n)).then(() => (answered += 1))
      await new Promise(setImmediate)
    }
    // Those that were held have waited for a second.
    const answeredLater = () => {
      clock.advance(100)
      return answered
    }
    await expect.poll(answeredLater).toBe(1_000)
    expect((await ask('192.0.2.1')).statusCode).toBe(429)
  })
})

describe('reads', () => {
  const read = (url: string) => it.get(url).then(({ statusCode }) => statusCode)

  test('are counted together, whatever their route; probes and health are not', async () => {
    it = await openTestApp({ http: { rateLimits: { read: 4 } } })
    const urls = [
      '/api/market/orders',
      '/api/market/catalog',
      '/api/market/activity',
      '/openapi.json',
    ]
    for (const url of urls) expect(await read(url), url).not.toBe(429)
    for (const url of urls) expect(await read(url), url).toBe(429)
    for (const url of ['/livez', '/readyz', '/api/market/health'])
      expect(await read(url), url).toBe(200)
    expect((await ask('127.0.0.1')).statusCode).toBe(400)
  })

  test('far from the limit do not wait for their count, and near it they do', async () => {
    const counts = new HeldCounts()
    it = await openTestApp({ sharedCounts: counts })
    expect(await read('/api/market/catalog')).toBe(200)
    counts.hold()
    for (let n = 0; n < 3; n += 1) {
      const response = await it.get('/api/market/catalog')
      expect(response.statusCode).toBe(200)
      expect(response.headers['ratelimit-remaining']).toBe(String(598 - n))
    }
    counts.release()
    counts.set(598)
    expect(await read('/api/market/catalog')).toBe(200)
    await expect.poll(() => read('/api/market/catalog')).toBe(429)
  })

  test('of an unknown client are counted while they are served: 8 of them before the first count', async () => {
    const counts = new HeldCounts()
    it = await openTestApp({ sharedCounts: counts })
    counts.hold()
    const answers = Array.from({ length: 12 }, () => it.get('/api/market/catalog'))
    // An IPv4 address and the network around it; four requests are looked up first.
    await expect.poll(() => [counts.asked, counts.counted]).toEqual([12 * 2, 8 * 2])
    counts.release()
    const all = await Promise.all(answers)
    expect(all.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 12 }, () => 200))
    const shown = all.map(({ headers }) => headers['ratelimit-remaining'])
    expect(new Set(shown).size).toBeGreaterThan(1)
    expect(shown).not.toContain(undefined)
  })

  test('are refused once a count has failed, and served again when they can be counted', async () => {
    const counts = new HeldCounts()
    it = await openTestApp({ sharedCounts: counts })
    expect(await read('/api/market/catalog')).toBe(200)
    counts.fail(true)
    await expect.poll(() => read('/api/market/catalog')).toBe(503)
    // Clients that were never counted are no way around it.
    for (let n = 0; n < 20; n += 1) {
      const remoteAddress = `192.0.2.${n}`
      const { statusCode } = await it.app.inject({ url: '/api/market/catalog', remoteAddress })
      expect(statusCode).toBe(503)
    }
    counts.fail(false)
    expect(await read('/api/market/catalog')).toBe(200)
  })

  test('of a client whose window is full are refused without another count', async () => {
    const counts = new HeldCounts()
    it = await openTestApp({ sharedCounts: counts })
    counts.set(599)
    expect(await read('/api/market/catalog')).toBe(200)
    const asked = counts.asked
    const refused = await it.get('/api/market/catalog')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '600',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
    })
    expect(counts.asked).toBe(asked)
  })

  test('600 a minute and client by default', async () => {
    it = await openTestApp()
    const response = await it.get('/api/market/catalog')
    expect(response.headers['ratelimit-limit']).toBe('600')
  })
})

/** Replaces Redis where a count must be late or fail. */
class HeldCounts implements RequestCounts {
  asked = 0
  counted = 0
  #current = 0
  #failing = false
  #held: (() => void)[] | null = null

  hold(): void {
    this.#held = []
  }

  release(): void {
    for (const answer of this.#held ?? []) answer()
    this.#held = null
  }

  set(current: number): void {
    this.#current = current
  }

  fail(failing: boolean): void {
    this.#failing = failing
  }

  async count(_key: string, isCounted: boolean): Promise<WindowCount> {
    this.asked += 1
    if (isCounted) this.#current += 1
    if (isCounted) this.counted += 1
    const held = this.#held
    if (held) await new Promise<void>((resolve) => held.push(resolve))
    if (this.#failing) throw new Error('away')
    return { current: this.#current, ttlMs: 60_000 }
  }
}
