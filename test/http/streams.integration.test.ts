import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signedPlace } from '../../src/gateway/streaming/stream-query.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { followChanges } from '../../src/streams/activity/follow-changes.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../support/http/http.ts'
import { openStream, type StreamClient } from '../support/http/stream-client.ts'
import { LiveLifecycle } from '../support/log/live-lifecycle.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { outcomeOf } from '../support/orders/order-changes.ts'

const STREAM = '/api/market/activity/stream'
const AT = '2026-11-01T00:00:00.000Z'

let app: TestApp
let lifecycle: LiveLifecycle
let base: string
let streams: StreamClient[]
/** Different ids, an ask each, LIVE, without a market or token. */
let book: OrderRecord[]

async function start(options: TestAppOptions = {}): Promise<void> {
  app = await openTestApp(options)
  lifecycle = new LiveLifecycle(app.gateway.log, app.gateway.views)
  base = `http://127.0.0.1:${await app.listen()}`
  streams = []
  book = bookOf(60, 7)
    .filter(({ side }) => side === 'ASK')
    .map(({ protocolId: _market, token: _token, hidden: _hidden, ...order }) => ({
      ...order,
      state: 'LIVE',
    }))
}
async function stop(): Promise<void> {
  for (const stream of streams) stream.kill()
  await lifecycle.close()
  await app.close()
}
beforeEach(() => start())
afterEach(stop)

async function open(query = '', headers: Record<string, string> = {}): Promise<StreamClient> {
  const stream = await openStream(`${base}${STREAM}${query}`, headers)
  streams.push(stream)
  return stream
}
const orderAt = (at: number): OrderRecord => {
  const order = book[at]
  if (!order) throw new Error(`the book has no order ${at}`)
  return order
}
/** Written, and in the views. */
async function seeded(...orders: OrderRecord[]): Promise<void> {
  for (const order of orders) await lifecycle.write(order)
  for (const { id } of orders) {
    await expect.poll(async () => (await app.gateway.views.order(id))?.order.id).toBe(id)
  }
}

describe('a new stream', () => {
  test('begins with the orders that match now, and continues with later changes', async () => {
    const [sold, other] = [orderAt(0), orderAt(1)]
    await seeded(sold, other)
    const stream = await open()
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.headers['cache-control']).toBe('no-store')
    const { data } = await stream.nextOf('snapshot')
    expect(data).toMatchObject({ total: 2, hasMore: false })
    expect(data.orders.map(({ id }) => id).sort()).toEqual([sold.id, other.id].sort())
    const { seq } = await lifecycle.write(sold, { state: 'SPENT', reason: 'spent_in_mempool' })
    const { data: change } = await stream.nextOf('change')
    expect(change).toMatchObject({
      orderId: sold.id,
      seq,
      entry: { id: `${sold.id}:${seq}`, fromState: 'LIVE', toState: 'SPENT' },
      order: { id: sold.id, state: 'SPENT' },
    })
  })

  test('has as many orders in its snapshot as requested, and says that there are more', async () => {
    await seeded(orderAt(0), orderAt(1), orderAt(2))
    const { data } = await (await open('?limit=2')).nextOf('snapshot')
    expect(data.orders).toHaveLength(2)
    expect(data).toMatchObject({ total: 3, hasMore: true })
  })

  test('has no outcome and no mere verification, but a change that moves no state', async () => {
    const order = orderAt(0)
    await seeded(order)
    const stream = await open()
    await stream.nextOf('snapshot')
    await lifecycle.append(lifecycle.partitionOf(order.id), outcomeOf('r', order.id))
    await lifecycle.write(order, { verifiedAt: order.createdAt }, 'verified')
    const { seq } = await lifecycle.write(order, { notes: ['a note'] }, 'noted')
    expect((await stream.nextOf('change')).data).toMatchObject({ seq, entry: null })
  })
})

test('a verification that gives its order a token is told, where the order matches by it too', async () => {
  const order = orderAt(0)
  await seeded(order)
  const streams = [await open('?token=ordi'), await open()]
  for (const stream of streams) await stream.nextOf('snapshot')
  const { seq } = await lifecycle.write(order, { token: 'ORDI', verifiedAt: AT }, 'verified')
  for (const stream of streams) {
    const { data } = await stream.nextOf('change')
    expect(data).toMatchObject({ seq, entry: null, order: { id: order.id, token: 'ORDI' } })
  }
})

