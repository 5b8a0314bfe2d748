import { afterEach, describe, expect, test } from 'vitest'
import {
  OFFERS_LIMITS,
  type OffersLimits,
  openOffersFeed,
} from '../../../src/adapters/ord/offers-feed.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import {
  type HttpHandler,
  type HttpServer,
  openHttpServer,
} from '../../support/http/http-server.ts'
import { type FeedReader, readInBackground } from '../../support/log/feed-reader.ts'
import { makeBid } from '../../support/orders/psbt-orders.ts'
import { systemClock } from '../../support/system-clock.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

async function follow(
  handler: HttpHandler,
  { path = '', ...limits }: Partial<OffersLimits> & { path?: string } = {},
): Promise<{ reader: FeedReader; server: HttpServer }> {
  const server = await openHttpServer(handler)
  cleanUp.push(server.close)
  const feed = openOffersFeed({
    url: server.url + path,
    pollMs: 20,
    clock: systemClock,
    limits: { ...OFFERS_LIMITS, ...limits },
  })
  const reader = readInBackground(feed)
  cleanUp.push(reader.stop)
  return { reader, server }
}

const list = (...offers: unknown[]) => ({ body: JSON.stringify({ offers }) })
const psbts = ({ items }: FeedReader) =>
  items.map((item) => (item.kind === 'offer' ? item.psbt : item.kind))
const bid = makeBid().psbt

describe('the offers of ord', () => {
  test('are delivered as listed, and later ones too', async () => {
    const other = makeBid({ priceSats: '60000' }).psbt
    const { reader, server } = await follow(() => list(bid))
    await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
    expect(psbts(reader)).toEqual([bid])
    server.answer(() => list(bid, other))
    await reader.until('the new one is delivered', (it) => psbts(it).includes(other))
    expect(psbts(reader)).toEqual([bid, bid, other])
    expect(new Set(reader.ids()).size).toBe(2)
    expect(reader.ids()[0]).toMatch(/^[0-9a-f]{64}$/)
  })

  test('are requested repeatedly in the form that ord expects; an unchanged list delivers nothing', async () => {
    const { reader, server } = await follow(() => list(bid))
    await reader.until('it was requested often', ({ cursors }) => cursors.length > 4)
    expect(psbts(reader)).toEqual([bid])
    for (const { method, path, headers, body } of server.requests) {
      expect([method, path, headers.accept, body]).toEqual([
        'GET',
        '/offers',
        'application/json',
        '',
      ])
    }
  })

  test('of an unchanged list are delivered again from time to time: one may be provable only now', async () => {
    const { reader } = await follow(() => list(bid), { repeatMs: 100 })
    await reader.until('they were delivered three times', (it) => psbts(it).length > 2)
    expect(reader.cursors.length).toBeGreaterThan(psbts(reader).length)
    expect(new Set(reader.ids()).size).toBe(1)
  })

  test.each([
    ['', '/offers'],
    ['/', '/offers'],
    ['/offers', '/offers'],
    ['/ord/', '/ord/offers'],
    ['/ord/offers/', '/ord/offers'],
  ])('of the address %j are at %s', async (path, asked) => {
    const { reader, server } = await follow(() => list(), { path })
    await reader.until('it was requested', ({ cursors }) => cursors.length > 0)
    expect(server.requests[0]?.path).toBe(asked)
  })

  test('may be none', async () => {
    const { reader } = await follow(() => list())
    await reader.until('it was requested', ({ cursors }) => cursors.length > 1)
    expect(reader.items).toEqual([])
  })

  test('come in many batches', async () => {
    const { reader } = await follow(() => list(...Array.from({ length: 333 }, (_, n) => `${n}`)))
    await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
    expect(psbts(reader)).toEqual(Array.from({ length: 333 }, (_, n) => `${n}`))
  })

  test('that are larger than an order are counted, and hide no other', async () => {
    const { reader } = await follow(() => list('x'.repeat(140_001), bid))
    await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
    expect(psbts(reader)).toEqual(['oversized', bid])
  })
})

describe('a list that has outgrown what is read, since ord removes no offer', () => {
  const LEFT_OUT = 'oversized'
  const all = Array.from({ length: 100 }, (_, n) => `offer ${n}`)

  test.each<[string, Partial<OffersLimits>, number]>([
    ['in offers', { maxOffers: 30 }, 30],
    ['in bytes', { maxBodyBytes: 200 }, 17],
    ['in both', { maxOffers: 5, maxBodyBytes: 200 }, 5],
    ['by one offer', { maxOffers: 99 }, 99],
  ])('%s: its newest are delivered, and the feed is followed', async (_, limits, kept) => {
    const { reader, server } = await follow(() => list(...all), limits)
    await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
    expect(psbts(reader)).toEqual([LEFT_OUT, ...all.slice(-kept)])
    server.answer(() => list(...all, bid.slice(0, 50)))
    await reader.until('the new one is delivered', (it) => psbts(it).includes(bid.slice(0, 50)))
    expect(reader.fault).toBeNull()
  })

  test('by none is delivered whole', async () => {
    const { reader } = await follow(() => list(...all), { maxOffers: 100 })
    await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
    expect(psbts(reader)).toEqual(all)
  })

  test('without a whole offer in what is kept is malformed', async () => {
    const { reader } = await follow(() => list('x'.repeat(1_000)), { maxBodyBytes: 100 })
    expect(await reader.faulted()).toMatchObject({ trouble: 'malformed' })
  })
})

