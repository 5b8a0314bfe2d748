import { setTimeout as delay } from 'node:timers/promises'
import kafkajs, { type Kafka } from 'kafkajs'
import { grouped } from '../../../domain/grouped.ts'
import { connectedCluster, type RawBroker, type RawCluster } from '../client/cluster.ts'
import type { RawRecord } from './raw-record.ts'

// Node detects only these named exports of this CommonJS package.
const { CompressionTypes } = kafkajs

/** After this a broker aborts a transaction by itself; they allow 15 minutes. */
const TRANSACTION_MS = 600_000
/** A transaction that ended a moment ago is not over yet: asked again after this, milliseconds. */
const OVER_AGAIN_MS = 5
const OVER_WITHIN_MS = 30_000
/**
 * What a coordinator answers while it writes the markers of a transaction, or becomes the coordinator:
 * the request had no effect.
 */
const NOT_YET = new Set([
  'CONCURRENT_TRANSACTIONS',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
])
const TRANSACTION = 1

/** What one partition is sent next: the broker gives it the next offsets. */
export interface RawBatch {
  topic: string
  partition: number
  records: readonly RawRecord[]
}

export interface WrittenBatch {
  topic: string
  partition: number
  /** The offset of its first record. */
  offset: number
}

/**
 * Writes batches one by one, knowing each offset: kafkajs' producers do not show enough for that. Filler
 * is written by a transaction that is aborted, so no reader of committed records sees it. An aborted
 * transaction leaves one more offset, its marker, in each partition that it was given, even where it
 * wrote nothing.
 */
export class OffsetWriter {
  readonly #cluster: RawCluster
  readonly #transactionalId: string
  /** The filler's. */
  #producer: { producerId: string; producerEpoch: number } | null = null
  #sequences = new Map<string, number>()

  static async open(
    kafka: Kafka,
    topics: readonly string[],
    transactionalId: string,
  ): Promise<OffsetWriter> {
    return new OffsetWriter(await connectedCluster(kafka, topics), transactionalId)
  }

  private constructor(cluster: RawCluster, transactionalId: string) {
    this.#cluster = cluster
    this.#transactionalId = transactionalId
  }

  /** Records that every reader sees; one batch of a partition at most. */
  write(batches: readonly RawBatch[]): Promise<WrittenBatch[]> {
    return this.#produce(batches, null)
  }

  /** Partitions join the transaction of the filler: each gets its marker. */
  async join(places: readonly { topic: string; partition: number }[]): Promise<void> {
    const producer = this.#producer ?? (await this.#begin())
    const topics = grouped(places, ({ topic }) => topic)
    await this.#coordinated((broker) =>
      broker.addPartitionsToTxn({
        transactionalId: this.#transactionalId,
        ...producer,
        topics: Array.from(topics, ([topic, those]) => ({
          topic,
          partitions: those.map(({ partition }) => partition),
        })),
      }),
    )
  }

  /** Records that no reader of committed records will see, in partitions that have joined. */
  fill(batches: readonly RawBatch[]): Promise<WrittenBatch[]> {
    return this.#produce(batches, this.#producer)
  }

  /** Aborts the filler's transaction: resolves once each partition has its marker. */
  async abort(): Promise<void> {
    const producer = this.#producer
    if (!producer) return
    const transactionalId = this.#transactionalId
    await this.#coordinated((broker) =>
      broker.endTxn({ transactionalId, ...producer, transactionResult: false }),
    )
    await this.#begin()
  }

  async close(): Promise<void> {
    await this.#cluster.disconnect()
  }

  /** Answered once the last transaction of the id is over. */
  async #begin() {
    const transactionalId = this.#transactionalId
    const { producerId, producerEpoch } = await this.#coordinated((broker) =>
      broker.initProducerId({ transactionalId, transactionTimeout: TRANSACTION_MS }),
    )
    this.#sequences = new Map()
    this.#producer = { producerId, producerEpoch }
    return this.#producer
  }

  async #coordinated<T>(ask: (broker: RawBroker) => Promise<T>): Promise<T> {
    const asked = { groupId: this.#transactionalId, coordinatorType: TRANSACTION }
    const until = performance.now() + OVER_WITHIN_MS
    for (;;) {
      const broker = await this.#cluster.findGroupCoordinator(asked)
      try {
        return await ask(broker)
      } catch (error) {
        const { type = '' } = error as { type?: string }
        if (!NOT_YET.has(type) || performance.now() > until) throw error
        await delay(OVER_AGAIN_MS)
      }
    }
  }

  async #produce(
    batches: readonly RawBatch[],
    producer: { producerId: string; producerEpoch: number } | null,
  ): Promise<WrittenBatch[]> {
    const byLeader = grouped(batches, (batch) => this.#leaderOf(batch))
    const written = await Promise.all(
      Array.from(byLeader, async ([nodeId, those]) => {
        const broker = await this.#cluster.findBroker({ nodeId })
        const topics = grouped(those, ({ topic }) => topic)
        const topicData = Array.from(topics, ([topic, parts]) => ({
          topic,
          partitions: parts.map(({ partition, records }) => ({
            partition,
            firstSequence: producer ? this.#sequenceOf(topic, partition, records.length) : 0,
            messages: records,
          })),
        }))
        const answer = await broker.produce({
          ...{ acks: -1, compression: CompressionTypes.GZIP, topicData },
          ...(producer ? { transactionalId: this.#transactionalId, ...producer } : {}),
        })
        return answer.topics.flatMap(({ topicName, partitions }) =>
          partitions.map(({ partition, baseOffset }) => ({
            ...{ topic: topicName, partition, offset: Number(baseOffset) },
          })),
        )
      }),
    )
    return written.flat()
  }

  #leaderOf({ topic, partition }: RawBatch): string {
    const [leader] = Object.keys(this.#cluster.findLeaderForPartitions(topic, [partition]))
    if (leader === undefined) throw new Error(`${topic}/${partition} has no leader`)
    return leader
  }

  #sequenceOf(topic: string, partition: number, count: number): number {
    const key = `${topic} ${partition}`
    const sequence = this.#sequences.get(key) ?? 0
    this.#sequences.set(key, sequence + count)
    return sequence
  }
}
