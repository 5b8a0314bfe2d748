import type { Kafka, Producer, TopicMessages } from 'kafkajs'
import { batchesOf, onceEach, sendBatches, sending } from './batches.ts'
import { orDisconnected } from './client.ts'
import type { KafkaRecord } from './codec.ts'
import type { RightsAsked } from './denied.ts'
import { kafkaAway, requestFailure } from './errors.ts'
import { GatheredSends } from './gathered-sends.ts'
import { newAppendTransactions } from './names.ts'
import { Transactions } from './transactions.ts'

/** The caller of an append learns within seconds that it failed. */
const RETRY = { initialRetryTime: 50, maxRetryTime: 500, retries: 4 }

/**
 * Appends of a process that owns no partition: commands and evidence. Records for one partition
 * that fit one batch of an idempotent producer are all or none; the rest is a transaction. Those
 * batches that come while one is being sent share the next send.
 */
export class Appender {
  readonly #kafka: Kafka
  readonly #prefix: string
  readonly #transactions: Transactions
  readonly #gathered = new GatheredSends((messages) => this.#send(messages))
  #producer: Promise<Producer> | null = null

  constructor(kafka: Kafka, prefix: string) {
    this.#kafka = kafka
    this.#prefix = prefix
    this.#transactions = new Transactions(kafka, newAppendTransactions(prefix))
  }

  async append(records: readonly KafkaRecord[]): Promise<void> {
    const [first] = records
    if (!first) return
    const isOnePlace = records.every(
      ({ topic, partition }) => topic === first.topic && partition === first.partition,
    )
    const batches = [...batchesOf(records, this.#prefix)]
    const [only, ...others] = batches
    if (isOnePlace && only && others.length === 0) await this.#gathered.send(only)
    else await this.#sendTogether(batches)
  }

  async close(): Promise<void> {
    this.#gathered.close(kafkaAway('the log accepted no records', 'closed'))
    await this.#transactions.close()
    const producer = await this.#producer?.catch(() => null)
    await producer?.disconnect()
  }

  async #send(topicMessages: TopicMessages[]): Promise<void> {
    this.#producer ??= this.#connect()
    const opening = this.#producer
    try {
      const producer = await opening
      onceEach(topicMessages, await producer.sendBatch(sending(topicMessages)))
    } catch (error) {
      // Its sequence numbers may have a gap now: the next append opens a new producer.
      if (this.#producer === opening) this.#producer = null
      void opening.then((producer) => producer.disconnect()).catch(() => undefined)
      const what = 'the log accepted no records'
      const names = topicMessages.map(({ topic }) => topic)
      const asked: RightsAsked = { topic: { operation: 'Write', names } }
      throw requestFailure(this.#kafka, error, what, asked)
    }
  }

  async #sendTogether(batches: readonly TopicMessages[][]): Promise<void> {
    await this.#transactions.runAlone(({ send }) => sendBatches(send, batches))
  }

  async #connect(): Promise<Producer> {
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      retry: RETRY,
    })
    return await orDisconnected(producer, () => producer.connect())
  }
}
