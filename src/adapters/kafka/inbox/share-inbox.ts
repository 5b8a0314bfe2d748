import type { Kafka } from 'kafkajs'
import PQueue from 'p-queue'
import type { HeadSigner } from '../../../domain/heads/sign-head.ts'
import type { OnPoint } from '../../../ports/log/crash-points.ts'
import type { EventLog, OpenWorker } from '../../../ports/log/event-log.ts'
import type { SnapshotStore } from '../../../ports/log/snapshot-store.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { TOPICS } from '../../../schemas/log.ts'
import { consumePartition, type PartitionFailure } from '../../log/consume-partition.ts'
import { PartitionHeads } from '../../log/partition-heads.ts'
import { WriterReplacedError } from '../client/errors.ts'
import { type KafkaTopic, orderTransactionsOf } from '../client/names.ts'
import type { Fetched } from '../client/reader.ts'
import { Transactions } from '../client/transactions.ts'
import { GroupMembership } from '../group/group-membership.ts'
import { inCompany } from './in-company.ts'
import { OwnedPartition } from './owned-partition.ts'

export interface SharedInbox {
  kafka: Kafka
  prefix: string
  groupId: string
  partitions: number
  logId: string
  log: RawLog
  snapshots: SnapshotStore
  clock: Clock
  /** Null: no heads are signed. */
  heads: HeadSigner | null
  onPoint: OnPoint
  onFailure(failure: PartitionFailure): void
}

interface RunningPartition {
  stop: AbortController
  done: Promise<void>
}

/**
 * Consumes the inbox partitions that the group assigns to this process, until the signal aborts. A
 * partition that stays here through a rebalance is not interrupted: if another process owned it in
 * between, this one's next commit is refused.
 */
export async function shareInbox(
  inbox: SharedInbox,
  open: OpenWorker,
  signal: AbortSignal,
): Promise<void> {
  const group = new GroupMembership({
    kafka: inbox.kafka,
    groupId: inbox.groupId,
    topic: inbox.prefix + TOPICS.inbox,
    partitions: inbox.partitions,
  })
  const line = new PQueue({ concurrency: 1 })
  const running = new Map<number, RunningPartition>()
  const ending: Promise<void>[] = []
  const end = (partition: number): void => {
    const one = running.get(partition)
    if (!one) return
    running.delete(partition)
    one.stop.abort()
    ending.push(one.done)
  }
  const begin = (partition: number) => {
    const stop = new AbortController()
    running.set(partition, {
      stop,
      done: consume(inbox, group, open, line, partition, stop.signal),
    })
  }
  try {
    await group.run((assigned) => {
      for (const partition of [...running.keys()]) if (!assigned.includes(partition)) end(partition)
      for (const partition of assigned) if (!running.has(partition)) begin(partition)
    }, signal)
  } finally {
    // Work in flight is committed before the partitions are released to other processes.
    for (const partition of [...running.keys()]) end(partition)
    await Promise.allSettled(ending)
    await group.leave()
  }
}

async function consume(
  inbox: SharedInbox,
  group: GroupMembership,
  open: OpenWorker,
  line: PQueue,
  partition: number,
  signal: AbortSignal,
): Promise<void> {
  const { kafka, prefix, groupId, logId, log, snapshots, onPoint, heads: signer, clock } = inbox
  const transactions = new Transactions(kafka, orderTransactionsOf(prefix, partition))
  let owned: OwnedPartition
  let isReplaced = false
  try {
    await consumePartition(
      {
        partition,
        open: async () => {
          // The replacing process may own the partition: reclaiming it needs proof of membership.
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
              heads: async () =>
                signer && (await PartitionHeads.resume({ partition, log, signer, clock })),
              inLine: (work) => line.add(work),
            },
            signal,
          )
          return await open(owned.state)
        },
        batches: (aborted) =>
          inCompany(log.read(TOPICS.inbox, partition, owned.inbox, aborted), clock),
        commit: (output, next) => owned.commit(output, next),
        clock,
        onPoint,
        onFailure: (failure) => {
          isReplaced = failure.error instanceof WriterReplacedError
          if (!signal.aborted) inbox.onFailure(failure)
        },
      },
      signal,
    )
  } finally {
    await transactions.close()
  }
}

/** The log as the inbox consumer sees it: offsets and records as Kafka has them. */
interface RawLog extends Pick<EventLog, 'read' | 'stored'> {
  /** What is stored now, from an offset on; then ends. */
  storedRaw(
    topic: KafkaTopic,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<Fetched>
  /** The offset of the next record. */
  end(topic: KafkaTopic, partition: number): Promise<number>
  /** The first offset that still exists. */
  firstOffset(topic: KafkaTopic, partition: number): Promise<number>
  /** The committed offset of the inbox. */
  consumed(partition: number): Promise<number>
}
