import type { Admin } from 'kafkajs'
import { TOPICS } from '../../../schemas/log.ts'
import { deniedBy } from '../client/denied.ts'
import { KafkaRefusedError } from '../client/errors.ts'
import { ALL_KAFKA_TOPICS, OWN_TOPICS, orderGroupOf } from '../client/names.ts'
import { createTopics, knownUntil, untilLed, writtenTopics } from '../topics/settings.ts'
import { type CheckedLog, topicProblems } from '../topics/topics.ts'

/**
 * Makes the topics that a log is to be restored into, all but the settings: a service uses no
 * records before it finds those. Topics that are there must be empty, and as the service would make them.
 *
 * @throws KafkaRefusedError, KafkaDeniedError
 */
export async function makeEmptyTopics(admin: Admin, wanted: CheckedLog): Promise<void> {
  const { prefix } = wanted
  const names = new Set(await admin.listTopics())
  const there = ALL_KAFKA_TOPICS.filter((topic) => names.has(prefix + topic))
  await untilLed(admin, prefix, there, knownUntil())
  const full = await writtenTopics(admin, prefix, there)
  if (full.length > 0) {
    throw new KafkaRefusedError(
      `topic ${full.join(', ')} is not empty: a log is restored into empty topics only; set KAFKA_PREFIX to another prefix, or, if they are what an interrupted restore left, delete them`,
    )
  }
  const made = ALL_KAFKA_TOPICS.filter((topic) => topic !== OWN_TOPICS.settings)
  await createTopics(
    admin,
    made.filter((topic) => !there.includes(topic)),
    wanted,
  )
  const problems = await topicProblems(admin, wanted, [...new Set([...made, ...there])])
  if (problems.length > 0) throw new KafkaRefusedError(problems.join('\n'))
}

/** Deletes what precedes these offsets. */
export async function cutTopic(
  admin: Admin,
  topic: string,
  begins: readonly { partition: number; offset: number }[],
): Promise<void> {
  const partitions = begins.map(({ partition, offset }) => ({ partition, offset: String(offset) }))
  // kafkajs knows the leaders of a topic only once it was asked about it.
  await admin.fetchTopicOffsets(topic)
  await admin.deleteTopicRecords({ topic, partitions }).catch((error: unknown) => {
    const asked = { topic: { operation: 'Delete', names: [topic] } } as const
    throw deniedBy(null, error, `${topic} cannot be cut`, asked) ?? error
  })
}

/** Where the order workers continue. */
export async function setConsumed(
  admin: Admin,
  prefix: string,
  offsets: readonly number[],
): Promise<void> {
  const groupId = orderGroupOf(prefix)
  const partitions = offsets.map((offset, partition) => ({ partition, offset: String(offset) }))
  await admin
    .setOffsets({ groupId, topic: prefix + TOPICS.inbox, partitions })
    .catch((error: unknown) => {
      const asked = { group: { operation: 'Read', names: [groupId] } } as const
      throw deniedBy(null, error, 'the offsets of the inbox cannot be set', asked) ?? error
    })
}
