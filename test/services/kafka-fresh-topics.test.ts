import type { Admin } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ALL_KAFKA_TOPICS,
  type KafkaTopic,
  OWN_TOPICS,
} from '../../src/adapters/kafka/client/names.ts'
import { makeEmptyTopics } from '../../src/adapters/kafka/copy/empty-topics.ts'
import { createTopics, newSettings } from '../../src/adapters/kafka/topics/settings.ts'
import { topicConfig } from '../../src/adapters/kafka/topics/topics.ts'
import { NEWEST_LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'

// Brokers list topics before the leaders of their partitions know that they are: a process that starts
// beside the one that makes them finds all of them, and asks them at once.

const PARTITIONS = 64

let server: KafkaServer
let admin: Admin

beforeAll(async () => {
  server = await KafkaServer.start()
  admin = server.client().admin()
  await admin.connect()
})
afterAll(async () => {
  await admin?.disconnect()
  await server?.stop()
})

const wantedAt = (prefix: string) => ({ prefix, partitions: PARTITIONS, schema: NEWEST_LOG_SCHEMA })

/** As another process does, at the moment when brokers list them. */
const makeUnled = (prefix: string, topics: readonly KafkaTopic[]) =>
  admin.createTopics({
    waitForLeaders: false,
    topics: topics.map((topic) => topicConfig(topic, wantedAt(prefix))),
  })

async function expectOpened(prefix: string): Promise<void> {
  const { log, close } = await openKafkaLog(server, { partitions: PARTITIONS, prefix })
  try {
    expect(await log.end(TOPICS.lifecycle, PARTITIONS - 1)).toBe(0)
    expect(await log.end(TOPICS.heads, PARTITIONS - 1)).toBe(0)
  } finally {
    await close()
  }
}

test('a log whose topics another process has just made is opened', async () => {
  await makeUnled('fresh.', ALL_KAFKA_TOPICS)
  await expectOpened('fresh.')
})

test('so is one that has its settings, and whose other topics another process has just made', async () => {
  const prefix = 'later.'
  const { settings } = OWN_TOPICS
  await createTopics(admin, [settings], wantedAt(prefix))
  const producer = server.client().producer()
  await producer.connect()
  const value = newSettings({ ...wantedAt(prefix), network: 'regtest' })
  const messages = [{ key: 'settings', value: JSON.stringify(value) }]
  await producer.send({ topic: prefix + settings, messages })
  await producer.disconnect()
  await makeUnled(
    prefix,
    ALL_KAFKA_TOPICS.filter((topic) => topic !== settings),
  )
  await expectOpened(prefix)
})

test('a log is restored into topics that have just been made beforehand', async () => {
  await makeUnled('restored.', ALL_KAFKA_TOPICS)
  await makeEmptyTopics(admin, wantedAt('restored.'))
})
