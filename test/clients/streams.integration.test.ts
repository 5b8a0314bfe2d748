import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createMarketClient,
  type MarketClientOptions,
  type StreamItem,
  type StreamOptions,
} from '../../clients/typescript/src/index.ts'
import { type FlakyProxy, openFlakyProxy } from '../support/http/flaky-proxy.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { recordedTiming } from '../support/http/recorded-timing.ts'
import { LiveLifecycle } from '../support/log/live-lifecycle.ts'
import { bookOf } from '../support/orders/order-book.ts'

const ORDERS = bookOf(6, 20)
const EVERYTHING = { includeWithdrawn: true }

interface TwoGateways {
  gateways: [TestApp, TestApp]
  addresses: [string, string]
  lifecycle: LiveLifecycle
  close(): Promise<void>
}

/** Two gateways over one log, and the actors, whom the test plays. */
async function openTwoGateways(): Promise<TwoGateways> {
  const first = await openTestApp()
  const { log, views } = first.gateway
  const second = await openTestApp({ ports: { log, views } })
  const lifecycle = new LiveLifecycle(log, views)
  const addressOf = async (app: TestApp) => `http://127.0.0.1:${await app.listen()}`
  return {
    gateways: [first, second],
    addresses: [await addressOf(first), await addressOf(second)],
    lifecycle,
    async close() {
      await lifecycle.close()
      await second.close()
      await first.close()
    },
  }
}

let shared: TwoGateways
beforeAll(async () => {
  shared = await openTwoGateways()
})
afterAll(() => shared.close())

let proxy: FlakyProxy
let timing: ReturnType<typeof recordedTiming>
let stop: AbortController
beforeEach(async () => {
  proxy = await openFlakyProxy(shared.addresses[0])
  timing = recordedTiming()
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await proxy.close()
})

/** A stream through the proxy, without pauses. */
function follow(options: StreamOptions = {}, made: Partial<MarketClientOptions> = {}) {
  const client = createMarketClient({ baseUrl: proxy.url, timing, ...made })
  const stream = client.follow(EVERYTHING, { signal: stop.signal, ...options })
  const items = stream[Symbol.asyncIterator]()
  const next = async (): Promise<StreamItem> => {
    const { value } = await items.next()
    if (!value) throw new Error('the stream ended')
    return value
  }
  return { stream, items, next }
}

/** Every write changes the state of an order. */
const write = ({ lifecycle }: TwoGateways, n: number) => {
  const order = ORDERS[n % ORDERS.length]
  if (!order) throw new Error('no orders')
  return lifecycle.write(order, {
    state: Math.floor(n / ORDERS.length) % 2 === 0 ? 'SPENT' : 'LIVE',
  })
}
const changeOf = (item: StreamItem) =>
  item.type === 'change' ? `${item.data.orderId}:${item.data.seq}` : item.type
const lastIds = () => proxy.requests.map(({ headers }) => headers['last-event-id'])

describe('a stream begins with a snapshot, and then has each change once', () => {
  test('whatever happens to its connections and gateways', async () => {
    const own = await openTwoGateways()
    proxy.lead(own.addresses[0])
    const { next } = follow()
    expect(await next()).toMatchObject({ type: 'snapshot', reason: 'begun', data: { total: 0 } })
    const told: string[] = []
    const received: string[] = []
    for (let n = 0; n < 40; n += 1) {
      const { orderId, seq } = await write(own, n)
      told.push(`${orderId}:${seq}`)
      received.push(changeOf(await next()))
      if (n % 5 === 4) proxy.cut()
      if (n % 10 === 7) proxy.fail('refuse', { status: 503 }, 'refuse')
      if (n === 20) {
        // A gateway is closed in the middle of the stream, and another takes over.
        proxy.lead(own.addresses[1])
        await own.gateways[0].app.close()
      }
    }
    expect(received).toEqual(told)
    expect(lastIds().filter((id) => id === undefined)).toHaveLength(1)
    stop.abort()
    await own.close()
  })

  test('and continues from a saved place', async () => {
    const { next, stream } = follow()
    await next()
    await write(shared, 0)
    const item = await next()
    expect(stream.lastEventId).toBe(item.id)
    const { orderId, seq } = await write(shared, 1)
    const later = follow({ lastEventId: item.id })
    expect(later.stream.lastEventId).toBe(item.id)
    expect(changeOf(await later.next())).toBe(`${orderId}:${seq}`)
  })

  test('and says why it has to start over', async () => {
    const { next } = follow()
    const begun = await next()
    // The service's answer after too long a pause.
    const body = 'id: x\nevent: resync-required\ndata: {"reason":"too_old"}\n\n'
    proxy.fail({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })
    proxy.cut()
    expect(await next()).toMatchObject({ type: 'snapshot', reason: 'too_old' })
    expect(lastIds()).toEqual([undefined, begun.id, undefined])
  })

  test('and starts over where the service does not know its place', async () => {
    const { next } = follow({ lastEventId: 'of-another-service' })
    expect(await next()).toMatchObject({ type: 'snapshot', reason: 'cursor_refused' })
    expect(lastIds()).toEqual(['of-another-service', undefined])
  })
})

