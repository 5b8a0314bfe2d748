import type { Admin, Kafka } from 'kafkajs'
import { NEWEST_LOG_SCHEMA } from '../../../schemas/log.ts'
import { type KafkaSettings, openClient } from '../client/client.ts'
import { decode } from '../client/codec.ts'
import { deniedBy, type RightsAsked } from '../client/denied.ts'
import { KafkaRefusedError, loginRefusalOf } from '../client/errors.ts'
import { ALL_KAFKA_TOPICS, newReaderGroup, OWN_TOPICS, orderGroupOf } from '../client/names.ts'
import { LogReader } from '../client/reader.ts'
import { checkSettings, type LogSettings, missingTopics, type Wanted } from './settings.ts'
import { slowTopics, topicProblems } from './topics.ts'

export interface KafkaFacts {
  /** `host:port` of every broker of the cluster. */
  brokers: string[]
  /** Why the log cannot be used, each with its cure. */
  problems: string[]
  /** What makes a takeover slow, each with its cure. */
  slow: string[]
  /** None of the topics exists. */
  isEmpty: boolean
  /** Replication factor: least and most over the existing topics. */
  copies: { least: number; most: number }
  /** Partitions with an out-of-sync replica, as `topic/partition`. */
  underReplicated: string[]
  /** Processes that consume the inbox now. */
  actors: number
}

/** Checks a cluster as a service would before using it, and creates nothing. */
export async function examineKafka(settings: KafkaSettings & Wanted): Promise<KafkaFacts> {
  const kafka = openClient(settings)
  const admin = kafka.admin({ retry: { initialRetryTime: 100, retries: 1 } })
  await admin.connect().catch((error: unknown) => {
    throw loginRefusalOf(error) ?? error
  })
  try {
    const { brokers } = await admin.describeCluster()
    const names = brokers.map(({ host, port }) => `${host}:${port}`)
    const { missing, problems } = await topicsOf(admin, settings)
    const there = ALL_KAFKA_TOPICS.filter((topic) => !missing.includes(topic))
    const isEmpty = there.length === 0
    let schema: number = NEWEST_LOG_SCHEMA
    if (!isEmpty && !missing.includes(OWN_TOPICS.settings)) {
      const found = await settingsOf(kafka, settings)
      if (typeof found === 'string') problems.push(found)
      else schema = found.schema
    }
    if (missing.length === 0)
      problems.push(...(await topicProblems(admin, { ...settings, schema })))
    const slow = missing.length === 0 ? await slowTopics(admin, settings.prefix) : []
    const copies = await copiesOf(
      admin,
      there.map((topic) => settings.prefix + topic),
    )
    const actors = await actorsOf(kafka, admin, settings)
    return { brokers: names, problems, slow, isEmpty, ...copies, actors }
  } finally {
    await admin.disconnect()
  }
}

async function topicsOf(admin: Admin, wanted: Wanted) {
  try {
    const missing = await missingTopics(admin, wanted)
    const isPart = missing.length > 0 && missing.length < ALL_KAFKA_TOPICS.length
    const names = missing.map((topic) => wanted.prefix + topic).join(', ')
    const lost = `topic ${names} is missing: the service creates it at its next start; if it held records, restore it first`
    return { missing, problems: isPart ? [lost] : [] }
  } catch (error) {
    if (!(error instanceof KafkaRefusedError)) throw error
    return { missing: ALL_KAFKA_TOPICS, problems: [error.message] }
  }
}

/** The settings, or what is wrong with them. */
async function settingsOf(kafka: Kafka, wanted: Wanted): Promise<LogSettings | string> {
  try {
    return checkSettings(await settingsRecords(kafka, wanted), wanted)
  } catch (error) {
    if (error instanceof KafkaRefusedError) return error.message
    throw error
  }
}

async function settingsRecords(kafka: Kafka, wanted: Wanted): Promise<unknown[]> {
  const topic = wanted.prefix + OWN_TOPICS.settings
  await using reader = await LogReader.open({
    kafka,
    groupId: newReaderGroup(wanted.prefix),
    topics: new Map([[topic, 1]]),
    firstOffset: async () => 0,
  })
  reader.take(topic, 0)
  for await (const { messages } of reader.read(topic, 0, 0, AbortSignal.timeout(FIRST_MS))) {
    if (messages.length > 0) return messages.map((message) => decode(0, message).value)
  }
  return []
}

const FIRST_MS = 5_000

async function copiesOf(admin: Admin, names: string[]) {
  if (names.length === 0) return { copies: { least: 0, most: 0 }, underReplicated: [] }
  const { topics } = await admin.fetchTopicMetadata({ topics: names })
  const partitions = topics.flatMap(({ name, partitions: those }) =>
    those.map((partition) => ({ name, ...partition })),
  )
  const counts = partitions.map(({ replicas }) => replicas.length)
  return {
    copies: { least: Math.min(...counts), most: Math.max(...counts) },
    underReplicated: partitions
      .filter(({ isr, replicas }) => isr.length < replicas.length)
      .map(({ name, partitionId }) => `${name}/${partitionId}`),
  }
}

async function actorsOf(kafka: Kafka, admin: Admin, { prefix }: Wanted): Promise<number> {
  const group = orderGroupOf(prefix)
  const { groups } = await admin.describeGroups([group]).catch((error: unknown) => {
    const asked: RightsAsked = { group: { operation: 'Describe', names: [group] } }
    throw deniedBy(kafka, error, 'the order workers are unknown', asked) ?? error
  })
  return groups[0]?.members.length ?? 0
}
