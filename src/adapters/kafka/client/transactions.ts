import type { Kafka, Producer, RecordMetadata, TopicMessages, Transaction } from 'kafkajs'
import type { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { onceEach, sending } from './batches.ts'
import { orDisconnected } from './client.ts'
import { deniedBy, type KafkaDeniedError, type RightsAsked } from './denied.ts'
import { kafkaAway, WriterReplacedError, writerReplaced } from './errors.ts'
import { producerKeepingCoordinators } from './kept-coordinators.ts'

/** After this the broker aborts a transaction by itself and fences its producer. */
const TRANSACTION_MS = 10_000
/**
 * A transaction right after a commit waits for one first retry, so that is short; all retries
 * together outlast the election of a new leader.
 */
const RETRY = { initialRetryTime: 5, maxRetryTime: 500, retries: 30 }

/** Sends within one transaction; `send` returns the first offset sent to each partition. */
export interface OpenTransaction {
  send(messages: readonly TopicMessages[]): Promise<RecordMetadata[]>
  sendOffset(groupId: string, topic: string, partition: number, offset: number): Promise<void>
}

/**
 * The one producer of a transactional id: initialising the id fences all others. After any error it
 * is unknown whether a transaction is open, so the producer is dropped and never reused.
 */
export class Transactions {
  readonly #kafka: Kafka
  readonly #transactionalId: string
  #producer: Producer | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(kafka: Kafka, transactionalId: string) {
    this.#kafka = kafka
    this.#transactionalId = transactionalId
  }

  /** Takes the id: a transaction that another process had open is aborted when this resolves. */
  async fence(): Promise<void> {
    await this.#inTurn(() => this.#attempt(() => this.#take()))
  }

  /**
   * Runs transactions one at a time: committed when it resolves. Throws `WriterReplacedError` when
   * another process has taken the id, or the broker has ended the transaction or forgotten the id:
   * nothing was written then. Throws `StorageUnavailableError` otherwise: it is then unknown whether the
   * records were written. After both the id must be taken again.
   */
  async run<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    return await this.#inTurn(() => this.#attempt(() => this.#transact(work)))
  }

  /**
   * As `run`, for an id that no other process takes: it is taken first if it is not held. A
   * transaction that ended because brokers have forgotten this producer, or took too long for them,
   * runs once more.
   *
   * @throws StorageUnavailableError
   */
  async runAlone<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    const attempt = () =>
      this.#attempt(async () => {
        if (!this.#producer) await this.#take()
        return await this.#transact(work)
      })
    const ifReplaced = (then: (error: WriterReplacedError) => Promise<T>) => {
      return (error: unknown) => {
        if (error instanceof WriterReplacedError) return then(error)
        throw error
      }
    }
    return await this.#inTurn(() =>
      attempt()
        .catch(ifReplaced(attempt))
        .catch(ifReplaced((error) => Promise.reject(this.#away(error)))),
    )
  }

  async close(): Promise<void> {
    await this.#last
    await this.#drop()
  }

  async #take(): Promise<void> {
    await this.#drop()
    const producer = await this.#connect()
    this.#producer = await orDisconnected(producer, async () => {
      const transaction = await producer.transaction()
      await transaction.abort()
    })
  }

  async #transact<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    if (!this.#producer) throw new Error('the transactional id is not initialised, or has failed')
    const transaction = await this.#producer.transaction()
    const { send, sendOffset } = transactional(transaction)
    const result = await work({
      send: (messages) => {
        const names = messages.map(({ topic }) => topic)
        return this.#asking(send(messages), { topic: { operation: 'Write', names } })
      },
      sendOffset: (group, topic, ...place) =>
        this.#asking(sendOffset(group, topic, ...place), {
          group: { operation: 'Read', names: [group] },
          topic: { operation: 'Read', names: [topic] },
        }),
    })
    await transaction.commit()
    return result
  }

  async #connect(): Promise<Producer> {
    const producer = producerKeepingCoordinators(this.#kafka, {
      transactionalId: this.#transactionalId,
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: TRANSACTION_MS,
      retry: RETRY,
    })
    return await orDisconnected(producer, () => producer.connect())
  }

  /** One at a time. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return await done
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await this.#drop()
      const denied = this.#deniedBy(error, {})
      if (denied) throw denied
      const replaced = writerReplaced(this.#transactionalId, error)
      if (replaced) throw replaced
      throw this.#away(error)
    }
  }

  #away(error: unknown): StorageUnavailableError {
    return kafkaAway(`the transaction of ${this.#transactionalId} failed`, error)
  }

  async #asking<T>(request: Promise<T>, asked: RightsAsked): Promise<T> {
    return await request.catch((error: unknown) => {
      throw this.#deniedBy(error, asked) ?? error
    })
  }

  #deniedBy(error: unknown, asked: RightsAsked): KafkaDeniedError | null {
    const id = this.#transactionalId
    return deniedBy(this.#kafka, error, `the transaction of ${id} failed`, {
      ...asked,
      'transactional-id': { operation: 'Write', names: [id] },
    })
  }

  async #drop(): Promise<void> {
    const producer = this.#producer
    this.#producer = null
    await producer?.disconnect().catch(() => undefined)
  }
}

const transactional = (transaction: Transaction): OpenTransaction => ({
  send: async (topicMessages) =>
    onceEach(topicMessages, await transaction.sendBatch(sending([...topicMessages]))),
  sendOffset: (consumerGroupId, topic, partition, offset) =>
    transaction.sendOffsets({
      consumerGroupId,
      topics: [{ topic, partitions: [{ partition, offset: String(offset) }] }],
    }),
})
