import { TOPICS, type Topic } from '../../schemas/log.ts'

/** Feeds keep a single order; records of an outpoint are in its partition. */
const BY_OUTPOINT: ReadonlySet<string> = new Set([
  TOPICS.inbox,
  TOPICS.lifecycle,
  TOPICS.snapshots,
  TOPICS.dead,
  TOPICS.heads,
] satisfies Topic[])

export const isByOutpoint = (topic: string): boolean => BY_OUTPOINT.has(topic)

/** How many partitions a topic has in a log of so many. */
export const topicPartitionsOf = (topic: string, partitions: number): number =>
  isByOutpoint(topic) ? partitions : 1
