import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createMarketClient,
  type MarketClient,
  type MarketClientOptions,
  NetworkError,
  type PostPath,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../clients/typescript/src/index.ts'
import { settingsOf } from '../../clients/typescript/src/requests/options.ts'
import { isSentOnce } from '../../clients/typescript/src/requests/routes.ts'
import { type Fault, type FlakyProxy, openFlakyProxy } from '../support/http/flaky-proxy.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { recordedTiming } from '../support/http/recorded-timing.ts'

const HEALTH = '/api/market/health'
const AWAY: Fault = {
  status: 503,
  headers: { 'retry-after': '7' },
  body: JSON.stringify({ statusCode: 503, error: 'x', message: 'away', code: 'NODE_UNAVAILABLE' }),
}
const failing = (status: number, code?: string): Fault => ({
  status,
  body: JSON.stringify({ statusCode: status, error: 'x', message: 'no', ...(code && { code }) }),
})

let it: TestApp
let proxy: FlakyProxy
let timing: ReturnType<typeof recordedTiming>
beforeAll(async () => {
  it = await openTestApp()
  proxy = await openFlakyProxy(`http://127.0.0.1:${await it.listen()}`)
})
afterAll(async () => {
  await proxy.close()
  await it.close()
})
let before = 0
beforeEach(() => {
  timing = recordedTiming()
  before = proxy.requests.length
})
afterEach(() => proxy.fail())

const clientWith = (options: Partial<MarketClientOptions> = {}): MarketClient =>
  createMarketClient({ baseUrl: `${proxy.url}/`, timing, ...options })
const sent = () => proxy.requests.slice(before)
const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

describe('what makes a secret that the service does not keep', () => {
  const make = (options: { attempts?: number } = {}) =>
    clientWith().post('/api/market/admin/keys', {
      body: { name: 'acme', tier: 'maker' },
      ...options,
    })

  // A wrapper hands on what its own caller left out.
  const handedOn = { attempts: undefined } as never
  test.each([
    ['once', {}, 1],
    ['once by a wrapper', handedOn, 1],
    ['as often as the call says', { attempts: 2 }, 2],
  ])('is sent %s', async (_, options, times) => {
    proxy.fail({ status: 502 }, { status: 502 })
    expect(await rejectionOf(make(options))).toMatchObject({ status: 502 })
    expect(sent()).toHaveLength(times)
  })

  test('is every POST without an Idempotency-Key that changes something', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
    const unkept = Object.keys(paths).filter((path) => {
      const { post } = paths[path]
      return post && !JSON.stringify(post.parameters ?? []).includes('IdempotencyKey')
    })
    const isHarmless = (path: string) => /\/(inspect|check|self-spend|paddings|batch)$/.test(path)
    const isOnce = (path: string) => isSentOnce(path as PostPath)
    expect(unkept.length).toBeGreaterThan(4)
    expect(unkept.filter(isOnce)).toEqual(unkept.filter((path) => !isHarmless(path)))
  })
})

