import { afterAll, beforeAll, expect, test } from 'vitest'
import { META_FIELDS, VIEWS } from '../../src/adapters/redis/rights/key-names.ts'
import { RedisNextViews } from '../../src/adapters/redis/views/next-views.ts'
import type { RebuildProgress } from '../../src/ports/views/order-views.ts'
import { rebuildViews, type ViewRebuild } from '../../src/projections/rebuild-views.ts'
import { aborted } from '../../src/runtime/until-aborted.ts'
import { rebuildViewsContract } from '../contracts/rebuild-views.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated } from '../support/orders/order-changes.ts'
import { dumpRedis, openRedisViews, RedisServer } from '../support/services/redis.ts'
import { openRebuild } from '../support/services/redis-stores.ts'
import { systemClock as clock } from '../support/system-clock.ts'

let server: RedisServer

beforeAll(async () => {
  server = await RedisServer.start({ appendonly: 'no' })
})
afterAll(() => server.stop())

const open = async (partitions = 3) => {
  await server.admin.flushall()
  return openRedisViews(server.url, { clock, partitions })
}
const readPrefix = async () =>
  `{market}:${VIEWS}${await server.admin.hget('{market}:meta', META_FIELDS.current)}:`

rebuildViewsContract('redis', () => openRebuild(server, 3))

test('a partial write counts as seen: the new views must be as far', async () => {
  const { views, keyspace, close } = await open(1)
  const lives = bookOf(15, 3).map((order) => lifeOf([order]))
  const records = lives.flatMap(({ changes }) => changes)
  await views.apply({ partition: 0, nextOffset: 10, records: records.slice(0, 10) })
  const next = await RedisNextViews.begin(keyspace, clock)
  await next.apply({ partition: 0, nextOffset: 10, records: records.slice(0, 10) })
  // As when the projector stopped between two transactions of one batch.
  await server.admin.hset(`${await readPrefix()}writing`, '0', '15')
  expect(await next.shown()).toEqual(new Map([[0, 15]]))
  expect(await next.takeOver()).toBe(false)
  await next.apply({ partition: 0, nextOffset: 15, records: records.slice(10) })
  expect(await next.takeOver()).toBe(true)
  expect(await views.position(0)).toBe(15)
  close()
})

test('writers wait while they are held, and switch to the views that replaced theirs', async () => {
  const { views, keyspace, close } = await open(1)
  const [one, other] = bookOf(2, 4).map((order) => lifeOf([order]))
  await views.apply({ partition: 0, nextOffset: 1, records: one!.changes })
  const next = await RedisNextViews.begin(keyspace, clock)
  await next.apply({ partition: 0, nextOffset: 1, records: one!.changes })
  await next.hold()
  let written = false
  const writing = views.apply({ partition: 0, nextOffset: 2, records: other!.changes }).then(() => {
    written = true
  })
  await clock.sleep(50)
  expect(written).toBe(false)
  expect(await next.takeOver()).toBe(true)
  await writing
  expect((await views.order(other!.order.id))?.order).toEqual(other!.order)
  expect((await views.order(one!.order.id))?.order).toEqual(one!.order)
  for await (const _ of next.removeOthers());
  const prefix = await readPrefix()
  const left = (await server.admin.keys('{market}:v:*')).filter((key) => !key.startsWith(prefix))
  expect(left).toEqual([])
  close()
})

test('a hold expires when its rebuild died', async () => {
  const { views, keyspace, close } = await open(1)
  const [{ changes }] = bookOf(1, 5).map((order) => lifeOf([order])) as [ReturnType<typeof lifeOf>]
  const next = await RedisNextViews.begin(keyspace, clock)
  await next.hold()
  expect(await server.admin.pttl('{market}:hold')).toBeLessThanOrEqual(2_000)
  await views.apply({ partition: 0, nextOffset: 1, records: changes })
  expect(await views.position(0)).toBe(1)
  close()
})

