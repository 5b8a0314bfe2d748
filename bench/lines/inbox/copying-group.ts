import type { Consumer, EachBatchPayload, Producer } from 'kafkajs'
import { sending } from '../../../src/adapters/kafka/client/batches.ts'
import type { KafkaLog } from '../../../src/adapters/kafka/log.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import type { Sample } from '../../harness/results.ts'
import { PARTITIONS } from '../../market/with-kafka.ts'

const GROUP = 'bench-copy'

/** Bare kafkajs: copies each batch of the inbox in one transaction with its offset. */
export class CopyingGroup implements AsyncDisposable {
  readonly #log: KafkaLog
  readonly #producers: readonly Producer[]

  static async open(log: KafkaLog): Promise<CopyingGroup> {
    const { kafka } = log
    const admin = kafka.admin()
    await admin.connect()
    const topic = targetIn(log)
    await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }] })
    await admin.disconnect()
    const producers = Array.from({ length: PARTITIONS }, (_, partition) =>
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        transactionalId: `${GROUP}-${partition}`,
      }),
    )
    await Promise.all(producers.map((producer) => producer.connect()))
    return new CopyingGroup(log, producers)
  }

  private constructor(log: KafkaLog, producers: readonly Producer[]) {
    this.#log = log
    this.#producers = producers
  }

  /** From the first batch of any partition until all records are committed. */
  async copied(records: number): Promise<Sample> {
    const consumer = this.#log.kafka.consumer({ groupId: GROUP })
    await consumer.connect()
    try {
      return await this.#copyWith(consumer, records)
    } finally {
      await consumer.disconnect()
    }
  }

  async #copyWith(consumer: Consumer, records: number): Promise<Sample> {
    const topic = this.#log.prefix + TOPICS.inbox
    const target = targetIn(this.#log)
    await consumer.subscribe({ topic, fromBeginning: true })
    let begun: { at: number; cpu: NodeJS.CpuUsage } | null = null
    let missing = records
    return await new Promise<Sample>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      const copy = async ({ batch, resolveOffset }: EachBatchPayload) => {
        begun ??= { at: performance.now(), cpu: process.cpuUsage() }
        const { partition, messages } = batch
        const transaction = await this.#producers[partition]?.transaction()
        const copies = messages.map(({ key, value }) => ({ partition, key, value }))
        await transaction?.sendBatch(sending([{ topic: target, messages: copies }]))
        const offset = String(BigInt(batch.lastOffset()) + 1n)
        const topics = [{ topic, partitions: [{ partition, offset }] }]
        await transaction?.sendOffsets({ consumerGroupId: GROUP, topics })
        await transaction?.commit()
        resolveOffset(batch.lastOffset())
        missing -= messages.length
        if (missing > 0) return
        const { user, system } = process.cpuUsage(begun.cpu)
        const figure = (records * 1_000) / (performance.now() - begun.at)
        resolve({ figure, cpuUs: (user + system) / records })
      }
      const settings = { autoCommit: false, partitionsConsumedConcurrently: PARTITIONS }
      consumer.run({ ...settings, eachBatch: copy }).catch(reject)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#producers.map((producer) => producer.disconnect()))
  }
}

const targetIn = (log: KafkaLog): string => `${log.prefix}bench.copies`