describe('a transient failure is retried', () => {
  test.each<[string, Fault]>([
    ['a connection that is refused', 'refuse'],
    ['an answer that is lost', 'lose'],
    ['an answer that is cut', 'cut'],
    ['408', failing(408, 'REQUEST_TIMEOUT')],
    ['409 for a key in use', failing(409, 'IDEMPOTENCY_KEY_IN_USE')],
    ['429', failing(429, 'MARKET_RATE_LIMITED')],
    ['502 of a proxy', { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>' }],
    ['503', failing(503, 'OVERLOADED')],
    ['504', failing(504, 'STILL_BEING_VERIFIED')],
  ])('%s', async (_what, fault) => {
    proxy.fail(fault, fault)
    expect(await clientWith().get(HEALTH)).toMatchObject({ service: 'market' })
    expect(sent().map((one) => one.fault)).toEqual([fault, fault, 'pass'])
    expect(timing.waits).toEqual([188, 375])
  })

  test('not before the time in the answer', async () => {
    proxy.fail(AWAY)
    await clientWith().get(HEALTH)
    expect(timing.waits).toEqual([7_188])
  })

  test('a date in Retry-After is a time to wait until', async () => {
    const at = new Date(Date.now() + 9_500).toUTCString()
    proxy.fail({ status: 503, headers: { 'retry-after': at } })
    await clientWith().get(HEALTH)
    expect(timing.waits[0]).toBeGreaterThan(8_000)
    expect(timing.waits[0]).toBeLessThan(11_000)
  })

  test('a request that hangs is given up after its time limit', async () => {
    proxy.fail('hang')
    expect(await clientWith({ attemptMs: 500 }).get(HEALTH)).toMatchObject({ service: 'market' })
    expect(sent().length).toBeGreaterThan(1)
  })
})

describe('it is retried within limits', () => {
  test('of attempts', async () => {
    proxy.fail('refuse', 'refuse', 'refuse')
    const error = await rejectionOf(clientWith({ attempts: 2 }).get(HEALTH))
    expect(error).toBeInstanceOf(NetworkError)
    expect(sent()).toHaveLength(2)
    proxy.fail(AWAY)
    expect(await rejectionOf(clientWith().get(HEALTH, { attempts: 1 }))).toMatchObject({
      name: 'UnavailableError',
      retryAfter: 7,
    })
  })

  test('of time: no wait is begun that would end after it', async () => {
    proxy.fail(AWAY, AWAY, AWAY)
    const error = await rejectionOf(clientWith({ totalMs: 10_000 }).get(HEALTH))
    expect(error).toMatchObject({ code: 'NODE_UNAVAILABLE', retryAfter: 7, messages: ['away'] })
    expect(timing.waits).toEqual([7_188])
    expect(sent()).toHaveLength(2)
  })

  test('of time, for an attempt too', async () => {
    proxy.fail('hang')
    const error = await rejectionOf(clientWith({ totalMs: 500 }).get(HEALTH))
    expect(error).toBeInstanceOf(TimeoutError)
    // One that arrives later would meet what the next test plans.
    expect(sent()).toHaveLength(1)
  })
})

test('Infinity is no bound, and no wait is cut by how long timers last', async () => {
  const limitless = { attemptMs: Number.POSITIVE_INFINITY, totalMs: Number.POSITIVE_INFINITY }
  proxy.fail(AWAY)
  expect(await clientWith(limitless).get(HEALTH)).toMatchObject({ service: 'market' })
  expect(sent()).toHaveLength(2)
  const { timing: real } = settingsOf({ baseUrl: proxy.url })
  const stop = new AbortController()
  const month = real.sleep(30 * 86_400_000, stop.signal).then(
    () => 'over',
    () => 'aborted',
  )
  setTimeout(() => stop.abort(), 100)
  expect(await month).toBe('aborted')
})

describe('a permanent failure is not retried', () => {
  test.each<[string, Fault]>([
    ['400', failing(400, 'VALIDATION_FAILED')],
    ['401', failing(401, 'UNAUTHORIZED')],
    ['404', failing(404, 'NOT_FOUND')],
    ['409 of another kind', failing(409)],
    ['500', failing(500, 'INTERNAL')],
    ['a disabled market', failing(503, 'MARKET_DISABLED')],
    ['a process that is not ready', failing(503, 'NOT_READY')],
    ['a pipeline that is not ready', { status: 503, body: '{"ready":false,"reasons":[]}' }],
    ['a read that is not verified', { status: 503, body: '{"status":"verification_unavailable"}' }],
    ['a page of something else', { status: 200, headers: { 'content-type': 'text/html' } }],
    ['JSON that is not whole', { status: 200, body: '{"ok":' }],
  ])('%s', async (_what, fault) => {
    proxy.fail(fault)
    expect(await rejectionOf(clientWith().get(HEALTH))).toBeInstanceOf(Error)
    expect(sent()).toHaveLength(1)
  })

  test('an answer that is too long', async () => {
    const error = await rejectionOf(clientWith({ maxAnswerBytes: 100 }).get(HEALTH))
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(sent()).toHaveLength(1)
  })
})

describe('a call that is aborted rejects with the reason', () => {
  const reason = new Error('the user left')

  test('before it is sent', async () => {
    const call = clientWith().get(HEALTH, { signal: AbortSignal.abort(reason) })
    expect(await rejectionOf(call)).toBe(reason)
    expect(sent()).toHaveLength(0)
  })

  test('while it waits for an answer', async () => {
    proxy.fail('hang')
    const user = new AbortController()
    const call = rejectionOf(clientWith().get(HEALTH, { signal: user.signal }))
    await expect.poll(() => sent().length).toBe(1)
    user.abort(reason)
    expect(await call).toBe(reason)
  })

  test('while it waits to be retried', async () => {
    proxy.fail(AWAY)
    const user = new AbortController()
    const client = createMarketClient({ baseUrl: proxy.url })
    const call = rejectionOf(client.get(HEALTH, { signal: user.signal }))
    await expect.poll(() => sent().length).toBe(1)
    setTimeout(() => user.abort(reason), 50)
    expect(await call).toBe(reason)
    expect(sent()).toHaveLength(1)
  })
})

describe('a POST', () => {
  const inspect = { body: { psbt: 'no PSBT' } }
  const keys = () => sent().map(({ headers }) => headers['idempotency-key'])

  test('is retried under the key of its call, with its body', async () => {
    proxy.fail('lose', 'refuse')
    const client = clientWith()
    expect(await client.post('/api/market/orders/inspect', inspect)).toMatchObject({ kind: 'PSBT' })
    const [first, ...others] = keys()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(others).toEqual([first, first])
    await client.post('/api/market/orders/inspect', inspect)
    expect(keys()[3]).not.toBe(first)
  })

  test('takes effect once where its answer was lost: the service repeats the answer', async () => {
    const order = await it.seed()
    const { id } = order
    const played = it.commands.doNext(order)
    proxy.fail('lose')
    const path = { id }
    expect(await clientWith().post('/api/market/orders/{id}/revalidate', { path })).toMatchObject({
      id,
    })
    await played
    // A second command would have waited for an actor; only one is answered.
    expect(sent()).toHaveLength(2)
    expect(new Set(keys()).size).toBe(1)
  })

  test('has the key that the caller gives', async () => {
    await clientWith().post('/api/market/orders/inspect', { ...inspect, idempotencyKey: 'mine' })
    expect(keys()).toEqual(['mine'])
  })
})

test('headers and a token are sent with every request', async () => {
  await clientWith({ token: 'secret', headers: { 'x-request-id': 'mine' } }).get(HEALTH)
  expect(sent()[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'x-request-id': 'mine',
  })
})

test.each(['market.example', '/api', 'ftp://market.example'])('%s is not an address', (baseUrl) => {
  expect(() => createMarketClient({ baseUrl })).toThrow(TypeError)
})
