import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs'
import { CONSUMER_RETRY } from './client.ts'
import { kafkaAway } from './errors.ts'

/** Milliseconds that a broker may hold a fetch with nothing to give: a new reader waits so long. */
const MAX_WAIT_MS = 100
/** The group has one member: nobody else waits for it, and it waits this long for itself after a fault. */
const SESSION_MS = 10_000
/** Messages that wait for a reader before its partition is paused. */
const QUEUE_MESSAGES = 2_000
const QUEUE_BYTES = 8 * 2 ** 20

/** Messages of one fetch; none, where all of them were of aborted transactions or of the broker. */
export interface Fetched {
  messages: readonly KafkaMessage[]
  /** The offset from which the next fetch goes on. */
  next: number
}

export interface ReaderParts {
  kafka: Kafka
  groupId: string
  /** Full names with the count of their partitions. */
  topics: ReadonlyMap<string, number>
  /** The first offset that is still there. */
  firstOffset(topic: string, partition: number): Promise<number>
}

/**
 * Reads any partition from any offset. kafkajs reads in groups only: this one has a single member,
 * commits nothing, and fetches just the partitions that somebody reads now.
 */
export class LogReader {
  readonly #parts: ReaderParts
  readonly #consumer: Consumer
  readonly #taken = new Set<string>()
  readonly #lanes = new Map<string, Lane>()
  #joined = false
  #closed = false

  /** Resolves when the partitions are assigned, within seconds. */
  static async open(parts: ReaderParts): Promise<LogReader> {
    const reader = new LogReader(parts)
    try {
      await reader.#run()
      return reader
    } catch (error) {
      await reader.close().catch(() => undefined)
      throw kafkaAway('Kafka cannot be read', error)
    }
  }

  private constructor(parts: ReaderParts) {
    this.#parts = parts
    this.#consumer = parts.kafka.consumer({
      groupId: parts.groupId,
      readUncommitted: false,
      maxWaitTimeInMs: MAX_WAIT_MS,
      maxBytesPerPartition: 2 * 2 ** 20,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: SESSION_MS,
      retry: CONSUMER_RETRY,
    })
  }

  /** Takes a partition for one reading of it; false: somebody has it. */
  take(topic: string, partition: number): boolean {
    const key = keyOf(topic, partition)
    if (this.#taken.has(key)) return false
    this.#taken.add(key)
    return true
  }

  /**
   * What stands in a partition from an offset on, then what comes, until the signal aborts. The
   * partition was taken before, and is free again when this ends. Throws `StorageUnavailable` when
   * records were deleted before they were read.
   */
  async *read(
    topic: string,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<Fetched> {
    const lane = new Lane(topic, partition, from, (isPaused) => this.#pause(lane, isPaused))
    this.#lanes.set(lane.key, lane)
    const wake = () => lane.wake()
    signal.addEventListener('abort', wake)
    try {
      this.#seek(lane)
      while (!signal.aborted && !this.#closed && !lane.hasGap) {
        const fetched = lane.take()
        if (fetched) yield fetched
        else await lane.changed()
      }
      if (lane.hasGap) throw kafkaAway(`${lane.key} cannot be read from ${lane.next}`, 'deleted')
      if (!signal.aborted) throw kafkaAway('the reader of Kafka is closed', 'closed')
    } finally {
      signal.removeEventListener('abort', wake)
      this.#lanes.delete(lane.key)
      this.#pause(lane, true)
      this.#taken.delete(lane.key)
    }
  }

  get closed(): boolean {
    return this.#closed
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#fail()
    await this.#consumer.disconnect()
  }

  #fail(): void {
    this.#closed = true
    for (const lane of this.#lanes.values()) lane.wake()
  }

  async #run(): Promise<void> {
    const consumer = this.#consumer
    await consumer.connect()
    await consumer.subscribe({ topics: [...this.#parts.topics.keys()], fromBeginning: true })
    const joined = new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (payload.restart) return
        this.#fail()
        reject(payload.error)
      })
      consumer.on(consumer.events.GROUP_JOIN, () => {
        this.#joined = true
        this.#resume()
        resolve()
      })
    })
    consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => {
      // A fetch of nothing but what no reader sees: told by this event alone.
      if (payload.batchSize === 0) this.#skip(payload)
    })
    // After the first assignment a crash is told to the readers.
    joined.catch(() => undefined)
    await consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 1,
      eachBatch: async (payload) => this.#deliver(payload),
    })
    await joined
  }

  /** A new assignment begins at the ends of the partitions: each reader is put where it was. */
  #resume(): void {
    for (const [topic, count] of this.#parts.topics) {
      const partitions = Array.from({ length: count }, (_, partition) => partition)
      const idle = partitions.filter((partition) => !this.#lanes.has(keyOf(topic, partition)))
      if (idle.length > 0) this.#consumer.pause([{ topic, partitions: idle }])
    }
    for (const lane of this.#lanes.values()) this.#seek(lane)
  }

  async #place(lane: Lane): Promise<void> {
    const { topic, partition } = lane
    const first = await this.#parts.firstOffset(topic, partition)
    if (first > lane.next) {
      lane.hasGap = true
      lane.wake()
    } else this.#seek(lane)
  }

  #seek({ topic, partition, next, isFull }: Lane): void {
    if (!this.#joined) return
    this.#consumer.seek({ topic, partition, offset: String(next) })
    if (!isFull) this.#consumer.resume([{ topic, partitions: [partition] }])
  }

  #pause({ topic, partition }: Lane, isPaused: boolean): void {
    if (!this.#joined || this.#closed) return
    const place = [{ topic, partitions: [partition] }]
    if (isPaused) this.#consumer.pause(place)
    else this.#consumer.resume(place)
  }

  #deliver({ batch }: EachBatchPayload): void {
    const lane = this.#lanes.get(keyOf(batch.topic, batch.partition))
    if (!lane) return
    // What was fetched for a reader before this one, or from where the broker thought best.
    if (fetchedFrom(batch) !== lane.next) {
      void this.#place(lane).catch(() => undefined)
      return
    }
    lane.put({ messages: batch.messages, next: Number(batch.lastOffset()) + 1 })
  }

  #skip({
    topic,
    partition,
    lastOffset,
  }: {
    topic: string
    partition: number
    lastOffset: string
  }) {
    const lane = this.#lanes.get(keyOf(topic, partition))
    const next = Number(lastOffset) + 1
    if (lane && next > lane.next) lane.put({ messages: [], next })
  }
}

