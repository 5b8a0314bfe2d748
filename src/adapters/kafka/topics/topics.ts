import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs'
import { PIECES_SCHEMA, type Topic } from '../../../schemas/log.ts'
import { CLEAN_UP } from '../../log/clean-up.ts'
import { isByOutpoint, topicPartitionsOf } from '../../log/topic-partitions.ts'
import { deniedBy, type RightsAsked } from '../client/denied.ts'
import { KafkaRefusedError } from '../client/errors.ts'
import { ALL_KAFKA_TOPICS, type KafkaTopic, OWN_TOPICS } from '../client/names.ts'

// Node detects only these named exports of this CommonJS package.
const { ConfigResourceTypes } = kafkajs

const ONE_MIB = 2 ** 20
/**
 * Before records of `ingest.state` were written in pieces, one held a whole block, or all that a
 * mempool changed while ingest was away.
 */
const WHOLE_STEP_BYTES = 64 * ONE_MIB

const CLEANED = Object.entries(CLEAN_UP).map(([topic, rule]) => [topic, rulesOf(rule)] as const)

/** Settings of each topic that the service relies on. */
export const TOPIC_RULES: Readonly<Record<KafkaTopic, Record<string, string>>> = {
  ...(Object.fromEntries(CLEANED) as Record<Topic, Record<string, string>>),
  [OWN_TOPICS.settings]: { 'cleanup.policy': 'delete', 'retention.ms': '-1' },
  [OWN_TOPICS.ingest]: { 'cleanup.policy': 'compact', 'max.message.bytes': String(ONE_MIB) },
}

/** Settings of a topic of a log that holds records of this form at most. */
const rulesAt = (topic: KafkaTopic, schema: number): Record<string, string> =>
  topic === OWN_TOPICS.ingest && schema < PIECES_SCHEMA
    ? { ...TOPIC_RULES[topic], 'max.message.bytes': String(WHOLE_STEP_BYTES) }
    : TOPIC_RULES[topic]

/**
 * How soon a compacted topic is compacted. A takeover reads all of it, overwritten records too:
 * with the broker's defaults that is up to a GiB a partition, of any age.
 */
const COMPACTED_SOON = {
  'segment.bytes': String(64 * ONE_MIB),
  'max.compaction.lag.ms': String(3_600_000),
}

/** Settings that topics are created with; without them topics only take longer to read. */
const pacedBy = (topic: KafkaTopic): Record<string, string> =>
  TOPIC_RULES[topic]['cleanup.policy'] === 'compact' ? COMPACTED_SOON : {}

function rulesOf(rule: (typeof CLEAN_UP)[Topic]): Record<string, string> {
  switch (rule.policy) {
    case 'compact':
      return { 'cleanup.policy': 'compact', 'max.message.bytes': String(ONE_MIB) }
    case 'keep':
      return {
        'cleanup.policy': 'delete',
        'retention.ms': '-1',
        'retention.bytes': '-1',
        'max.message.bytes': String(ONE_MIB),
      }
    case 'delete':
      return {
        'cleanup.policy': 'delete',
        'retention.ms': String(rule.afterMs),
        'max.message.bytes': String(ONE_MIB),
      }
  }
}

export const topicConfig = (
  topic: KafkaTopic,
  { prefix, partitions, schema }: CheckedLog,
): ITopicConfig => ({
  topic: prefix + topic,
  numPartitions: topicPartitionsOf(topic, partitions),
  configEntries: Object.entries({ ...rulesAt(topic, schema), ...pacedBy(topic) }).map(
    ([name, value]) => ({ name, value }),
  ),
})

/**
 * Throws `KafkaRefusedError` listing every problem at once: another partition count moves keys to other
 * partitions, another clean-up policy loses what must be kept.
 */
