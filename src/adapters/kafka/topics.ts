import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import { CLEAN_UP } from '../log/clean-up.ts'
import { KafkaRefused } from './errors.ts'

// Node finds no more names in this CommonJS package than those before it.
const { ConfigResourceTypes } = kafkajs

/** What Kafka keeps besides the topics of the port. */
export const OWN_TOPICS = {
  /** One record, written first: whose topics these are. */
  settings: 'market.settings',
  /** What the one writer of the chain must know again: see `ingest-changelog.ts`. */
  ingest: 'ingest.state',
} as const
export type KafkaTopic = Topic | (typeof OWN_TOPICS)[keyof typeof OWN_TOPICS]

/** Feeds have one reader's order; what belongs to an outpoint lies in its partition. */
const BY_OUTPOINT: ReadonlySet<KafkaTopic> = new Set([
  TOPICS.inbox,
  TOPICS.lifecycle,
  TOPICS.snapshots,
  TOPICS.dead,
])

const ONE_MIB = 2 ** 20
/** A step of ingest holds a whole block, or all that a mempool changed while it was away. */
const MAX_STEP_BYTES = 64 * ONE_MIB

const CLEANED = Object.entries(CLEAN_UP).map(([topic, rule]) => [topic, rulesOf(rule)] as const)

/** Settings of each topic that the service relies on. */
export const TOPIC_RULES: Readonly<Record<KafkaTopic, Record<string, string>>> = {
  ...(Object.fromEntries(CLEANED) as Record<Topic, Record<string, string>>),
  [OWN_TOPICS.settings]: { 'cleanup.policy': 'delete', 'retention.ms': '-1' },
  [OWN_TOPICS.ingest]: {
    'cleanup.policy': 'compact',
    'max.message.bytes': String(MAX_STEP_BYTES),
  },
}

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

export const ALL_KAFKA_TOPICS = Object.keys(TOPIC_RULES) as KafkaTopic[]

export const partitionsOf = (topic: KafkaTopic, partitions: number): number =>
  BY_OUTPOINT.has(topic) ? partitions : 1

/** The consumer group of the inbox: who asks for lag asks for its. */
export const groupOf = (prefix: string): string => `${prefix}market-orders`

export const topicConfig = (
  topic: KafkaTopic,
  { prefix, partitions }: { prefix: string; partitions: number },
): ITopicConfig => ({
  topic: prefix + topic,
  numPartitions: partitionsOf(topic, partitions),
  configEntries: Object.entries(TOPIC_RULES[topic]).map(([name, value]) => ({ name, value })),
})

/**
 * Throws `KafkaRefused` with all that is wrong at once: another partition count moves keys to other
 * partitions, another clean-up loses what must be kept.
 */
export async function checkTopics(
  admin: Admin,
  wanted: { prefix: string; partitions: number },
): Promise<void> {
  const problems = await topicProblems(admin, wanted)
  if (problems.length > 0) throw new KafkaRefused(problems.join('\n'))
}

/** What is wrong with topics that are all there, each with its cure. */
export async function topicProblems(
  admin: Admin,
  { prefix, partitions }: { prefix: string; partitions: number },
): Promise<string[]> {
  return [
    ...(await wrongPartitions(admin, prefix, partitions)),
    ...(await wrongRules(admin, prefix)),
  ]
}

async function wrongPartitions(
  admin: Admin,
  prefix: string,
  partitions: number,
): Promise<string[]> {
  const { topics } = await admin.fetchTopicMetadata({
    topics: ALL_KAFKA_TOPICS.map((topic) => prefix + topic),
  })
  const counts = new Map(topics.map(({ name, partitions: found }) => [name, found.length]))
  return ALL_KAFKA_TOPICS.flatMap((topic) => {
    const have = counts.get(prefix + topic)
    const want = partitionsOf(topic, partitions)
    if (have === want) return []
    const cure = BY_OUTPOINT.has(topic)
      ? `set ORDER_PARTITIONS to ${have} if the log was made so; partitions of a log cannot be changed`
      : 'it must have 1: use another KAFKA_PREFIX'
    return [`topic ${prefix}${topic} has ${have} partitions, not ${want}: ${cure}`]
  })
}

async function wrongRules(admin: Admin, prefix: string): Promise<string[]> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: ALL_KAFKA_TOPICS.map((topic) => ({
      type: ConfigResourceTypes.TOPIC,
      name: prefix + topic,
      configNames: Object.keys(TOPIC_RULES[topic]),
    })),
  })
  return resources.flatMap(({ resourceName, configEntries }) => {
    const rules = TOPIC_RULES[resourceName.slice(prefix.length) as KafkaTopic]
    const wrong = configEntries.filter(
      ({ configName, configValue }) => !isEnough(configName, configValue, rules[configName] ?? ''),
    )
    if (wrong.length === 0) return []
    const cure = wrong.map(({ configName }) => `${configName}=${rules[configName]}`).join(',')
    const found = wrong.map(({ configName, configValue }) => `${configName}=${configValue}`)
    return [
      `topic ${resourceName} has ${found.join(', ')}: run kafka-configs.sh --alter --entity-type topics --entity-name ${resourceName} --add-config ${cure}`,
    ]
  })
}

/** Longer retention and larger messages than asked for do no harm; -1 is for ever. */
function isEnough(name: string, have: string, want: string): boolean {
  if (name === 'cleanup.policy') return have === want
  if (have === '-1') return true
  return want !== '-1' && Number(have) >= Number(want)
}
