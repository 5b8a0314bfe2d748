import { afterEach, expect, test } from 'vitest'
import { openTestApp, type TestApp, type TestAppOptions } from '../../support/http/http.ts'
import { openStream, type StreamClient } from '../../support/http/stream-client.ts'
import { LiveLifecycle } from '../../support/log/live-lifecycle.ts'
import { bookOf } from '../../support/orders/order-book.ts'

// More streams than there is room for, each client in a network of its own unless said otherwise.

const LARGE = '/api/market/activity/stream?limit=200&search=a'
const STREAM = '/api/market/activity/stream?includeWithdrawn=true'
/** One is read, and as many wait. */
const READ_OR_WAITING = 257

let app: TestApp
let base: string
let streams: StreamClient[]
async function start(http: TestAppOptions['http']): Promise<void> {
  app = await openTestApp({ http: { trustProxy: ['127.0.0.1'], ...http } })
  base = `http://127.0.0.1:${await app.listen()}`
  streams = []
}
afterEach(async () => {
  for (const stream of streams) stream.kill()
  await app.close()
})

async function open(path: string, from: string, lastEventId?: string): Promise<StreamClient> {
  const headers = {
    'x-forwarded-for': from,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
  const stream = await openStream(`${base}${path}`, headers)
  streams.push(stream)
  return stream
}
const single = (n: number) => `100.${n >> 8}.${n & 255}.1`
const ofTwoNetworks = (n: number) => `203.0.${n % 2}.${n >> 1}`

test('large snapshots wait in the lane of large lists, and no small list waits for them', async () => {
  await start({ rateLimits: { stream: 10_000 } })
  const { page } = app.gateway.views
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let reading = 0
  app.gateway.views.page = async (query) => {
    reading += 1
    await released
    return page.call(app.gateway.views, query)
  }
  let [refused, served] = [0, 0]
  const opening = Array.from({ length: 300 }, async (_, n) => {
    const { status } = await open(LARGE, single(n))
    if (status === 503) refused += 1
    else if (status === 200) served += 1
  })
  await expect.poll(() => refused, { timeout: 20_000 }).toBe(300 - READ_OR_WAITING)
  expect(reading).toBe(1)
  const list = await fetch(`${base}/api/market/orders?limit=10`)
  expect(list.status).toBe(200)
  expect(served).toBe(0)
  release()
  await Promise.all(opening)
  expect(served).toBeGreaterThan(0)
}, 60_000)

test('openings of all clients together are limited', async () => {
  await start({ rateLimits: { stream: 2 }, clientsAtOnce: 1 })
  const statuses: number[] = []
  for (let n = 0; n < 3; n += 1) statuses.push((await open(STREAM, single(n))).status)
  expect(statuses).toEqual([200, 200, 503])
  expect((await open(STREAM, single(0))).headers['retry-after']).toMatch(/^[1-9][0-9]*$/)
})

test('with all places taken by two networks others get one, and who lost it resumes', async () => {
  const streamLimits = { perClient: 8, inAll: 40, unreadMs: 30_000, longestMs: 60_000 }
  await start({ streams: streamLimits })
  const lifecycle = new LiveLifecycle(app.gateway.log, app.gateway.views)
  try {
    const [order] = bookOf(1, 7)
    if (!order) throw new Error('the book is empty')
    const first = await open(STREAM, ofTwoNetworks(0))
    const { id } = await first.nextOf('snapshot')
    for (let n = 1; n < 40; n += 1) {
      const stream = await open(STREAM, ofTwoNetworks(n))
      expect(stream.status).toBe(200)
      await stream.nextOf('snapshot')
    }
    expect((await open(STREAM, ofTwoNetworks(41))).status).toBe(503)
    for (let n = 0; n < 20; n += 1) expect((await open(STREAM, single(n))).status).toBe(200)
    // The oldest of the two was among those that made room.
    expect(await first.next()).toBeNull()
    expect((await open(STREAM, single(20))).status).toBe(503)
    for (const stream of streams) stream.kill()
    await lifecycle.write(order)
    await expect
      .poll(async () => (await open(STREAM, ofTwoNetworks(0), id)).status, { timeout: 10_000 })
      .toBe(200)
    const { data } = await (streams.at(-1) as StreamClient).nextOf('change')
    expect(data).toMatchObject({ orderId: order.id, seq: 1 })
  } finally {
    await lifecycle.close()
  }
})
