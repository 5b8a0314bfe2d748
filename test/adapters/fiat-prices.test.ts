import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  fiatPricesIn,
  type OpenFiatPrices,
  openFiatPrices,
} from '../../src/adapters/fiat-prices.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const TIME = NOW / 1_000 - 60
const AT = new Date(TIME * 1_000).toISOString()

describe('of what a server says counts', () => {
  test('each finite, positive price in a sane range under a code of three letters', () => {
    const said = {
      ...{
        time: TIME,
        USD: 61_000.5,
        EUR: 0,
        GBP: -1,
        CHF: '61000',
        CAD: 1e13,
        AUD: null,
        JPY: 9e6,
      },
      ...{ usd: 61_000, BITCOIN: 1, __proto__: { SEK: 5 } },
    }
    expect(fiatPricesIn(said, NOW)).toEqual({ at: AT, prices: { USD: 61_000.5, JPY: 9_000_000 } })
  })

  test.each([
    ['nothing', null],
    ['a list', [1]],
    ['no time', { USD: 61_000 }],
    ['a time as text', { time: String(TIME), USD: 61_000 }],
    ['of the day before yesterday', { time: TIME - 2 * 86_400, USD: 61_000 }],
    ['of tomorrow', { time: TIME + 86_400, USD: 61_000 }],
    ['no price', { time: TIME, USD: 1e300 }],
  ])('%s: none', (_, said) => {
    expect(fiatPricesIn(said, NOW)).toBeNull()
  })
})

describe('the source', () => {
  let listener: RequestListener
  let server: ReturnType<typeof createServer>
  let prices: OpenFiatPrices
  let asked: (string | undefined)[]
  let wall: number
  let monotonic: number
  let open: (timeoutMs: number) => OpenFiatPrices
  beforeEach(async () => {
    asked = []
    wall = NOW
    monotonic = 0
    server = createServer((request, response) => {
      asked.push(request.url)
      listener(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/prices?of=all`
    const clock = { now: () => wall, monotonic: () => monotonic }
    open = (timeoutMs) => openFiatPrices({ url, clock, timeoutMs })
    prices = open(30_000)
  })
  afterEach(async () => {
    await prices.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const passMinutes = (minutes: number) => {
    wall += minutes * 60_000
    monotonic += minutes * 60_000
  }

  test('is asked once a minute, whoever reads', async () => {
    listener = (_request, response) => response.end(JSON.stringify({ time: TIME, USD: 61_000 }))
    const all = await Promise.all([prices.read(), prices.read(), prices.read()])
    expect(all).toEqual(Array(3).fill({ at: AT, prices: { USD: 61_000 } }))
    await prices.read()
    expect(asked).toEqual(['/api/v1/prices?of=all'])
    passMinutes(1)
    await prices.read()
    expect(asked).toHaveLength(2)
  })

  test.each<[string, RequestListener]>([
    ['fails', (_request, response) => response.writeHead(503).end('{}')],
    ['leads elsewhere', (_request, response) => response.writeHead(302, { location: '/x' }).end()],
    [
      'is too large',
      (_request, response) => response.end(`{"time":${TIME},"USD":1${' '.repeat(20_000)}}`),
    ],
    ['is no JSON', (_request, response) => response.end('<html>')],
    ['lies', (_request, response) => response.end(`{"time":${TIME},"USD":-5}`)],
  ])('that %s leaves what was known, for a day', async (_, fault) => {
    listener = (_request, response) => response.end(JSON.stringify({ time: TIME, USD: 61_000 }))
    await prices.read()
    listener = fault
    passMinutes(2)
    expect(await prices.read()).toEqual({ at: AT, prices: { USD: 61_000 } })
    passMinutes(24 * 60)
    expect(await prices.read()).toBeNull()
  })
  test('that hangs is not waited for', async () => {
    listener = () => undefined
    const impatient = open(50)
    expect(await impatient.read()).toBeNull()
    await impatient.close()
  })
})
