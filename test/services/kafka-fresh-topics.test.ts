import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_KAFKA_TOPICS } from '../../src/adapters/kafka/client/names.ts'
import { topicConfig } from '../../src/adapters/kafka/topics/topics.ts'
import { NEWEST_LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'

// Brokers list topics before the leaders of their partitions know that they are: a process that starts
// beside the one that makes them finds all of them, and asks them at once.

const PARTITIONS = 64

let server: KafkaServer

beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(() => server?.stop())

test('a log whose topics another process has just made is opened', async () => {
  const prefix = 'fresh.'
  const wanted = { prefix, partitions: PARTITIONS, schema: NEWEST_LOG_SCHEMA }
  const topics = ALL_KAFKA_TOPICS.map((topic) => topicConfig(topic, wanted))
  const admin = server.client().admin()
  await admin.connect()
  await admin.createTopics({ waitForLeaders: false, topics })
  const { log, close } = await openKafkaLog(server, { partitions: PARTITIONS, prefix })
  try {
    expect(await log.end(TOPICS.lifecycle, PARTITIONS - 1)).toBe(0)
  } finally {
    await Promise.all([close(), admin.disconnect()])
  }
})