export async function checkTopics(
  admin: Admin,
  wanted: CheckedLog,
  those: readonly KafkaTopic[],
): Promise<void> {
  const problems = await topicProblems(admin, wanted, those)
  if (problems.length > 0) throw new KafkaRefusedError(problems.join('\n'))
}

export interface CheckedLog {
  prefix: string
  partitions: number
  /** The newest form that its records may have. */
  schema: number
}

/** What is wrong with topics that exist, each with its cure; all topics by default. */
export async function topicProblems(
  admin: Admin,
  { prefix, partitions, schema }: CheckedLog,
  those: readonly KafkaTopic[] = ALL_KAFKA_TOPICS,
): Promise<string[]> {
  return [
    ...(await wrongPartitions(admin, prefix, partitions, those)),
    ...(await unlike(admin, prefix, (topic) => rulesAt(topic, schema), isEnough, those)),
  ]
}

async function wrongPartitions(
  admin: Admin,
  prefix: string,
  partitions: number,
  those: readonly KafkaTopic[],
): Promise<string[]> {
  const { topics } = await admin.fetchTopicMetadata({
    topics: those.map((topic) => prefix + topic),
  })
  const counts = new Map(topics.map(({ name, partitions: found }) => [name, found.length]))
  return those.flatMap((topic) => {
    const have = counts.get(prefix + topic)
    const want = topicPartitionsOf(topic, partitions)
    if (have === want) return []
    const cure = isByOutpoint(topic)
      ? `set ORDER_PARTITIONS to ${have} if the log was created with it; the partitions of a log cannot be changed`
      : 'it must have 1: use another KAFKA_PREFIX'
    return [`topic ${prefix}${topic} has ${have} partitions, not ${want}: ${cure}`]
  })
}

/** Topics that take longer to read than newly created ones, each with its cure. */
export const slowTopics = (admin: Admin, prefix: string): Promise<string[]> =>
  unlike(admin, prefix, pacedBy, (_, have, want) => Number(have) <= Number(want))

async function unlike(
  admin: Admin,
  prefix: string,
  settingsOf: (topic: KafkaTopic) => Record<string, string>,
  isFit: (name: string, have: string, want: string) => boolean,
  those: readonly KafkaTopic[] = ALL_KAFKA_TOPICS,
): Promise<string[]> {
  const topics = those.filter((topic) => Object.keys(settingsOf(topic)).length > 0)
  const names = topics.map((topic) => prefix + topic)
  const { resources } = await admin
    .describeConfigs({
      includeSynonyms: false,
      resources: topics.map((topic) => ({
        type: ConfigResourceTypes.TOPIC,
        name: prefix + topic,
        configNames: Object.keys(settingsOf(topic)),
      })),
    })
    .catch((error: unknown) => {
      const asked: RightsAsked = { topic: { operation: 'DescribeConfigs', names } }
      throw deniedBy(null, error, 'the settings of the topics are unknown', asked) ?? error
    })
  return resources.flatMap(({ resourceName, configEntries }) => {
    const wanted = settingsOf(resourceName.slice(prefix.length) as KafkaTopic)
    const have = new Map(configEntries.map((entry) => [entry.configName, entry.configValue]))
    const wrong = Object.entries(wanted).filter(
      ([name, want]) => !isFit(name, have.get(name) ?? '', want),
    )
    if (wrong.length === 0) return []
    const cure = wrong.map(([name, want]) => `${name}=${want}`).join(',')
    const found = wrong.map(([name]) => `${name}=${have.get(name)}`)
    return [
      `topic ${resourceName} has ${found.join(', ')}: run kafka-configs.sh --alter --entity-type topics --entity-name ${resourceName} --add-config ${cure}`,
    ]
  })
}

/** Longer retention and larger messages than required do no harm; -1 is for ever. */
function isEnough(name: string, have: string, want: string): boolean {
  if (name === 'cleanup.policy') return have === want
  if (have === '-1') return true
  return want !== '-1' && Number(have) >= Number(want)
}
