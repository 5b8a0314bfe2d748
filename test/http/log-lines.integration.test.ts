import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  UNREADABLE_ADDRESS_METRIC,
  UNTRUSTED_PROXY_METRIC,
} from '../../src/http/plugins/proxies.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp()
})
afterAll(() => it.close())

const entries = () => it.logLines.map((line) => JSON.parse(line))

test('an answer is one line: the route’s pattern, the status and the time it took', async () => {
  await it.get('/api/market/orders/abc?search=secret', { 'x-request-id': 'line-1' })
  expect(entries().filter(({ reqId }) => reqId === 'line-1')).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'answered',
      method: 'GET',
      route: '/api/market/orders/:id',
      statusCode: 404,
      ms: expect.any(Number),
      ip: '127.0.0.1',
    }),
  ])
})

test('a probe has no line at info, but a refusal of one has', async () => {
  const app = await openTestApp()
  await app.get('/livez')
  await app.app.inject({ url: '/livez', method: 'POST', payload: '{' })
  const logged = app.logLines.map((line) => JSON.parse(line))
  expect(logged.map(({ method, route }) => `${method} ${route}`)).toEqual(['POST /livez'])
  await app.close()
})

describe('the client of an answer', () => {
  test.each([
    ['address', '203.0.113.77', '203.0.113.77'],
    ['network', '203.0.113.77', '203.0.113.0/24'],
    ['network', '2001:db8:1:2::77', '2001:db8:1::/48'],
    ['network', '::ffff:203.0.113.77', '203.0.113.0/24'],
    ['none', '203.0.113.77', undefined],
  ] as const)('is logged by its %s: %s', async (logClients, remoteAddress, expected) => {
    const app = await openTestApp({ http: { logClients } })
    await app.app.inject({ url: '/api/market/health', remoteAddress })
    await app.app.inject({ url: '/api/market/health', remoteAddress, method: 'POST', payload: '{' })
    const logged = app.logLines.map((line) => JSON.parse(line))
    expect(logged.map(({ ip }) => ip)).toEqual([expected, expected])
    if (logClients !== 'address') expect(app.logLines.join('')).not.toContain(remoteAddress)
    await app.close()
  })
})

describe('a proxy that seems not to be trusted', () => {
  const told = (app: TestApp) => app.logLines.filter((line) => line.includes('TRUST_PROXY'))
  const counted = async (app: TestApp) =>
    (await app.registry.getSingleMetric(UNTRUSTED_PROXY_METRIC)?.get())?.values[0]?.value
  const ask = (app: TestApp, remoteAddress: string, forwarded?: string) =>
    app.app.inject({
      url: '/api/market/health',
      remoteAddress,
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    })

  test.each([
    '127.0.0.1',
    '10.9.8.7',
    '172.31.0.1',
    '192.168.1.1',
    '::1',
    '::ffff:10.0.0.1',
    'fd00::1',
  ])('is logged once, and counted: %s', async (peer) => {
    const app = await openTestApp()
    for (let n = 0; n < 3; n += 1) await ask(app, peer, '198.51.100.1')
    expect(told(app).map((line) => JSON.parse(line))).toMatchObject([{ level: 40, peer }])
    expect(await counted(app)).toBe(3)
    await app.close()
  })

  test('is not reported where nothing is forwarded, where it is trusted, or where a client of the Internet says so', async () => {
    for (const trustProxy of [[], ['10.0.0.0/8'], 1]) {
      const app = await openTestApp({ http: { trustProxy } })
      await ask(app, '10.0.0.1')
      await ask(app, '203.0.113.1', '198.51.100.1')
      if (`${trustProxy}` !== '') await ask(app, '10.0.0.1', '198.51.100.1')
      expect(told(app)).toEqual([])
      expect(await counted(app)).toBe(0)
      await app.close()
    }
  })
})