test('a flush during a rebuild is reported, and nothing is switched', async () => {
  const { keyspace, close } = await open(1)
  const next = await RedisNextViews.begin(keyspace, clock)
  await server.admin.flushall()
  await expect(next.takeOver()).rejects.toThrow(
    'another process is rebuilding the views, or Redis was flushed: this rebuild was abandoned',
  )
  await expect(next.position(0)).rejects.toMatchObject({ reason: 'taken-over' })
  close()
})

test('a reader has the rebuilt views before they replace the others: none of its lists waits', async () => {
  const { views, keyspace, close } = await open(1)
  const reader = await openRedisViews(server.url, { clock, partitions: 1 })
  const [one, other] = bookOf(2, 6).map((order) => lifeOf([order]))
  const all = { includeWithdrawn: true, hidden: 'either', sort: 'newest', limit: 5 } as const
  await views.apply({ partition: 0, nextOffset: 1, records: one!.changes })
  reader.views.keepListable()
  await expect.poll(() => reader.views.listable).toBe(true)
  const next = await RedisNextViews.begin(keyspace, clock)
  await next.apply({ partition: 0, nextOffset: 1, records: one!.changes })
  await next.announce(new AbortController().signal)
  await server.admin.config('RESETSTAT')
  expect(await next.takeOver()).toBe(true)
  await views.apply({ partition: 0, nextOffset: 2, records: other!.changes })
  expect((await reader.views.page(all)).total).toBe(2)
  const sent = await server.admin.info('commandstats')
  expect(sent).toMatch(/cmdstat_xrange:/)
  expect(sent).not.toMatch(/cmdstat_xrevrange:/)
  reader.close()
  close()
})

test('what threads make of many orders is what the projector wrote of them, one change after another', async () => {
  const { views, keyspace, close } = await open(1)
  const roll = dice(9)
  const lives = bookOf(300, 9).map((order) => lifeOf([order, mutated(roll, order)]))
  const records = [0, 1].flatMap((at) => lives.flatMap(({ changes }) => changes.slice(at, at + 1)))
  for (let at = 0; at < records.length; at += 50) {
    const batch = { partition: 0, nextOffset: at + 50, records: records.slice(at, at + 50) }
    await views.apply(batch)
  }
  const projected = await server.admin.hgetall(`${await readPrefix()}docs`)
  expect(Object.keys(projected)).toHaveLength(300)
  const next = await RedisNextViews.begin(keyspace, clock)
  await next.apply({ partition: 0, nextOffset: 600, records })
  expect(await next.takeOver()).toBe(true)
  expect(await server.admin.hgetall(`${await readPrefix()}docs`)).toEqual(projected)
  for (const { order } of lives) expect((await views.order(order.id))?.order).toEqual(order)
  close()
})

test('a rebuild that ends between two writes leaves the views as they are; the next removes its rest', async () => {
  const { views, close } = await open(1)
  const lives = bookOf(300, 11).map((order) => lifeOf([order]))
  const records = lives.flatMap(({ changes }) => changes)
  await views.apply({ partition: 0, nextOffset: records.length, records })
  const before = await dumpRedis(server)
  const log: ViewRebuild['log'] = {
    partitions: 1,
    end: async () => records.length,
    async *read(_topic, partition, from, signal) {
      const stored = records.map((value, offset) => ({ partition, offset, value }))
      for (let at = from; at < stored.length; at += 100) yield stored.slice(at, at + 100)
      await aborted(signal)
    },
  }
  const dying = await openRedisViews(server.url, { clock, partitions: 1 })
  const onProgress = ({ step, done }: RebuildProgress) => {
    // As when its process is killed: nothing of it reaches Redis any more.
    if (step === 'fold' && done === 200) dying.close()
  }
  const { signal } = new AbortController()
  await expect(
    rebuildViews({ log, views: dying.views, clock, onProgress }, signal),
  ).rejects.toMatchObject({ name: 'StorageUnavailableError' })
  const after = await dumpRedis(server)
  expect({ ...after, '{market}:meta': before['{market}:meta'] }).toMatchObject(before)
  expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).length)
  expect((await views.order(lives[0]!.order.id))?.order).toEqual(lives[0]!.order)
  expect(await rebuildViews({ log, views, clock }, signal)).toBe(true)
  expect(await dumpRedis(server)).toEqual(before)
  close()
})
