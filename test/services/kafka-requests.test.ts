import type { Kafka, Producer, ProducerConfig } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConsumer } from '../../src/adapters/kafka/client/client.ts'
import { connectedCluster } from '../../src/adapters/kafka/client/cluster.ts'
import { producerKeepingCoordinators } from '../../src/adapters/kafka/client/kept-coordinators.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { take } from '../contracts/event-log.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { openToyWorker } from '../support/log/toy-worker.ts'
import { KafkaServer, QUICK_GROUPS } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'

const STEPS = 12

let server: KafkaServer
let opened: OpenedKafkaLog
beforeAll(async () => {
  // The stock setting of a broker, which makes a topic of each name that it is asked for.
  server = await KafkaServer.start({ ...QUICK_GROUPS, 'auto.create.topics.enable': 'true' })
  opened = await openKafkaLog(server, { partitions: 1 })
})
afterAll(async () => {
  await opened.close()
  await server.stop()
})

/** Counts by name what the producers that are made from now on ask the broker. */
function countRequests(kafka: Kafka): Map<string, number> {
  const counts = new Map<string, number>()
  const make = kafka.producer
  kafka.producer = function counted(this: Kafka, settings?: ProducerConfig): Producer {
    const producer = make.call(this, settings)
    producer.on(producer.events.REQUEST, ({ payload: { apiName } }) =>
      counts.set(apiName, (counts.get(apiName) ?? 0) + 1),
    )
    return producer
  }
  return counts
}

const changes = async () => {
  let found = 0
  for await (const batch of opened.log.stored(TOPICS.lifecycle, 0, 0)) found += batch.length
  return found
}

test('a step is five requests, one send among them, and no coordinator is asked for again', async () => {
  const { log } = opened
  const counts = countRequests(log.kafka)
  const stop = new AbortController()
  const running = log.processInbox(openToyWorker, stop.signal)
  const step = async (n: number) => {
    await log.append([{ topic: TOPICS.inbox, partition: 0, key: '', value: { order: n } }])
    await waitUntil(`the change of record ${n}`, async () => (await changes()) === n + 1)
  }
  // The end of the lifecycle is not known before the first, which has two sends.
  await step(0)
  const before = new Map(counts)
  expect(before.get('Produce')).toBe(2)
  for (let n = 1; n <= STEPS; n += 1) await step(n)
  const asked = (name: string) => (counts.get(name) ?? 0) - (before.get(name) ?? 0)
  expect(before.get('GroupCoordinator'), 'as kafkajs calls it').toBeGreaterThanOrEqual(2)
  expect(asked('GroupCoordinator'), 'of the transaction and of the group').toBe(0)
  expect(asked('EndTxn')).toBe(STEPS)
  expect(asked('AddOffsetsToTxn')).toBe(STEPS)
  expect(asked('TxnOffsetCommit')).toBe(STEPS)
  // The appends are sent by a producer that was made before.
  expect(asked('Produce')).toBe(STEPS)
  // Repeated while the last transaction ends.
  expect(asked('AddPartitionsToTxn')).toBeGreaterThanOrEqual(STEPS)
  stop.abort()
  await running

  const last = (await take(log, TOPICS.lifecycle, 0, 0, STEPS + 1)).at(-1)!
  const ends: unknown[] = []
  for await (const batch of log.stored(TOPICS.snapshots, 0, 0))
    for (const { value } of batch) ends.push((value as { lifecycleEnd?: number }).lifecycleEnd)
  expect(ends.at(-1), 'what was named before it was sent').toBe(last.offset + 1)
})

describe('brokers that create what they are asked for', () => {
  const namesOfTopics = async () => {
    const admin = server.client().admin()
    await admin.connect()
    const names = await admin.listTopics()
    await admin.disconnect()
    return names
  }
  const retry = { initialRetryTime: 10, retries: 1 }
  const missing = () => `${opened.prefix}no.such.topic`
  const NOT_THERE = /does not host this topic-partition/

  test('make no topic for a producer', async () => {
    const { kafka } = opened.log
    const keeping = { transactionalId: 'of-the-test', retry }
    for (const producer of [
      kafka.producer({ retry }),
      producerKeepingCoordinators(kafka, keeping),
    ]) {
      await producer.connect()
      const sending = producer.send({ topic: missing(), messages: [{ value: 'a' }] })
      await expect(sending).rejects.toThrow(NOT_THERE)
      await producer.disconnect()
    }
    await expect(connectedCluster(kafka, [missing()])).rejects.toThrow(NOT_THERE)
    expect(await namesOfTopics()).not.toContain(missing())
  })

  test('make no topic for a consumer', async () => {
    const consumer = openConsumer(opened.log.kafka, { groupId: `${opened.prefix}of-the-test` })
    await consumer.connect()
    await expect(consumer.subscribe({ topics: [missing()] })).rejects.toThrow(NOT_THERE)
    await consumer.disconnect()
    expect(await namesOfTopics()).not.toContain(missing())
  })
})
