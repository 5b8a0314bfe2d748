import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { QUOTE_REQUEST } from '../../src/http/openapi/examples/bodies.ts'
import { READINESS } from '../../src/roles/context/serve.ts'
import { probesOf } from '../../src/roles/parts/probes.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { roleReadiness } from '../../src/streams/readiness/role-readiness.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { InboxPlayer, orderFrom } from '../support/log/inbox-player.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { viewsOf } from '../support/orders/view-orders.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// A gateway on Redis while its query index is filled (ADR 99): the test holds the first read of the
// filling, and plays the actors.

const PARTITIONS = 2
let server: RedisServer
let opened: Awaited<ReturnType<typeof openRedisViews>>
let it: TestApp
let player: InboxPlayer
let order: OrderRecord
/** Lets the index be filled. */
let release = (): void => {}

beforeAll(async () => {
  server = await RedisServer.start({ appendonly: 'no' })
  opened = await openRedisViews(server.url, { clock, partitions: PARTITIONS })
  const { views } = opened
  const readiness = async () => {
    const history = { ...it.gateway.history, probe: async () => {} }
    const book = { views, history: history as Parameters<typeof probesOf>[0]['book']['history'] }
    const authorities = { node: null, blocks: null, index: null, devnet: null }
    return roleReadiness(probesOf({ log: it.gateway.log, book, authorities }), READINESS)()
  }
  it = await openTestApp({
    partitions: PARTITIONS,
    ports: { views, checks: { check: async (order) => ({ status: 'live', order }) } },
    readiness,
  })
  player = new InboxPlayer(it.gateway.log, views)
  order = await it.seed()
  await viewsOf(views).put(order)
  const held = holdNextRead()
  release = held.release
  views.keepListable()
  await held.begun
})
afterAll(async () => {
  release()
  player?.close()
  await it?.close()
  await opened?.views.close()
  opened?.close()
  await server?.stop()
})

/** The next read of a generation waits for `release`; all others do not. */
function holdNextRead(): { begun: Promise<void>; release(): void } {
  const { keyspace } = opened
  const readOf = keyspace.readOf.bind(keyspace)
  const begun = signalled()
  const released = signalled()
  keyspace.readOf = async (...read) => {
    keyspace.readOf = readOf
    begun.resolve()
    await released.promise
    return readOf(...read)
  }
  return { begun: begun.promise, release: released.resolve }
}

function signalled(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test('it is not ready, and says that its lists are loading', async () => {
  const ready = await it.get('/readyz')
  expect(ready.statusCode).toBe(503)
  expect(ready.json()).toMatchObject({ code: 'NOT_READY', message: 'lists_loading' })
})

test('an order by its id, and an import, are answered at once', async () => {
  const read = await it.get(`/api/market/orders/${order.id}`)
  expect([read.statusCode, read.json().actionability]).toEqual([200, 'HANDOFF_READY'])
  const importing = it.post('/api/market/orders/import', { psbt: makeAsk().psbt })
  const command = await player.next()
  await player.finish(command, orderFrom(command, 'regtest', { state: 'LIVE' }))
  const imported = await importing
  expect(imported.statusCode, imported.body).toBe(201)
  const { id } = imported.json() as OrderSummary
  expect((await it.get(`/api/market/orders/${id}`)).statusCode).toBe(200)
})

test.each([
  ['a list', () => it.get('/api/market/orders')],
  ['a count', () => it.get('/api/market/orders/facets')],
  [
    'a quote, which needs to know the orders of what pays for it',
    () => it.post(`/api/market/orders/${order.id}/quote`, QUOTE_REQUEST),
  ],
])('%s is 503, to be asked again', async (_, ask) => {
  const refused = await ask()
  expect(refused.json(), refused.body).toMatchObject({
    statusCode: 503,
    code: 'STORAGE_UNAVAILABLE',
    message: 'the store is unavailable: loading',
  })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})

test('once the index is filled it is ready, and lists what was imported meanwhile', async () => {
  release()
  await vi.waitFor(async () => expect((await it.get('/readyz')).statusCode).toBe(200), {
    timeout: 10_000,
  })
  const listed = await it.get('/api/market/orders')
  expect([listed.statusCode, listed.json().total]).toEqual([200, 2])
})
