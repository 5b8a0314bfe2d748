import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentText, readDocument } from '../../src/adapters/redis/views/document.ts'
import { RedisNextViews } from '../../src/adapters/redis/views/next-views.ts'
import { rebuildViewsContract } from '../contracts/rebuild-views.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf } from '../support/orders/order-changes.ts'
import { dumpRedis, openRedisViews, RedisServer } from '../support/services/redis.ts'
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
  `{market}:v:${await server.admin.hget('{market}:meta', 'generation')}:`

/** An order's slot is its sequence of arrival, and partitions arrive in any order. */
function withoutSlots(key: string, held: unknown): unknown {
  const name = key.replace('{market}:v:', '')
  if (name === 'docs') {
    return (held as [string, string][]).map(([id, text]) => [id, text.replace(/^(\d+) \d+/, '$1')])
  }
  if (name === 'rows') return (held as [string, string][]).map(([, row]) => row).sort()
  if (name === 'terms' || name.startsWith('sort:')) {
    return (held as string[]).map((member) => member.replace(/\d+$/, ''))
  }
  if (!name.startsWith('b:')) return held
  return [...BigInt(`0x0${held}`).toString(2)].filter((bit) => bit === '1').length
}

rebuildViewsContract('redis', async () => {
  const { views, close } = await open()
  return {
    views,
    held: async () =>
      Object.fromEntries(
        Object.entries(await dumpRedis(server)).map(([key, held]) => [
          key,
          withoutSlots(key, held),
        ]),
      ),
    damage: async (id) => {
      const docs = `${await readPrefix()}docs`
      const text = (await server.admin.hget(docs, id)) ?? ''
      const order = readDocument(text)?.order
      if (!order) throw new Error('there is no such order')
      const [head = ''] = /^\d+ \d+ \d+ /.exec(text) ?? []
      const damaged = documentText({ ...order, state: 'REJECTED' })
      await server.admin.hset(docs, id, `${head}${damaged}`)
    },
    close: async () => close(),
  }
})

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
