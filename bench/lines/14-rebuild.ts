import type { Redis } from 'ioredis'
import { CHANGES_KEPT } from '../../src/adapters/redis/views/changes.ts'
import { documentOf } from '../../src/adapters/redis/views/document.ts'
import { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { rowKey } from '../../src/adapters/redis/views/row-buckets.ts'
import { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { EventLog, NewRecord } from '../../src/ports/log/event-log.ts'
import { rebuildViews } from '../../src/projections/rebuild-views.ts'
import { packRow } from '../../src/query-index/packed-row.ts'
import { rowOf } from '../../src/query-index/row.ts'
import { type ChangeRecord, TOPICS } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { lifeOf } from '../../test/support/orders/order-changes.ts'
import { RedisServer } from '../../test/support/services/redis.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'
import { compare, type Line } from '../harness/line.ts'
import { timed } from '../harness/processor-time.ts'
import type { Sample } from '../harness/results.ts'
import { PARTITIONS, withKafka } from '../market/with-kafka.ts'
import { rebuildMinutes } from './books/rebuild-minutes.ts'

const ORDERS = 15_000
const FULL_ORDERS = 1_000_000
const QUICK_ORDERS = 2_000
const ROUNDS = 2
const APPENDED = 1_000
/** Of an order, one after another. */
const FIRST_CHANGES = 2
const PIPELINE_ORDERS = 100
const NEVER = new AbortController().signal
const MINUTES = 'minutes for a million orders'

type Command = [name: string, ...args: (string | Buffer)[]]

/** An order, and the changes that made it. */
interface Life {
  order: OrderRecord
  changes: ChangeRecord[]
}

export const line: Line = {
  number: 14,
  name: 'rebuild',
  work: 'the views in Redis rebuilt from the log in Kafka, each order created and verified at once, and every other one changed much later, until they are read',
  peer: 'pipelines of the same writes of the last state of each order, ready-made, by ioredis',
  run: ({ isQuick, isFull, progress }) =>
    withKafka(async (open) => {
      const orders = isQuick ? QUICK_ORDERS : isFull ? FULL_ORDERS : ORDERS
      const redis = await RedisServer.start({ appendonly: 'no' })
      const { log } = await open('filler')
      try {
        progress(`${orders} orders into the log`)
        await fillLog(log, orders)
        return [
          await compare(
            {
              name: '',
              sizes: `${orders} orders, ${PARTITIONS} partitions`,
              unit: 'orders/s',
              ratio: 'ours/peer',
              target: null,
              beside: { [MINUTES]: { target: { atMost: 6 }, guard: null } },
              rounds: isFull ? 1 : ROUNDS,
              warmUp: 0,
            },
            () => rebuilt(log, redis, orders),
            () => piped(redis, orders),
          ),
        ]
      } finally {
        await redis.stop()
      }
    }),
}

/** The same on each call: created and verified, and every other one changed once more. */
function* lives(orders: number): Generator<Life> {
  const roll = dice(1)
  for (let index = 0; index < orders; index += 1) {
    const order = orderOf(roll, index)
    const made: OrderRecord = { ...order, state: 'PENDING_NODE', verifiedAt: null }
    yield lifeOf([made, { ...order, state: 'LIVE' }, ...(index % 2 === 0 ? [order] : [])])
  }
}

/** The later changes after the whole book: too far from the first ones to be folded with them. */
async function fillLog(log: Pick<EventLog, 'append'>, orders: number): Promise<void> {
  for (const late of [false, true]) {
    const waiting: NewRecord[] = []
    for (const { changes } of lives(orders)) {
      for (const value of changes.filter(({ seq }) => seq > FIRST_CHANGES === late)) {
        const partition = partitionOf(value.outpoint, PARTITIONS)
        waiting.push({ topic: TOPICS.lifecycle, partition, key: value.orderId, value })
      }
      if (waiting.length >= APPENDED) await log.append(waiting.splice(0))
    }
    await log.append(waiting)
  }
}

async function rebuilt(log: EventLog, server: RedisServer, orders: number): Promise<Sample> {
  await server.admin.flushall('SYNC')
  const { url } = server
  const keyspace = await Keyspace.open({ url, network: 'regtest', partitions: PARTITIONS })
  const views = await RedisViews.open({ keyspace, clock })
  const { value, ms, cpuUs } = await timed(() => rebuildViews({ log, views, clock }, NEVER))
  if (!value) throw new Error('the views were not rebuilt')
  views.keepListable()
  while (!views.listable) await clock.sleep(10)
  const every = { includeWithdrawn: true, hidden: 'either' } as const
  const { total } = await views.page({ sort: 'newest', limit: 1, ...every })
  await views.close()
  keyspace.close()
  if (total !== orders) throw new Error(`${total} of ${orders} orders were rebuilt`)
  const beside = { [MINUTES]: rebuildMinutes(ms, orders) }
  return { figure: (orders * 1_000) / ms, cpuUs: cpuUs / orders, beside }
}

async function piped({ admin }: RedisServer, orders: number): Promise<Sample> {
  await admin.flushall('SYNC')
  const total = { ms: 0, cpuUs: 0 }
  let sentOrders = 0
  let commands: Command[] = []
  const send = async () => {
    const { ms, cpuUs } = await timed(() => sent(admin, commands))
    total.ms += ms
    total.cpuUs += cpuUs
    commands = []
  }
  for (const { order } of lives(orders)) {
    commands.push(...writesOf(order))
    sentOrders += 1
    if (sentOrders % PIPELINE_ORDERS === 0) await send()
  }
  await send()
  return { figure: (orders * 1_000) / total.ms, cpuUs: total.cpuUs / orders }
}

async function sent(admin: Redis, commands: Command[]): Promise<void> {
  for (const [error] of (await admin.pipeline(commands).exec()) ?? []) if (error) throw error
}

/** What the script of the views writes for an order, without its reads. */
function writesOf(order: OrderRecord): Command[] {
  const partition = partitionOf(order.outpoint, PARTITIONS)
  const head = Buffer.from(`${order.seq} ${partition} `)
  const document = Buffer.concat([head, documentOf(order)])
  const id = Buffer.from(order.id, 'hex')
  const row = packRow(rowOf(order, partition))
  return [
    ['hset', 'docs', order.id, document],
    ['hset', rowKey(order.id), id, row],
    ['xadd', 'changes', 'MAXLEN', '~', String(CHANGES_KEPT), '*', id, row],
  ]
}
