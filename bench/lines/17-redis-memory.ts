import type { Redis } from 'ioredis'
import { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { capabilityOf } from '../../src/domain/catalog/catalog.ts'
import { toSummary } from '../../src/domain/order/order-summary.ts'
import { changeBetween } from '../../test/support/orders/order-changes.ts'
import { RedisServer } from '../../test/support/services/redis.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'
import { compare, type Line } from '../harness/line.ts'
import { orderBatches } from './books/books.ts'

const ORDERS = 50_000
const QUICK_ORDERS = 2_000
const PARTITION = 0
const BATCH = 50

export const line: Line = {
  number: 17,
  name: 'redis-memory',
  work: 'memory in Redis of an order in the views, with every index',
  peer: 'the JSON of its answer alone, a key each',
  run: async ({ isQuick, progress }) => {
    const orders = isQuick ? QUICK_ORDERS : ORDERS
    progress(`${orders} orders`)
    const server = await RedisServer.start({ appendonly: 'no' })
    try {
      return [
        await compare(
          {
            name: '',
            sizes: `${orders} orders`,
            unit: 'bytes an order',
            ratio: 'ours/peer',
            target: { atMost: 2 },
            rounds: 1,
            warmUp: 0,
          },
          () => taken(server.admin, orders, () => fillViews(server.url, orders)),
          () => taken(server.admin, orders, () => fillAnswers(server.admin, orders)),
        ),
      ]
    } finally {
      await server.stop()
    }
  },
}

async function taken(admin: Redis, orders: number, fill: () => Promise<void>) {
  await admin.flushall('SYNC')
  const before = await usedBytes(admin)
  await fill()
  return { figure: ((await usedBytes(admin)) - before) / orders, cpuUs: null }
}

const usedBytes = async (admin: Redis): Promise<number> =>
  Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1])

async function fillViews(url: string, orders: number): Promise<void> {
  const keyspace = await Keyspace.open({ url, network: 'regtest', partitions: 1 })
  const views = await RedisViews.open({ keyspace, clock })
  let nextOffset = 0
  for (const batch of orderBatches(orders, BATCH)) {
    nextOffset += batch.length
    const records = batch.map((order) => changeBetween(null, order))
    await views.apply({ partition: PARTITION, nextOffset, records })
  }
  keyspace.close()
}

async function fillAnswers(admin: Redis, orders: number): Promise<void> {
  const terms = { now: clock.now(), maxAgeSeconds: 600, capabilityOf }
  for (const batch of orderBatches(orders, BATCH)) {
    const answers = batch.map((order) => {
      const observed = { order, freshness: null, partition: PARTITION }
      return [`order:${order.id}`, JSON.stringify(toSummary(observed, terms).summary)]
    })
    await admin.mset(...answers.flat())
  }
}