describe('a connection', () => {
  test('that says nothing is replaced', async () => {
    proxy.fail({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'content-length': '1000' },
      body: 'retry: 3000\n\n',
    })
    const { next } = follow({ silentMs: 500 })
    expect((await next()).type).toBe('snapshot')
    // The pause is the one that the service named.
    expect(timing.waits[0]).toBe(2_250)
  })

  test('without an answer is given up', async () => {
    proxy.fail('hang')
    const { next } = follow({}, { attemptMs: 500 })
    expect((await next()).type).toBe('snapshot')
    expect(proxy.requests.length).toBeGreaterThan(1)
  })

  test('with an endless refusal is given up', async () => {
    proxy.fail({ status: 503, headers: { 'content-length': '1000' }, body: '{' })
    const { next } = follow({}, { attemptMs: 500 })
    expect((await next()).type).toBe('snapshot')
    expect(proxy.requests.length).toBeGreaterThan(1)
  })

  test('that fails again and again is retried with longer and longer pauses, up to a limit', async () => {
    proxy.fail(...Array.from({ length: 8 }, () => 'refuse' as const))
    const { next } = follow()
    await next()
    expect(timing.waits).toEqual([188, 375, 750, 1_500, 3_000, 6_000, 7_500, 7_500])
  })

  test.each(['MARKET_DISABLED', 'NOT_READY'])(
    'is retried after a 503 %s, whenever that ends',
    async (code) => {
      proxy.fail(
        ...Array.from({ length: 5 }, () => ({
          status: 503,
          body: `{"message":"-","code":"${code}"}`,
        })),
      )
      const { next } = follow()
      expect((await next()).type).toBe('snapshot')
      expect(proxy.requests).toHaveLength(6)
    },
  )

  test('is kept alive by its heartbeats too, though none is an item and the place does not move', async () => {
    const heartbeat = 'id: a\nevent: heartbeat\ndata: {"at":"x"}\n\n'
    proxy.fail({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `retry: 1\n\n${heartbeat.repeat(3)}`,
    })
    const onHeard = vi.fn()
    const { next } = follow({ onHeard })
    expect((await next()).type).toBe('snapshot')
    expect(onHeard).toHaveBeenCalledTimes(4)
  })

  test('is told to be lost at each connection that breaks or cannot be made', async () => {
    proxy.fail('cut', 'refuse', { status: 503 })
    const said: string[] = []
    const { next } = follow({ onHeard: () => said.push('heard'), onLost: () => said.push('lost') })
    expect((await next()).type).toBe('snapshot')
    expect(said.filter((one) => one === 'lost')).toHaveLength(3)
    expect(said.at(-1)).toBe('heard')
  })

  test('is tried as often as configured', async () => {
    proxy.fail('refuse', { status: 503, headers: { 'retry-after': '3' } })
    const { next } = follow({ attempts: 2 })
    await expect(next()).rejects.toMatchObject({ name: 'UnavailableError', retryAfter: 3 })
  })

  test('that ends and told nothing counts as one that failed', async () => {
    const body = 'retry: 1000\n\n: hello\n\n'
    const silent = { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
    proxy.fail(silent, silent, silent)
    const { next } = follow({ attempts: 3 })
    await expect(next()).rejects.toMatchObject({ name: 'NetworkError' })
    expect(proxy.requests).toHaveLength(3)
  })

  test('that ends after it told something does not', async () => {
    const heartbeat = 'id: a\nevent: heartbeat\ndata: {"at":"x"}\n\n'
    const headers = { 'content-type': 'text/event-stream' }
    proxy.fail({ status: 200, headers, body: heartbeat })
    const { next } = follow({ attempts: 1 })
    expect((await next()).type).toBe('snapshot')
  })

  test('may have unknown events, which are places too', async () => {
    proxy.fail({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: ': hello\n\nid: a\nevent: news\ndata: {}\n\nid: b\nevent: heartbeat\ndata: {"at":"x"}\n\n',
    })
    proxy.cut()
    const { next } = follow()
    await expect.poll(async () => (await next()).type).toBe('snapshot')
    expect(lastIds().slice(0, 2)).toEqual([undefined, 'b'])
  })
})

describe('a stream ends', () => {
  test('with its signal', async () => {
    const { next } = follow()
    await next()
    const waiting = next()
    const reason = new Error('the page is closed')
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  test('with the loop that reads it, and its connection with it', async () => {
    const { stream } = follow()
    for await (const item of stream) {
      expect(item.type).toBe('snapshot')
      break
    }
    await expect.poll(() => connectionsOf(shared.gateways[0])).toBe(0)
  })

  test.each([
    ['400', { status: 400, body: '{"message":"state: unknown","code":"VALIDATION_FAILED"}' }],
    ['404', { status: 404, body: '{"message":"no order","code":"ORDER_NOT_FOUND"}' }],
    ['an answer that is not a stream', { status: 200, body: '{}' }],
    ['an event that is not JSON', event('snapshot', '{')],
  ])('with %s', async (_what, fault) => {
    proxy.fail(fault)
    await expect(follow().next()).rejects.toMatchObject({
      name: expect.stringMatching(/^(BadRequest|NotFound|UnexpectedAnswer)Error$/),
    })
    expect(proxy.requests).toHaveLength(1)
  })
})

function event(name: string, data: string) {
  const headers = { 'content-type': 'text/event-stream' }
  return { status: 200, headers, body: `id: a\nevent: ${name}\ndata: ${data}\n\n` }
}

const connectionsOf = ({ app }: TestApp): Promise<number> =>
  new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
