import { partitionOf } from '../../domain/order/partition.ts'
import type { NewRecord } from '../../ports/log/event-log.ts'
import type { IngestStep, MempoolChange, StoredBlock } from '../../ports/log/ingest-store.ts'
import { TOPICS, type Topic, type Watermark } from '../../schemas/log.ts'
import { newsText } from './news-text.ts'
import { blockFeed, mempoolFeed, type Routed, routeBlock, routeTransaction } from './route.ts'

export interface Placing {
  partitions: number
  /** RFC 3339, when the follower learned of it. */
  at: string
}

/** The records of a block that joins or leaves the chain, its feed record last. */
export function* blockRecords(
  kind: Exclude<IngestStep['kind'], 'mempool'>,
  block: StoredBlock,
  { partitions, at }: Placing,
): Generator<NewRecord> {
  const way = kind === 'connect' ? 'forward' : 'undo'
  for (const record of routeBlock[way]({ ...block, at })) yield inboxRecord(record, partitions)
  yield feedRecord(TOPICS.blocks, block.hash, blockFeed[way](block))
}

/** The records of mempool changes in their order, each followed by its feed record. */
export function* mempoolRecords(
  changes: readonly MempoolChange[],
  { partitions, at }: Placing,
): Generator<NewRecord> {
  for (const change of changes) {
    const way = change.change === 'entered' ? 'forward' : 'undo'
    for (const record of routeTransaction[way]({ ...change.transaction, at }))
      yield inboxRecord(record, partitions)
    yield feedRecord(TOPICS.mempool, change.transaction.txid, mempoolFeed(change))
  }
}

/** A watermark goes to every partition: each must know that it has all of its records. */
export const watermarkRecords = (watermark: Watermark, partitions: number): NewRecord[] =>
  Array.from({ length: partitions }, (_, partition) => ({
    topic: TOPICS.inbox,
    partition,
    key: '',
    value: watermark,
  }))

/** Feeds have one partition each. */
export const feedRecord = (topic: Topic, key: string, value: unknown): NewRecord => ({
  topic,
  partition: 0,
  key,
  value,
})

const inboxRecord = (record: Routed, partitions: number): NewRecord => ({
  topic: TOPICS.inbox,
  partition: partitionOf(record.outpoint, partitions),
  key: record.outpoint,
  value: record,
  text: () => newsText(record),
})
