import { randomUUID } from 'node:crypto'
import { TOPICS, type Topic } from '../../../schemas/log.ts'

/** What Kafka stores besides the topics of the port. */
export const OWN_TOPICS = {
  /** One record, written first: which service owns these topics. */
  settings: 'market.settings',
  /** State that the one writer of the chain restores: see `ingest-changelog.ts`. */
  ingest: 'ingest.state',
} as const
export type KafkaTopic = Topic | (typeof OWN_TOPICS)[keyof typeof OWN_TOPICS]

export const ALL_KAFKA_TOPICS: readonly KafkaTopic[] = [
  ...Object.values(TOPICS),
  ...Object.values(OWN_TOPICS),
]

/** Topics that the last release did not have: commands on its log take them as empty. */
export const LATER_TOPICS: readonly KafkaTopic[] = [TOPICS.heads]

/** A name after the prefix of the configuration. */
export interface NamedInKafka {
  name: string
  /** All names that begin with it. */
  isPrefix: boolean
}

/** The consumer groups of the service and its commands. */
export const CONSUMER_GROUPS = {
  /** Divides the inbox among order workers: the one to monitor for lag. */
  orders: { name: 'market-orders', isPrefix: false },
  /** Divides the lifecycle among senders of webhooks; it commits no offset. */
  webhooks: { name: 'market-webhooks', isPrefix: false },
  /** Names the one writer of the chain; the others wait. It commits no offset. */
  ingest: { name: 'market-ingest', isPrefix: false },
  /** Groups of one reader each, which commits nothing. */
  readers: { name: 'market-reader-', isPrefix: true },
} as const satisfies Record<string, NamedInKafka>

/** The transactional ids of the service and its commands. */
export const TRANSACTIONAL_IDS = {
  /** One for each partition of the inbox. */
  orders: { name: 'market-orders-', isPrefix: true },
  ingest: { name: 'market-ingest', isPrefix: false },
  /** Transactions of one process that appends to several partitions together. */
  appends: { name: 'market-append-', isPrefix: true },
} as const satisfies Record<string, NamedInKafka>

export type ConsumerGroup = keyof typeof CONSUMER_GROUPS
export type TransactionalId = keyof typeof TRANSACTIONAL_IDS

export const orderGroupOf = (prefix: string): string => prefix + CONSUMER_GROUPS.orders.name

export const ingestGroupOf = (prefix: string): string => prefix + CONSUMER_GROUPS.ingest.name

export const webhookGroupOf = (prefix: string): string => prefix + CONSUMER_GROUPS.webhooks.name

export const newReaderGroup = (prefix: string): string =>
  prefix + CONSUMER_GROUPS.readers.name + randomUUID()

export const orderTransactionsOf = (prefix: string, partition: number): string =>
  `${prefix}${TRANSACTIONAL_IDS.orders.name}${partition}`

export const ingestTransactionsOf = (prefix: string): string =>
  prefix + TRANSACTIONAL_IDS.ingest.name

export const newAppendTransactions = (prefix: string): string =>
  prefix + TRANSACTIONAL_IDS.appends.name + randomUUID()
