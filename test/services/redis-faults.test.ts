import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import type { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import type { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { projectViews } from '../../src/projections/project-views.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOrderId } from '../support/ids.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import {
  lifeOf,
  mutated,
  outcomeOf,
  partitionSnapshotOf,
  watermarkOf,
} from '../support/orders/order-changes.ts'
import { waitUntil } from '../support/services/programs.ts'
import { dumpRedis, openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

const FAST_MS = 5_000
let server: RedisServer
let views: RedisViews
let keyspace: Keyspace

beforeAll(async () => {
  server = await RedisServer.start()
})
afterAll(() => server.stop())
beforeEach(async () => {
  await server.admin.flushall()
  const opened = await openRedisViews(server.url, { clock })
  views = opened.views
  keyspace = opened.keyspace
  return opened.close
})

const roll = dice(9)
const LIVES = bookOf(60, 9).map((order) => lifeOf([order, mutated(roll, order)]))
const CHANGES = LIVES.flatMap(({ changes }) => changes)
const FRESHNESS = { watermark: watermarkOf(7), continuousSince: { epoch: 1, n: 2 } }
const fill = () => views.apply({ partition: 0, nextOffset: CHANGES.length, records: CHANGES })
const later = () => ({
  partition: 0,
  nextOffset: CHANGES.length + 1,
  records: lifeOf([bookOf(1, 77)[0]!]).changes,
})
const trouble = (reason: string) =>
  expect.objectContaining({ name: 'StorageUnavailableError', reason })

test('a flushed Redis accepts nothing until it is filled from the log, and is then the same byte for byte', async () => {
  await fill()
  await views.applyFreshness(0, FRESHNESS)
  const before = await dumpRedis(server)
  await server.admin.flushall()
  await expect(views.apply(later())).rejects.toThrow(
    'Redis lost views of partition 0: they are rebuilt from the log',
  )
  await expect(views.applyFreshness(0, FRESHNESS)).rejects.toThrow(StorageUnavailableError)
  expect(await server.admin.keys('*docs')).toEqual([])
  // Whatever asks first: the log is read from there.
  expect(await views.position(0)).toBe(0)
  await views.apply({ partition: 0, nextOffset: 50, records: CHANGES.slice(0, 50) })
  await expect(views.applyFreshness(0, FRESHNESS)).rejects.toThrow(StorageUnavailableError)
  await fill()
  await views.applyFreshness(0, FRESHNESS)
  const after = await dumpRedis(server)
  expect(after).toEqual(before)
})

test('the projector fills a Redis that was flushed while nothing changes', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: 1, clock })
  const append = (topic: 'lifecycle' | 'snapshots', values: readonly object[]) =>
    log.append(values.map((value) => ({ topic: TOPICS[topic], partition: 0, key: 'k', value })))
  const stop = new AbortController()
  const running = projectViews({ log, views, clock }, stop.signal)
  await append('lifecycle', CHANGES)
  await waitUntil('all is folded', async () => (await views.position(0)) === CHANGES.length)
  const before = await dumpRedis(server)
  await server.admin.flushall()
  await append('snapshots', [partitionSnapshotOf(0, 1, CHANGES.length)])
  await waitUntil('it is fresh again', async () => (await views.freshness()).size === 1)
  const after = await dumpRedis(server)
  expect(after['{market}:v:docs']).toEqual(before['{market}:v:docs'])
  stop.abort()
  await running
  await store.close()
  drop()
})

test('the projector fills a Redis that was flushed while it runs', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: 1, clock })
  const append = (values: readonly object[]) =>
    log.append(values.map((value) => ({ topic: TOPICS.lifecycle, partition: 0, key: 'k', value })))
  const stop = new AbortController()
  const running = projectViews({ log, views, clock }, stop.signal)
  await append(CHANGES)
  await waitUntil('all is folded', async () => (await views.position(0)) === CHANGES.length)
  await server.admin.flushall()
  expect(await views.position(0)).toBe(0)
  await append(later().records)
  await waitUntil('all is there', async () => (await views.position(0)) === CHANGES.length + 1)
  const orders: string[] = []
  for await (const order of views.all()) orders.push(JSON.stringify(order))
  const expected = [...LIVES.map(({ order }) => order), lifeOf([bookOf(1, 77)[0]!]).order]
  expect(orders.map((text) => JSON.parse(text))).toEqual(
    expected.sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  stop.abort()
  await running
  await store.close()
  drop()
})