const keyOf = (topic: string, partition: number): string => `${topic} ${partition}`

/** The offset that was asked for: kafkajs has it on every batch, its types do not say so. */
const fetchedFrom = (batch: EachBatchPayload['batch']): number =>
  Number((batch as { fetchedOffset?: string }).fetchedOffset)

/** One reader of one partition, with what was fetched for it and is not taken yet. */
class Lane {
  readonly topic: string
  readonly partition: number
  readonly key: string
  /** The offset of the next fetch. */
  next: number
  /** There is nothing at that offset any more. */
  hasGap = false
  readonly #queue: Fetched[] = []
  readonly #onFull: (isFull: boolean) => void
  #messages = 0
  #bytes = 0
  #wake: () => void = () => {}

  constructor(topic: string, partition: number, from: number, onFull: (isFull: boolean) => void) {
    this.topic = topic
    this.partition = partition
    this.key = keyOf(topic, partition)
    this.next = from
    this.#onFull = onFull
  }

  get isFull(): boolean {
    return this.#messages >= QUEUE_MESSAGES || this.#bytes >= QUEUE_BYTES
  }

  put(fetched: Fetched): void {
    this.next = fetched.next
    this.#queue.push(fetched)
    this.#count(fetched, 1)
    if (this.isFull) this.#onFull(true)
    this.wake()
  }

  take(): Fetched | undefined {
    const wasFull = this.isFull
    const fetched = this.#queue.shift()
    if (fetched) this.#count(fetched, -1)
    if (wasFull && !this.isFull) this.#onFull(false)
    return fetched
  }

  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  wake(): void {
    this.#wake()
  }

  #count({ messages }: Fetched, sign: 1 | -1): void {
    this.#messages += sign * messages.length
    this.#bytes += sign * messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
  }
}