describe('a stream of some orders', () => {
  test('of one order has no other, and of an unknown one is refused', async () => {
    const [followed, other] = [orderAt(0), orderAt(1)]
    await seeded(followed, other)
    const stream = await open(`?orderId=${followed.id}`)
    expect((await stream.nextOf('snapshot')).data).toMatchObject({
      orders: [{ id: followed.id }],
      total: 1,
    })
    await lifecycle.write(other, { state: 'SPENT' })
    await lifecycle.write(followed, { state: 'WITHDRAWN' })
    expect((await stream.nextOf('change')).data).toMatchObject({
      orderId: followed.id,
      order: { state: 'WITHDRAWN' },
    })
    expect((await open(`?orderId=${'0'.repeat(64)}`)).status).toBe(404)
    expect((await open(`?orderId=${followed.id}&side=ASK`)).status).toBe(400)
  })

  test('with a filter has those that match, and one that is no longer listed', async () => {
    const [wanted, other] = [
      { ...orderAt(0), token: 'ORDI' },
      { ...orderAt(1), token: 'sats' },
    ]
    await seeded(wanted, other)
    const stream = await open('?token=ordi&state=LIVE')
    expect((await stream.nextOf('snapshot')).data.orders).toMatchObject([{ id: wanted.id }])
    await lifecycle.write(other, { state: 'SPENT' })
    await lifecycle.write(wanted, { state: 'SPENT' })
    expect((await stream.nextOf('change')).data).toMatchObject({
      orderId: wanted.id,
      entry: { toState: 'SPENT' },
      order: null,
    })
  })

  test('of what can be taken now has an order that becomes available and ceases to be', async () => {
    const order = { ...orderAt(0), verifiedAt: new Date().toISOString() }
    const { inspection } = order.kept
    const kept = {
      ...order.kept,
      inspection: { ...inspection, safety: 'PUBLIC_RACEABLE' as const },
    }
    await seeded({ ...order, kept, state: 'PENDING_NODE' })
    const stream = await open('?actionability=HANDOFF_READY&states=LIVE,PENDING_NODE&priceMin=0')
    expect((await stream.nextOf('snapshot')).data).toMatchObject({ total: 0, orders: [] })
    await lifecycle.write(order, { state: 'LIVE' })
    expect((await stream.nextOf('change')).data.order).toMatchObject({
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
    })
    await lifecycle.write(order, { state: 'SPENT' })
    expect((await stream.nextOf('change')).data).toMatchObject({
      entry: { toState: 'SPENT' },
      order: null,
    })
  })

  test('of a hidden order says that it is no longer listed', async () => {
    await seeded(orderAt(0))
    const stream = await open()
    await stream.nextOf('snapshot')
    await lifecycle.write(orderAt(0), { hidden: { hiddenAt: orderAt(0).updatedAt } }, 'noted')
    expect((await stream.nextOf('change')).data).toMatchObject({ entry: null, order: null })
  })
})

describe('a stream that is resumed', () => {
  test('continues after the last event, by the header or by the query, without a snapshot', async () => {
    const order = orderAt(0)
    await seeded(order)
    const first = await open()
    const { id: begun } = await first.nextOf('snapshot')
    await lifecycle.write(order, { state: 'SPENT' })
    const { id: spent } = await first.nextOf('change')
    first.kill()
    await lifecycle.write(order, { state: 'SETTLED' })
    for (const stream of [
      await open('', { 'last-event-id': spent }),
      await open(`?cursor=${spent}`),
      await open(`?cursor=${begun}`, { 'last-event-id': spent }),
    ]) {
      expect((await stream.nextOf('change')).data.entry).toMatchObject({ toState: 'SETTLED' })
    }
    const [again] = [await open(`?cursor=${begun}`)]
    expect((await again.nextOf('change')).data.entry).toMatchObject({ toState: 'SPENT' })
    expect((await again.nextOf('change')).data.entry).toMatchObject({ toState: 'SETTLED' })
  })

  test('by a cursor of other filters, or not of this service, is refused', async () => {
    await seeded(orderAt(0))
    const { id } = await (await open()).nextOf('snapshot')
    expect((await open('?side=BID', { 'last-event-id': id })).status).toBe(400)
    expect((await open('', { 'last-event-id': 'x' })).status).toBe(400)
    expect((await open(`?orderId=${orderAt(0).id}`, { 'last-event-id': id })).status).toBe(400)
  })

  test('after more changes than are kept must begin again', async () => {
    await stop()
    await start()
    const { log } = app.gateway
    const limits = { kept: 8, readBack: 4, lingerMs: 0, mostRetryMs: 50 }
    app.gateway.changes = followChanges({
      log,
      clock: app.gateway.clock,
      onFailure: () => {},
      limits,
    })
    await seeded(orderAt(0))
    const first = await open()
    const { id } = await first.nextOf('snapshot')
    for (let n = 0; n < 9; n += 1) {
      await lifecycle.write(orderAt(0), { state: n % 2 ? 'LIVE' : 'SPENT' })
      await first.nextOf('change')
    }
    const late = await open('', { 'last-event-id': id })
    expect(await late.next()).toMatchObject({
      event: 'resync-required',
      data: { reason: 'too_old' },
    })
    expect(await late.next()).toBeNull()
  })

  test.each([
    ['another log under the same key', async () => idAt({ log: 'another-', place: [0, 0] })],
    ['a place that this log never had', async () => idAt({ place: [7, 0] })],
    ['a place of another number of partitions', async () => idAt({ place: [0] })],
  ])('by a cursor of %s must begin again', async (_, cursor) => {
    const stream = await open('', { 'last-event-id': await cursor() })
    expect(await stream.next()).toMatchObject({ data: { reason: 'other_log' } })
    expect(await stream.next()).toBeNull()
  })

  test('by the id of as many records of as many partitions as are planned, as a header or in the query', async () => {
    await stop()
    await start({ partitions: 1_024 })
    const { id } = await (await open()).nextOf('snapshot')
    const [tag] = id.split('.')
    const place = Array.from({ length: 1_024 }, (_, n) => 999_999_999 - n * 100_000)
    const far = `${tag}.${signedPlace(app.gateway, place)}`
    expect(far.length).toBeGreaterThan(5_000)
    // This log is not as long.
    for (const again of [await open('', { 'last-event-id': far }), await open(`?cursor=${far}`)])
      expect(await again.next()).toMatchObject({ data: { reason: 'other_log' } })
  })

  test('after the log was created again must begin again, at the same place', async () => {
    await seeded(orderAt(0))
    const { id } = await (await open()).nextOf('snapshot')
    await stop()
    await start()
    await seeded(orderAt(0))
    const stream = await open('', { 'last-event-id': id })
    expect(await stream.next()).toMatchObject({ data: { reason: 'other_log' } })
  })
})