test('while Redis is unavailable every call fails at once; it is used again when it is back', async () => {
  await fill()
  const waiting = views.waitForOutcome('r', AbortSignal.timeout(60_000))
  // Redis answers in order: the look that begins the wait, then this.
  expect(await views.outcome('r')).toBeNull()
  await server.halt()
  const query = { includeWithdrawn: true, sort: 'newest', limit: 10 } as const
  const calls = [
    () => views.order(LIVES[0]!.order.id),
    () => views.page(query),
    () => views.freshness(),
    () => views.position(0),
    () => views.outcome('r'),
    () => views.probe(),
    () => views.apply(later()),
    () => views.applyFreshness(0, FRESHNESS),
  ]
  for (const call of calls) {
    const started = performance.now()
    await expect(call()).rejects.toEqual(trouble('io'))
    expect(performance.now() - started).toBeLessThan(FAST_MS)
  }
  await server.restart()
  await waitUntil('the views answer', () =>
    views.probe().then(
      () => true,
      () => false,
    ),
  )
  const shown = LIVES.filter(({ order }) => order.hidden === undefined)
  expect((await views.page(query)).total).toBe(shown.length)
  const { records, ...batch } = later()
  await views.apply({ ...batch, records: [...records, outcomeOf('r', toOrderId('id'))] })
  expect(await waiting).toMatchObject({ orderId: 'id' })
})

test('an outcome that arrives while the listener is disconnected is found when it is back', async () => {
  const waiting = views.waitForOutcome('r', AbortSignal.timeout(60_000))
  await views.outcome('r')
  const kept = JSON.stringify({
    orderId: 'id',
    outcome: { status: 'done', seq: 1 },
    keptAt: clock.now(),
  })
  // Stored, without a notification.
  await server.admin.multi().client('KILL', 'TYPE', 'pubsub').set('{market}:outcome:r', kept).exec()
  expect(await waiting).toEqual({ orderId: 'id', outcome: { status: 'done', seq: 1 } })
})

test('a script that Redis forgot is sent again', async () => {
  await fill()
  await server.admin.script('FLUSH')
  await views.apply(later())
  expect(await views.position(0)).toBe(CHANGES.length + 1)
})

test('a Redis out of memory refuses the whole batch, and says so', async () => {
  await fill()
  await views.applyFreshness(0, FRESHNESS)
  const before = await dumpRedis(server)
  await server.admin.config('SET', 'maxmemory', '1kb')
  try {
    await expect(views.apply(later())).rejects.toEqual(trouble('full'))
    await expect(views.applyFreshness(0, FRESHNESS)).rejects.toEqual(trouble('full'))
    await expect(views.probe()).rejects.toThrow('Redis is out of memory: raise maxmemory')
    expect((await views.order(LIVES[0]!.order.id))?.order).toEqual(LIVES[0]!.order)
  } finally {
    await server.admin.config('SET', 'maxmemory', '0')
  }
  expect(await dumpRedis(server)).toEqual(before)
  await views.apply(later())
})

test('a replica accepts no write, and says so; it still answers', async () => {
  await fill()
  await server.admin.replicaof('127.0.0.1', '1')
  try {
    await expect(views.apply(later())).rejects.toEqual(trouble('io'))
    await expect(views.probe()).rejects.toThrow('Redis is a replica: set REDIS_URL to the primary')
    expect((await views.order(LIVES[0]!.order.id))?.order).toEqual(LIVES[0]!.order)
  } finally {
    await server.admin.replicaof('NO', 'ONE')
  }
  await views.apply(later())
})

test('closed views refuse every call', async () => {
  keyspace.close()
  await expect(views.probe()).rejects.toEqual(trouble('closed'))
})

test('views are opened while Redis is unavailable: they say so, and are used once it is up', async () => {
  await fill()
  await server.halt()
  const other = await openRedisViews(server.url, { clock })
  await expect(other.views.probe()).rejects.toEqual(trouble('io'))
  await expect(other.views.probe()).rejects.toThrow(/^Redis: connect ECONNREFUSED /)
  const waiting = other.views.waitForOutcome('r', AbortSignal.timeout(60_000))
  await expect(waiting).rejects.toEqual(trouble('io'))
  await server.restart()
  await waitUntil(
    'the other one reads',
    async () => (await other.views.order(LIVES[0]!.order.id).catch(() => null)) !== null,
  )
  const told = other.views.waitForOutcome('r', AbortSignal.timeout(60_000))
  await other.views.outcome('r')
  await waitUntil('one writes again', () =>
    views.apply({ ...later(), records: [outcomeOf('r', toOrderId('id'))] }).then(
      () => true,
      () => false,
    ),
  )
  expect(await told).toMatchObject({ orderId: 'id' })
  other.close()
})

test('a Redis that comes back and evicts is not used before that is fixed', async () => {
  await fill()
  await server.admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await server.admin.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  const asked = () => views.probe().then(() => '', String)
  await waitUntil('it is found out', async () => /evicts keys/.test(await asked()))
  await server.admin.config('SET', 'maxmemory-policy', 'noeviction')
  await waitUntil('it is used again', async () => (await asked()) === '')
  expect((await views.order(LIVES[0]!.order.id))?.order).toEqual(LIVES[0]!.order)
})
