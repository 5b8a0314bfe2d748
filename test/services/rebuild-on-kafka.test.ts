import { afterAll, beforeAll, expect, test } from 'vitest'
import { META_FIELDS } from '../../src/adapters/redis/rights/key-names.ts'
import { projectViews } from '../../src/projections/project-views.ts'
import { rebuildViews } from '../../src/projections/rebuild-views.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated } from '../support/orders/order-changes.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

const PARTITIONS = 2
const VERSIONS = 4
let kafka: KafkaServer
let redis: RedisServer

beforeAll(async () => {
  ;[kafka, redis] = await Promise.all([KafkaServer.start(), RedisServer.start()])
})
afterAll(() => Promise.all([kafka?.stop(), redis?.stop()]))

const roll = dice(5)
const LIVES = bookOf(40, 5).map((first) => {
  const versions = [first]
  while (versions.length < VERSIONS) versions.push(mutated(roll, versions.at(-1)!))
  return lifeOf(versions)
})

test('a rebuild by one process while another projects, on a growing log in Kafka', async () => {
  const opened = await openKafkaLog(kafka, { partitions: PARTITIONS })
  const { log } = opened
  const projector = await openRedisViews(redis.url, { clock, partitions: PARTITIONS })
  const command = await openRedisViews(redis.url, { clock, partitions: PARTITIONS })
  const append = (version: number) =>
    log.append(
      LIVES.map(({ changes }, at) => ({
        topic: TOPICS.lifecycle,
        partition: at % PARTITIONS,
        key: 'k',
        value: changes[version],
      })),
    )
  const seqs = async () => {
    const found: number[] = []
    for await (const { seq } of command.views.all()) found.push(seq)
    return found
  }
  const standAt = (seq: number) =>
    waitUntil(`all orders stand at ${seq}`, async () => {
      const found = await seqs()
      return found.length === LIVES.length && found.every((one) => one === seq)
    })

  await append(0)
  const stop = new AbortController()
  const projecting = projectViews({ log, views: projector.views, clock }, stop.signal)
  await standAt(1)

  const read = () => redis.admin.hget('{market}:meta', META_FIELDS.current)
  const before = await read()
  const rebuilding = rebuildViews(
    { log: await opened.another(), views: command.views, clock },
    stop.signal,
  )
  await append(1)
  expect(await rebuilding).toBe(true)
  expect(await read()).not.toBe(before)
  expect(await seqs()).toHaveLength(LIVES.length)
  await append(2)
  await standAt(3)

  // And once more after a flush, which the running projector repairs by itself.
  await redis.admin.flushall()
  await append(3)
  await standAt(VERSIONS)
  const orders = new Map(LIVES.map(({ order }) => [order.id, order]))
  for await (const order of projector.views.all()) expect(order).toEqual(orders.get(order.id))

  stop.abort()
  await projecting
  projector.close()
  command.close()
  await opened.close()
})
