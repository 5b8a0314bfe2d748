import { TOPICS } from '../../../schemas/log.ts'
import { CLEAN_UP } from '../../log/clean-up.ts'
import { topicPartitionsOf } from '../../log/topic-partitions.ts'
import { type KafkaTopic, OWN_TOPICS } from '../client/names.ts'
import { TOPIC_RULES } from '../topics/topics.ts'

const { settings, ingest } = OWN_TOPICS
const { inbox, lifecycle, snapshots, dead, checkpoints, states, webhooks, keys, heads } = TOPICS

/**
 * Copied before the others: an endpoint of webhooks and a signed head name places in the lifecycle, which
 * must be in the copy.
 */
export const COPIED_FIRST: readonly KafkaTopic[] = [
  settings,
  ...[webhooks, keys, checkpoints, states, heads],
]

/** What a copy of the log has. The others are feeds that go on from what the node has. */
export const COPIED_TOPICS: readonly KafkaTopic[] = COPIED_FIRST.concat(
  ...[snapshots, lifecycle, dead, inbox, ingest],
)

/** Topics of which only the latest record of a key is kept. */
export const isCompacted = (topic: KafkaTopic): boolean =>
  TOPIC_RULES[topic]['cleanup.policy'] === 'compact'

/** Topics whose first records are deleted after a time. */
export const isTrimmed = (topic: KafkaTopic): boolean =>
  topic !== settings && topic !== ingest && CLEAN_UP[topic].policy === 'delete'

/** Topics that are cut where they begin in a copy. */
export const TRIMMED_TOPICS: readonly KafkaTopic[] = COPIED_TOPICS.filter(isTrimmed)

export interface CopiedPlace {
  topic: KafkaTopic
  partition: number
}

export const copiedPlaces = (
  topics: readonly KafkaTopic[],
  partitions: number,
): readonly CopiedPlace[] =>
  topics.flatMap((topic) =>
    Array.from({ length: topicPartitionsOf(topic, partitions) }, (_, partition) => ({
      topic,
      partition,
    })),
  )
