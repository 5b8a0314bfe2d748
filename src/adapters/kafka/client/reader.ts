import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs'
import type { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { Waiters } from '../../../runtime/waiters.ts'
import { openConsumer } from './client.ts'
import type { RightsAsked } from './denied.ts'
import { kafkaAway, requestFailure } from './errors.ts'

/** Milliseconds that a broker may hold an empty fetch: a new reader may wait that long. */
const MAX_WAIT_MS = 100
/** The group has one member, so only that member, after a fault, has to wait this long. */
const SESSION_MS = 10_000
/** Messages queued for a reader before its partition is paused. */
const QUEUE_MESSAGES = 2_000
const QUEUE_BYTES = 8 * 2 ** 20

/** Messages of one fetch; none if all were control records or of aborted transactions. */
export interface Fetched {
  messages: readonly KafkaMessage[]
  /** The offset of the next fetch. */
  next: number
  /** Size of the broker's last answer, in bytes as stored; exact only if nothing else is read. */
  bytes: number
  /** The first offset of that answer: batches come whole, so it may precede these messages. */
  begins: number
}

export interface ReaderParts {
  kafka: Kafka
  groupId: string
  /** Full names with their partition counts. */
  topics: ReadonlyMap<string, number>
  /** The first offset that still exists. */
  firstOffset(topic: string, partition: number): Promise<number>
  /** For one partition in one fetch; 2 MiB. */
  fetchBytes?: number
}

/**
 * Reads any partition from any offset. kafkajs reads in groups only: this one has a single member,
 * commits nothing, and fetches only partitions that have a reader now.
 */
export class LogReader {
  readonly #parts: ReaderParts
  readonly #consumer: Consumer
  readonly #taken = new Set<string>()
  readonly #readers = new Map<string, PartitionReader>()
  #joined = false
  #closed = false
  #why = kafkaAway('the reader of Kafka is closed', 'closed')
  #lastBytes = 0

  /** Resolves when the partitions are assigned, within seconds. */
  static async open(parts: ReaderParts): Promise<LogReader> {
    const reader = new LogReader(parts)
    try {
      await reader.#run()
      return reader
    } catch (error) {
      await reader.close().catch(() => undefined)
      throw reader.#away(error)
    }
  }

  private constructor(parts: ReaderParts) {
    this.#parts = parts
    this.#consumer = openConsumer(parts.kafka, {
      groupId: parts.groupId,
      readUncommitted: false,
      maxWaitTimeInMs: MAX_WAIT_MS,
      maxBytesPerPartition: parts.fetchBytes ?? 2 * 2 ** 20,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: SESSION_MS,
    })
  }

  /** Reserves a partition for one reading of it; false: it is taken. */
  take(topic: string, partition: number): boolean {
    const key = keyOf(topic, partition)
    if (this.#taken.has(key)) return false
    this.#taken.add(key)
    return true
  }

  /**
   * What is stored in a partition from an offset on, then new records, until the signal aborts. The
   * partition must be reserved first, and is released when this ends. Throws `StorageUnavailableError`
   * when records were deleted before they were read.
   */
  async *read(
    topic: string,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<Fetched> {
    const reader = new PartitionReader(topic, partition, from, (isPaused) => {
      if (this.#readers.get(reader.key) === reader) this.#pause(reader, isPaused)
    })
    this.#readers.set(reader.key, reader)
    try {
      this.#seek(reader)
      while (!signal.aborted && !this.#closed && !reader.hasGap) {
        const fetched = reader.take()
        if (fetched) yield fetched
        else await reader.changes.next(signal)
      }
      if (reader.hasGap)
        throw kafkaAway(`${reader.key} cannot be read from ${reader.next}`, 'deleted')
      if (!signal.aborted) throw this.#why
    } finally {
      this.#readers.delete(reader.key)
      this.#taken.delete(reader.key)
      this.#pause(reader, true)
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #away(error: unknown): StorageUnavailableError {
    const what = 'Kafka cannot be read'
    const read = new Set([...this.#readers.values()].map(({ topic }) => topic))
    const asked: RightsAsked = {
      group: { operation: 'Read', names: [this.#parts.groupId] },
      topic:
        read.size > 0
          ? { operation: 'Read', names: [...read] }
          : { operation: 'Describe', names: [...this.#parts.topics.keys()] },
    }
    return requestFailure(this.#parts.kafka, error, what, asked)
  }

  #fail(): void {
    this.#closed = true
    for (const reader of this.#readers.values()) reader.changes.tell()
  }

  async #run(): Promise<void> {
    const consumer = this.#consumer
    await consumer.connect()
    await consumer.subscribe({ topics: [...this.#parts.topics.keys()], fromBeginning: true })
    const joined = new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (payload.restart) return
        this.#why = this.#away(payload.error)
        this.#fail()
        reject(payload.error)
      })
      consumer.on(consumer.events.GROUP_JOIN, () => {
        this.#joined = true
        this.#resume()
        resolve()
      })
    })
    // Until it has joined again after a fault, it refuses to pause, resume and seek.
    consumer.on(consumer.events.STOP, () => {
      this.#joined = false
    })
    consumer.on(consumer.events.REQUEST, ({ payload }) => {
      if (payload.apiName === 'Fetch') this.#lastBytes = payload.size
    })
    consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => {
      // A fetch with nothing that a reader may see: reported by this event alone.
      if (payload.batchSize === 0) this.#skip(payload)
    })
    // After the first assignment, crashes are reported to the readers.
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
      const idle = partitions.filter((partition) => !this.#readers.has(keyOf(topic, partition)))
      if (idle.length > 0) this.#consumer.pause([{ topic, partitions: idle }])
    }
    for (const reader of this.#readers.values()) this.#seek(reader)
  }

  async #place(reader: PartitionReader): Promise<void> {
    const { topic, partition } = reader
    const first = await this.#parts.firstOffset(topic, partition)
    if (first > reader.next) {
      reader.hasGap = true
      reader.changes.tell()
    } else this.#seek(reader)
  }

  #seek({ topic, partition, next, isFull }: PartitionReader): void {
    if (!this.#joined) return
    this.#consumer.seek({ topic, partition, offset: String(next) })
    if (!isFull) this.#consumer.resume([{ topic, partitions: [partition] }])
  }

  #pause({ topic, partition }: PartitionReader, isPaused: boolean): void {
    if (!this.#joined || this.#closed) return
    const place = [{ topic, partitions: [partition] }]
    if (isPaused) this.#consumer.pause(place)
    else this.#consumer.resume(place)
  }

  #deliver({ batch }: EachBatchPayload): void {
    const reader = this.#readers.get(keyOf(batch.topic, batch.partition))
    if (!reader) return
    // Fetched for an earlier reader, or from an offset that the broker chose.
    if (fetchedFrom(batch) !== reader.next) {
      void this.#place(reader).catch(() => undefined)
      return
    }
    reader.put({
      messages: batch.messages,
      next: Number(batch.lastOffset()) + 1,
      bytes: this.#lastBytes,
      begins: beginOf(batch, reader.next),
    })
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
    const reader = this.#readers.get(keyOf(topic, partition))
    const next = Number(lastOffset) + 1
    if (reader && next > reader.next)
      reader.put({ messages: [], next, bytes: this.#lastBytes, begins: reader.next })
  }
}

const keyOf = (topic: string, partition: number): string => `${topic} ${partition}`

/** The requested offset: kafkajs sets it on every batch but leaves it out of its types. */
const fetchedFrom = (batch: EachBatchPayload['batch']): number =>
  Number((batch as { fetchedOffset?: string }).fetchedOffset)

/** As `fetchedFrom`, for the first offset that was sent, requested or not. */
const beginOf = (batch: EachBatchPayload['batch'], asked: number): number => {
  const [first] = (batch as { rawMessages?: KafkaMessage[] }).rawMessages ?? []
  return Math.min(asked, first ? Number(first.offset) : asked)
}

/** One reader of one partition, with what was fetched for it but not taken yet. */
class PartitionReader {
  readonly topic: string
  readonly partition: number
  readonly key: string
  /** The offset of the next fetch. */
  next: number
  /** The records at that offset no longer exist. */
  hasGap = false
  readonly #queue: Fetched[] = []
  readonly #onFull: (isFull: boolean) => void
  #messages = 0
  #bytes = 0
  readonly changes = new Waiters()

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
    // kafkajs sleeps while everything is paused: a waiting reader takes this before that happens.
    if (this.isFull) setImmediate(() => this.isFull && this.#onFull(true))
    this.changes.tell()
  }

  take(): Fetched | undefined {
    const wasFull = this.isFull
    const fetched = this.#queue.shift()
    if (fetched) this.#count(fetched, -1)
    if (wasFull && !this.isFull) this.#onFull(false)
    return fetched
  }

  #count({ messages }: Fetched, sign: 1 | -1): void {
    this.#messages += sign * messages.length
    this.#bytes += sign * messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
  }
}

/** What is read from a partition up to the fetch that reaches an offset; the reading then ends. */
export async function* fetchedUpTo(
  end: number,
  read: (signal: AbortSignal) => AsyncIterable<Fetched>,
  signal?: AbortSignal,
): AsyncGenerator<Fetched> {
  const stop = new AbortController()
  const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  for await (const fetched of read(until)) {
    yield fetched
    if (fetched.next >= end) stop.abort()
  }
}