describe('an address that a trusted proxy forwards', () => {
  const ask = (app: TestApp, forwarded: string) =>
    app.app.inject({
      url: '/api/market/health',
      remoteAddress: '10.0.0.1',
      headers: { 'x-forwarded-for': forwarded },
    })
  const counted = async (app: TestApp) =>
    (await app.registry.getSingleMetric(UNREADABLE_ADDRESS_METRIC)?.get())?.values[0]?.value

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['198.51.100.1, 203.0.113.9:51234', '203.0.113.9'],
  ])('may have a port and brackets: %s is %s', async (forwarded, expected) => {
    const app = await openTestApp({ http: { trustProxy: ['10.0.0.0/8'] } })
    await ask(app, forwarded)
    const lines = app.logLines.map((line) => JSON.parse(line))
    expect(lines).toMatchObject([{ msg: 'answered', ip: expected }])
    expect(await counted(app)).toBe(0)
    await app.close()
  })

  // Each proxy writes the address of who it was sent from: of the proxy before it, too.
  test.each([
    ['203.0.113.9:51234, 10.0.0.2:443, 192.0.2.7:8443', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9:51234, 10.0.0.2:443', '203.0.113.9'],
    ['[2001:db8::1]:51234, [fd00::2]:443, ::ffff:10.0.0.3', '2001:db8::1'],
    ['203.0.113.9, 192.0.2.8:443', '192.0.2.8'],
    // All of them: the client is one of the proxies' own.
    ['10.0.0.4:80, 10.0.0.2', '10.0.0.4'],
  ])('may come through several proxies, each with its port: %s is %s', async (through, client) => {
    const trustProxy = ['10.9.9.9/8', '192.0.2.7', 'fd00::/8']
    const app = await openTestApp({ http: { trustProxy } })
    await ask(app, through)
    const lines = app.logLines.map((line) => JSON.parse(line))
    expect(lines).toMatchObject([{ msg: 'answered', ip: client }])
    expect(await counted(app)).toBe(0)
    await app.close()
  })

  test('may come through a number of proxies, each with its port', async () => {
    const app = await openTestApp({ http: { trustProxy: 3 } })
    await ask(app, '198.51.100.1, 203.0.113.9:51234, 192.0.2.7:443, 192.0.2.8:8443')
    const lines = app.logLines.map((line) => JSON.parse(line))
    expect(lines).toMatchObject([{ msg: 'answered', ip: '203.0.113.9' }])
    await app.close()
  })

  test.each(['unknown', '_hidden', '203.0.113.9:', '[203.0.113.9', 'fe80::1%eth0', '203.0.113:80'])(
    'and is none is counted, and reported once: %s',
    async (forwarded) => {
      const app = await openTestApp({ http: { trustProxy: ['10.0.0.0/8'] } })
      for (let n = 0; n < 3; n += 1) await ask(app, forwarded)
      const lines = app.logLines.map((line) => JSON.parse(line))
      expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ peer: '10.0.0.1' }])
      expect(lines.filter(({ msg }) => msg === 'answered')).toMatchObject(
        Array(3).fill({ ip: '10.0.0.1' }),
      )
      expect(await counted(app)).toBe(3)
      await app.close()
    },
  )
})

describe('log injection', () => {
  test.each([
    '/nowhere%0a%7B%22level%22:60%7D',
    '/%1b[31mred',
    '/\u0085%E2%80%A8',
    `/api/market/orders?search=${encodeURIComponent('\n{"msg":"forged"}\u001b[2J')}`,
  ])('%s stays within one JSON line', async (url) => {
    const before = it.logLines.length
    await it.get(url, { 'user-agent': 'a\tb', 'x-request-id': '\u0001' })
    const lines = it.logLines.slice(before)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      expect(line.endsWith('\n')).toBe(true)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none must be in a line
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f]/)
      expect(JSON.parse(line)).not.toMatchObject({ msg: 'forged' })
    }
  })
})

test('neither a PSBT nor a credential that came in with a request is logged', async () => {
  const secret = 'cHNidP8BAHUCAAAAASaBcTce3'
  await it.post(
    '/api/market/orders/import',
    { psbt: secret },
    { authorization: `Bearer ${secret}` },
  )
  await it.post('/api/market/orders/import', { psbt: 1, [secret]: 1 })
  expect(it.logLines.join('')).not.toContain(secret)
})

test('answers are counted by route, method and status', async () => {
  await it.get('/api/market/orders/abc')
  await it.get('/nowhere/at/all')
  const text = await it.registry.metrics()
  expect(text).toMatch(
    /market_http_request_seconds_count\{route="\/api\/market\/orders\/:id",method="GET",status="404"\} \d/,
  )
  expect(text).toContain('route="unknown"')
})