describe('a faulty offers feed', () => {
  test.each<[string, HttpHandler, object]>([
    [
      'gone',
      () => ({ status: 404, contentType: 'text/plain', body: 'no' }),
      { trouble: 'declined', message: 'HTTP 404 text/plain' },
    ],
    [
      'ord without JSON',
      () => ({ status: 406, contentType: 'text/plain', body: 'JSON API disabled' }),
      { trouble: 'declined' },
    ],
    [
      'a page for people',
      () => ({ contentType: 'text/html;charset=utf-8', body: '<html>' }),
      { trouble: 'declined', message: 'HTTP 200 text/html;charset=utf-8' },
    ],
    [
      'a redirect',
      () => ({ status: 302, body: '' }),
      { trouble: 'declined', message: 'HTTP 302 application/json' },
    ],
    ['broken', () => ({ status: 500, body: '' }), { trouble: 'declined' }],
    ['cut', () => 'reset', { trouble: 'unreachable' }],
    [
      'not JSON',
      () => ({ body: '{"offers":["' }),
      { trouble: 'malformed', message: 'the answer is not a list of offers' },
    ],
    ['a bare list', () => ({ body: '["a"]' }), { trouble: 'malformed' }],
    ['a list of numbers', () => list(1), { trouble: 'malformed' }],
    ['a list that is null', () => ({ body: '{"offers":null}' }), { trouble: 'malformed' }],
    ['compressed', () => ({ body: Buffer.from('1f8b0800', 'hex') }), { trouble: 'malformed' }],
    [
      'an endless body',
      () => ({ body: Buffer.alloc(2 ** 26 + 1, ' ') }),
      { trouble: 'too_large', message: 'the list is larger than 67108864 bytes' },
    ],
    [
      'larger than is kept, and no list',
      () => ({ body: Buffer.alloc(2 ** 23 + 1, ' ') }),
      { trouble: 'malformed', message: 'the answer is not a list of offers' },
    ],
    ['brackets', () => ({ body: '['.repeat(1_000_000) }), { trouble: 'too_large' }],
  ])('%s', async (_name, handler, fault) => {
    const { reader } = await follow(handler)
    expect(await reader.faulted()).toMatchObject(fault)
    expect(reader.cursors).toEqual([])
  })

  test('the largest number of offers that is read', async () => {
    const { reader } = await follow(() => list(...Array.from({ length: 20_000 }, () => 'a')))
    await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
    expect(reader.items).toHaveLength(20_000)
  })

  test('that hangs', async () => {
    const { reader } = await follow(() => 'hang', { timeoutMs: 100 })
    expect(await reader.faulted()).toMatchObject({
      trouble: 'silent',
      message: 'no complete answer within 100 ms',
    })
  })

  test('that drips, while memory is collected all the time', async () => {
    const { reader } = await follow(() => 'drip', { timeoutMs: 500 })
    const collecting = setInterval(collectGarbage, 20)
    cleanUp.push(async () => clearInterval(collecting))
    expect(await reader.faulted()).toMatchObject({
      trouble: 'silent',
      message: 'no complete answer within 500 ms',
    })
  })

  test('that does not exist', async () => {
    const { reader, server } = await follow(() => 'hang')
    await server.close()
    expect((await reader.faulted()).trouble).toBe('unreachable')
  })

  test('that is stopped while it waits for an answer ends at once', async () => {
    const { reader, server } = await follow(() => 'hang')
    await reader.until('it asked', () => server.requests.length > 0)
    const begun = performance.now()
    await reader.stop()
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})

test('the largest list that is read does not block the event loop for long', async () => {
  const offer = 'A'.repeat(2 ** 23 / 20_000 - 10)
  const body = Buffer.from(list(...Array.from({ length: 19_999 }, (_, n) => offer + n)).body)
  const { reader } = await follow(() => ({ body }))
  // Processor time between two turns: the clock would also count other programs' time.
  let longestMs = 0
  let last = process.cpuUsage()
  const tick = setInterval(() => {
    const { user, system } = process.cpuUsage(last)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    last = process.cpuUsage()
  }, 1)
  await reader.until('the list is delivered', ({ cursors }) => cursors.length > 0)
  clearInterval(tick)
  // A piece of work is some 30 ms; this includes the test's own server.
  expect(reader.items).toHaveLength(19_999)
  expect(longestMs).toBeLessThan(500)
})
