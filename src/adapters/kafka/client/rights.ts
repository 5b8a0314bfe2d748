import {
  ALL_KAFKA_TOPICS,
  CONSUMER_GROUPS,
  type ConsumerGroup,
  type KafkaTopic,
  type NamedInKafka,
  OWN_TOPICS,
  TRANSACTIONAL_IDS,
  type TransactionalId,
} from './names.ts'

/** What a process does with the log in Kafka, besides opening it. */
export interface LogUse {
  /** Topics whose records it reads. */
  reads: readonly KafkaTopic[]
  /** Topics that it appends to. */
  appends: readonly KafkaTopic[]
  /** Topics whose first records it deletes. */
  cuts: readonly KafkaTopic[]
  /** It creates topics that are missing, and says whose they are. */
  creates: boolean
  /** Groups that it is a member of, or commits offsets for. */
  joins: readonly ConsumerGroup[]
  /** Groups whose offsets or members it asks for. */
  asks: readonly ConsumerGroup[]
  /** Transactional ids that it takes. */
  transacts: readonly TransactionalId[]
}

/** An operation that brokers allow or refuse, by its name in `kafka-acls.sh`. */
export type KafkaOperation = 'Read' | 'Write' | 'Create' | 'Delete' | 'Describe' | 'DescribeConfigs'
export type KafkaResource = 'topic' | 'group' | 'transactional-id'

/** One right: what a broker stores as a binding, without its user. */
export interface KafkaRight {
  resource: KafkaResource
  /** With the prefix of the configuration. */
  name: string
  pattern: 'literal' | 'prefixed'
  operation: KafkaOperation
}

/** Operations that also allow to describe (Kafka's `AclOperation`). */
const DESCRIBE_TOO: readonly KafkaOperation[] = ['Read', 'Write']

/**
 * The least rights for all of these uses together, in the order of topics, groups and transactional
 * ids. A right that another one implies is left out.
 */
export function kafkaRights(uses: readonly LogUse[], prefix: string): KafkaRight[] {
  const rights = new Map<string, KafkaRight>()
  const add = (resource: KafkaResource, { name, isPrefix }: NamedInKafka) => {
    const pattern = isPrefix ? 'prefixed' : 'literal'
    return (...operations: KafkaOperation[]) => {
      for (const operation of operations) {
        const right = { resource, name: prefix + name, pattern, operation } as const
        rights.set(Object.values(right).join(' '), right)
      }
    }
  }
  for (const use of uses) addUse(use, add)
  const all = [...rights.values()]
  const isImplied = (right: KafkaRight) =>
    right.operation === 'Describe' &&
    DESCRIBE_TOO.some((operation) => rights.has(Object.values({ ...right, operation }).join(' ')))
  return all.filter((right) => !isImplied(right)).sort(inOrder)
}

type Add = (
  resource: KafkaResource,
  named: NamedInKafka,
) => (...operations: KafkaOperation[]) => void

function addUse(use: LogUse, add: Add): void {
  const { reads, appends, cuts, creates, joins, asks, transacts } = use
  const topic = (name: KafkaTopic) => add('topic', { name, isPrefix: false })
  for (const name of ALL_KAFKA_TOPICS) {
    // Whether it exists, its partitions, ends and settings are asked of each topic.
    topic(name)('Describe', 'DescribeConfigs')
    if (creates) topic(name)('Create')
  }
  // Read to see to whom the log belongs; a process that finds no settings says so.
  topic(OWN_TOPICS.settings)('Read')
  if (creates) topic(OWN_TOPICS.settings)('Write')
  for (const name of reads) topic(name)('Read')
  for (const name of appends) topic(name)('Write')
  for (const name of cuts) topic(name)('Delete')
  add('group', CONSUMER_GROUPS.readers)('Read')
  for (const name of joins) add('group', CONSUMER_GROUPS[name])('Read')
  for (const name of asks) add('group', CONSUMER_GROUPS[name])('Describe')
  for (const name of transacts) add('transactional-id', TRANSACTIONAL_IDS[name])('Write')
}

const RESOURCES: readonly KafkaResource[] = ['topic', 'group', 'transactional-id']

/** By resource and name; what one name is allowed stays in the order of its uses. */
function inOrder(one: KafkaRight, other: KafkaRight): number {
  const byResource = RESOURCES.indexOf(one.resource) - RESOURCES.indexOf(other.resource)
  if (byResource !== 0) return byResource
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  return one.operation < other.operation ? -1 : 1
}
