import type { Kafka } from 'kafkajs'
import type { Clock } from '../../ports/clock.ts'
import type { OnPoint } from '../../ports/crash-points.ts'
import type { OpenWorker } from '../../ports/event-log.ts'
import type { SnapshotStore } from '../../ports/snapshot-store.ts'
import { TOPICS } from '../../schemas/log.ts'
import { consumePartition, type PartitionFailure } from '../log/consume-partition.ts'
import { WriterReplaced } from './errors.ts'
import { InboxGroup } from './inbox-group.ts'
import type { KafkaLog } from './log.ts'
import { OwnedPartition } from './owned-partition.ts'
import { Transactions } from './transactions.ts'

export interface SharedInbox {
  kafka: Kafka
  prefix: string
  groupId: string
  partitions: number
  logId: string
  log: Pick<KafkaLog, 'read' | 'storedRaw' | 'end' | 'firstOffset' | 'consumed'>
  snapshots: SnapshotStore
  clock: Clock
  onPoint: OnPoint
  onFailure(failure: PartitionFailure): void
}

interface Lane {
  stop: AbortController
  done: Promise<void>
}

/**
 * Consumes those partitions of the inbox that the group gives to this process, until the signal
 * aborts. A partition that stays here through a rebalance is not interrupted: should another have
 * had it in between, this one's next commit is refused.
 */
export async function shareInbox(
  inbox: SharedInbox,
  open: OpenWorker,
  signal: AbortSignal,
): Promise<void> {
  const group = new InboxGroup({
    kafka: inbox.kafka,
    groupId: inbox.groupId,
    topic: inbox.prefix + TOPICS.inbox,
    partitions: inbox.partitions,
  })
  const lanes = new Map<number, Lane>()
  const ending: Promise<void>[] = []
  const end = (partition: number): void => {
    const lane = lanes.get(partition)
    if (!lane) return
    lanes.delete(partition)
    lane.stop.abort()
    ending.push(lane.done)
  }
  const begin = (partition: number) => {
    const stop = new AbortController()
    lanes.set(partition, { stop, done: consume(inbox, group, open, partition, stop.signal) })
  }
  try {
    await group.run((assigned) => {
      for (const partition of [...lanes.keys()]) if (!assigned.includes(partition)) end(partition)
      for (const partition of assigned) if (!lanes.has(partition)) begin(partition)
    }, signal)
  } finally {
    // What is under way is committed before the others are told that they may have it.
    for (const partition of [...lanes.keys()]) end(partition)
    await Promise.allSettled(ending)
    await group.leave()
  }
}

async function consume(
  inbox: SharedInbox,
  group: InboxGroup,
  open: OpenWorker,
  partition: number,
  signal: AbortSignal,
): Promise<void> {
  const { kafka, prefix, groupId, logId, log, snapshots, onPoint } = inbox
  const transactions = new Transactions(kafka, `${prefix}market-orders-${partition}`)
  let owned: OwnedPartition
  let isReplaced = false
  try {
    await consumePartition(
      {
        partition,
        open: async () => {
          // Whoever replaced this process may own the partition: taking it back needs a proof.
          if (isReplaced) await group.proven(signal)
          signal.throwIfAborted()
          isReplaced = false
          owned = await OwnedPartition.take(
            {
              ...{ partition, logId, prefix, groupId, transactions, snapshots, onPoint },
              stored: (topic, place, from, aborted) => log.storedRaw(topic, place, from, aborted),
              end: (topic, place) => log.end(topic, place),
              firstOffset: (topic, place) => log.firstOffset(topic, place),
              groupOffset: (place) => log.consumed(place),
            },
            signal,
          )
          return await open(owned.state)
        },
        batches: (aborted) => log.read(TOPICS.inbox, partition, owned.inbox, aborted),
        commit: (output, next) => owned.commit(output, next),
        clock: inbox.clock,
        onPoint,
        onFailure: (failure) => {
          isReplaced = failure.error instanceof WriterReplaced
          if (!signal.aborted) inbox.onFailure(failure)
        },
      },
      signal,
    )
  } finally {
    await transactions.close()
  }
}