/** An id of a stream of all orders, at another place. */
async function idAt({ log, place }: { log?: string; place: number[] }): Promise<string> {
  const { id } = await (await open()).nextOf('snapshot')
  const [tag] = id.split('.')
  const name = log ?? app.gateway.log.id.slice(0, 8)
  return `${tag}.${app.gateway.cursors.encode('stream places', [name, ...place])}`
}

describe('the connection', () => {
  test('is one of a limited number of a client', async () => {
    await stop()
    await start({
      http: { streams: { perClient: 2, inAll: 3, unreadMs: 30_000, longestMs: 60_000 } },
    })
    const [first] = [await open(), await open()]
    const refused = await open()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('10')
    first.kill()
    await expect.poll(async () => (await open()).status).toBe(200)
  })

  test('ends when the service ends, and after its maximum duration', async () => {
    await stop()
    await start({ http: { streams: { perClient: 8, inAll: 8, unreadMs: 30_000, longestMs: 1 } } })
    await seeded(orderAt(0))
    const short = await open()
    await short.nextOf('snapshot')
    expect(await short.next()).toBeNull()
    await stop()
    await start()
    const stream = await open()
    await stream.nextOf('snapshot')
    const begun = performance.now()
    const closing = app.app.close()
    expect(await stream.next()).toBeNull()
    await closing
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  test('lasts longer than any other answer may take', async () => {
    await stop()
    const timeouts = { ...DEFAULT_HTTP_SETTINGS.timeouts, answer: 100 }
    await start({ http: { timeouts } })
    await seeded(orderAt(0))
    const stream = await open()
    await stream.nextOf('snapshot')
    await sleep(3 * timeouts.answer)
    await lifecycle.write(orderAt(0), { state: 'SPENT' })
    expect((await stream.nextOf('change')).data.entry).toMatchObject({ toState: 'SPENT' })
  })

  test('of a HEAD has the headers alone', async () => {
    const { statusCode, headers, body } = await app.app.inject({ method: 'HEAD', url: STREAM })
    expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/event-stream', ''])
    expect([headers['cache-control'], headers.etag]).toEqual(['no-store', undefined])
  })

  test('of a reader that never reads is closed, and holds little', async () => {
    await stop()
    await start({ http: { streams: { perClient: 8, inAll: 8, unreadMs: 200, longestMs: 60_000 } } })
    const fat = { ...orderAt(0), notes: ['x'.repeat(60_000)] }
    await seeded(fat)
    const { port } = new URL(base)
    const socket = connect(Number(port), '127.0.0.1')
    socket.pause()
    socket.write(`GET ${STREAM} HTTP/1.1\r\nhost: x\r\n\r\n`)
    let isClosed = false
    socket.once('close', () => {
      isClosed = true
    })
    socket.on('error', () => {})
    // What the kernel buffers for it fills first.
    for (let n = 0; n < 400 && !isClosed; n += 1) {
      await lifecycle.write(fat, { state: n % 2 ? 'LIVE' : 'SPENT' })
    }
    socket.resume()
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true)
  })
})
