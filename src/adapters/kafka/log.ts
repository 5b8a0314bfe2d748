import { setMaxListeners } from 'node:events'
import type { Admin, Kafka, KafkaMessage } from 'kafkajs'
import type { HeadSigner } from '../../domain/heads/sign-head.ts'
import type { OnPoint } from '../../ports/log/crash-points.ts'
import type { EventLog, NewRecord, OpenWorker, Stored } from '../../ports/log/event-log.ts'
import type { BrowsedRange } from '../../ports/log/record-browser.ts'
import type { SnapshotStore } from '../../ports/log/snapshot-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import { SingleFlight } from '../../runtime/single-flight.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import type { PartitionFailure } from '../log/consume-partition.ts'
import { topicPartitionsOf } from '../log/topic-partitions.ts'
import { Appender } from './client/appender.ts'
import { type KafkaSettings, openClient } from './client/client.ts'
import { decode, inboxRecordOf, type KafkaRecord } from './client/codec.ts'
import type { RightsAsked } from './client/denied.ts'
import {
  isKafkaRefusal,
  KafkaRefusedError,
  kafkaAway,
  loginRefusalOf,
  requestFailure,
} from './client/errors.ts'
import {
  ALL_KAFKA_TOPICS,
  type KafkaTopic,
  newReaderGroup,
  OWN_TOPICS,
  orderGroupOf,
} from './client/names.ts'
import { fetchedUpTo } from './client/reader.ts'
import { LogReaders } from './client/readers.ts'
import { shareInbox } from './inbox/share-inbox.ts'
import { ClusterAdmin } from './topics/admin.ts'
import {
  checkSettings,
  knownUntil,
  type LogSettings,
  makeTopics,
  newSettings,
  requireTopics,
  requireUnwritten,
  untilLed,
  type Wanted,
} from './topics/settings.ts'
import { checkTopics } from './topics/topics.ts'

export interface KafkaLogOptions extends KafkaSettings, Wanted {
  clock: Clock
  /** Missing topics are not created: `KafkaRefusedError`, but later ones count as empty. */
  mustExist?: boolean
  /**
   * While no broker answers, the log is given all the same after this time, milliseconds: it refuses
   * everything, with `StorageUnavailableError`, until it could be opened.
   */
  withoutAfterMs?: number
  /** Opens the store of the snapshots of the partitions that this process comes to own. */
  snapshots(): Promise<SnapshotStore>
  /** Without one no heads are signed. */
  heads?: HeadSigner
  onPoint?: OnPoint
  onFailure?: (failure: PartitionFailure) => void
  /** Records were deleted before they were read here. */
  onGap?: (gap: { topic: string; partition: number; from: number; to: number }) => void
}

/** The event log in Apache Kafka, shared by any number of processes. */
export class KafkaLog implements EventLog {
  readonly partitions: number
  readonly kafka: Kafka
  readonly prefix: string
  readonly #options: KafkaLogOptions
  readonly #admin: ClusterAdmin
  readonly #appender: Appender
  readonly #readers: LogReaders
  /** Partitions of each topic that the log has, by its whole name. */
  readonly #topics = new Map<string, number>()
  readonly #ends = new SingleFlight<Map<number, PartitionEnds>>()
  readonly #closed = new AbortController()
  #settings: LogSettings | null = null
  /** Why it is not open. */
  #trouble: unknown = new Error('no broker has answered yet')

  /**
   * Creates the topics or checks them. Throws `KafkaRefusedError` if they are not as they must be, and
   * `StorageUnavailableError` while no broker answers.
   */
  static async open(options: KafkaLogOptions): Promise<KafkaLog> {
    const { clock, withoutAfterMs } = options
    const log = new KafkaLog(options)
    const opening = log.#open()
    try {
      const first =
        withoutAfterMs === undefined ? opening : withTimeout(clock, withoutAfterMs, opening)
      if ((await first) !== 'late') return log
    } catch (error) {
      const trouble = log.#notOpen(error)
      if (withoutAfterMs === undefined || isKafkaRefusal(trouble)) {
        await log.close().catch(() => undefined)
        throw trouble
      }
    }
    void log.#keepOpening(opening)
    return log
  }

  private constructor(options: KafkaLogOptions) {
    this.#options = options
    this.partitions = options.partitions
    this.prefix = options.prefix
    this.kafka = openClient(options)
    this.#admin = new ClusterAdmin(this.kafka, (ms) => options.clock.sleep(ms))
    this.#appender = new Appender(this.kafka, options.prefix)
    this.#readers = new LogReaders(
      {
        kafka: this.kafka,
        topics: this.#topics,
        firstOffset: async (topic, partition) =>
          (await this.#endsOf(topic)).get(partition)?.low ?? 0,
      },
      () => newReaderGroup(options.prefix),
    )
  }

  /**
   * The settings the log was created with.
   *
   * @throws StorageUnavailableError, KafkaRefusedError before it is open
   */
  get settings(): LogSettings {
    if (!this.#settings) throw this.#notOpen(this.#trouble)
    return this.#settings
  }

  get id(): string {
    return this.settings.id
  }

  get groupId(): string {
    return orderGroupOf(this.prefix)
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    this.#requireOpen()
    await this.#appender.append(records)
  }

  async *read(topic: Topic, partition: number, from: number, signal: AbortSignal) {
    setMaxListeners(0, signal)
    for await (const { messages } of this.readRaw(topic, partition, from, signal)) {
      const batch = messages.map((message) => storedOf(topic, partition, message))
      if (batch.length > 0) yield batch
    }
  }

  async *stored(topic: Topic, partition: number, from: number, until?: number) {
    const end = until ?? Number.MAX_SAFE_INTEGER
    for await (const { messages } of this.storedRaw(topic, partition, from, NEVER, end)) {
      const wanted = messages.filter(({ offset }) => Number(offset) < end)
      yield wanted.map((message) => storedOf(topic, partition, message))
    }
  }

  /** As `readRaw`, up to the current end, and no fetch more than reaches `until`. */
  async *storedRaw(
    topic: KafkaTopic,
    partition: number,
    from: number,
    signal: AbortSignal,
    until = Number.MAX_SAFE_INTEGER,
  ) {
    const end = Math.min(await this.end(topic, partition), until)
    if (from >= end) return
    const read = (stop: AbortSignal) => this.readRaw(topic, partition, from, stop)
    yield* fetchedUpTo(end, read, signal)
    signal.throwIfAborted()
  }

  /**
   * Records as the broker has them, from the first that still exists, with the offset of the next
   * fetch.
   */
  async *readRaw(topic: KafkaTopic, partition: number, from: number, signal: AbortSignal) {
    const first = await this.firstOffset(topic, partition)
    if (from > 0 && first > from) this.#options.onGap?.({ topic, partition, from, to: first })
    yield* this.#readers.read(this.prefix + topic, partition, Math.max(from, first), signal)
  }

  async end(topic: KafkaTopic, partition: number): Promise<number> {
    return (await this.#endsOf(this.prefix + topic)).get(partition)?.high ?? 0
  }

  /** The first offset that still exists. */
  async firstOffset(topic: KafkaTopic, partition: number): Promise<number> {
    return (await this.#endsOf(this.prefix + topic)).get(partition)?.low ?? 0
  }

  /** The first offset that still exists and that of the next record, by partition. */
  async ranges(topic: KafkaTopic): Promise<BrowsedRange[]> {
    const ends = [...(await this.#endsOf(this.prefix + topic))]
    return ends
      .map(([partition, { low, high }]) => ({ partition, first: low, end: high }))
      .sort((a, b) => a.partition - b.partition)
  }

  /** By partition: the offset of the first record of that time or later, else that of the next. */
  async offsetsAt(topic: KafkaTopic, time: number): Promise<number[]> {
    this.#requireOpen()
    const name = this.prefix + topic
    try {
      const places = await this.#admin.ask((admin) =>
        admin.fetchTopicOffsetsByTimestamp(name, Math.max(0, Math.floor(time))),
      )
      return [...places]
        .sort((a, b) => a.partition - b.partition)
        .map(({ offset }) => Number(offset))
    } catch (error) {
      const what = `the offsets of ${name} at a time are unknown`
      const asked: RightsAsked = { topic: { operation: 'Describe', names: [name] } }
      throw requestFailure(this.kafka, error, what, asked)
    }
  }

  async consumed(partition: number): Promise<number> {
    const topic = this.prefix + TOPICS.inbox
    const { groupId } = this
    const [offsets] = await this.#admin
      .ask((admin) => admin.fetchOffsets({ groupId, topics: [topic] }))
      .catch((error: unknown) => {
        const what = 'the offsets of the inbox are unknown'
        const asked: RightsAsked = {
          group: { operation: 'Describe', names: [groupId] },
          topic: { operation: 'Describe', names: [topic] },
        }
        throw requestFailure(this.kafka, error, what, asked)
      })
    const found = offsets?.partitions.find((place) => place.partition === partition)
    return Math.max(0, Number(found?.offset ?? 0))
  }

  async processInbox(open: OpenWorker, signal: AbortSignal): Promise<void> {
    const { clock, snapshots, heads = null } = this.#options
    const { onPoint = () => {}, onFailure = () => {} } = this.#options
    await shareInbox(
      {
        kafka: this.kafka,
        prefix: this.prefix,
        groupId: this.groupId,
        partitions: this.partitions,
        logId: this.settings.id,
        log: this,
        snapshots: await snapshots(),
        clock,
        heads,
        onPoint,
        onFailure,
      },
      open,
      signal,
    )
  }

  /** Lets records have this form; those who have the log open see it at their next opening. */
  async raiseSchema(schema: number): Promise<void> {
    const value: LogSettings = { ...this.settings, schema }
    await this.#appender.append([settingsRecord(value)])
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.allSettled([this.#readers.close(), this.#appender.close(), this.#admin.close()])
  }

  async #open(): Promise<void> {
    const options = this.#options
    const prepare = options.mustExist ? requireTopics : makeTopics
    const until = knownUntil()
    const absent = await this.#askOnce((admin) => prepare(admin, options))
    const there = ALL_KAFKA_TOPICS.filter((topic) => !absent.includes(topic))
    for (const topic of there)
      this.#topics.set(this.prefix + topic, topicPartitionsOf(topic, options.partitions))
    await this.#admin.ask((admin) => untilLed(admin, this.prefix, there, until))
    const settings = checkSettings(await this.#storedSettings(there), options)
    const { schema } = settings
    await this.#askOnce((admin) => checkTopics(admin, { ...options, schema }, there))
    this.#settings = settings
  }

  /** A refusal is final: asking again changes nothing. */
  async #askOnce<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    const answer = await this.#admin.ask((admin) =>
      question(admin).then(
        (value) => ({ value }),
        (error: unknown) => {
          if (isKafkaRefusal(error)) return { error }
          throw error
        },
      ),
    )
    if ('error' in answer) throw answer.error
    return answer.value
  }

  /** Until it is open, or closed. */
  async #keepOpening(first: Promise<void>): Promise<void> {
    const { signal } = this.#closed
    let opening = first
    for (;;) {
      try {
        return await opening
      } catch (error) {
        this.#trouble = error
      }
      await this.#options.clock.sleep(OPEN_AGAIN_MS, signal)
      if (signal.aborted) return
      opening = this.#open()
    }
  }

  #requireOpen(): void {
    void this.settings
  }

  #notOpen(cause: unknown): Error {
    if (cause instanceof KafkaRefusedError) return cause
    const what = `Kafka (${this.#options.brokers.join(', ')}) cannot be used`
    return loginRefusalOf(cause) ?? kafkaAway(what, cause)
  }

  /** A process that finds no settings writes them; the first settings written are the log's. */
  async #storedSettings(there: readonly KafkaTopic[]): Promise<unknown[]> {
    if ((await this.end(OWN_TOPICS.settings, 0)) === 0) {
      await this.#askOnce((admin) => requireUnwritten(admin, this.prefix, there))
      await this.#appender.append([settingsRecord(newSettings(this.#options))])
    }
    const values: unknown[] = []
    for await (const { messages } of this.storedRaw(OWN_TOPICS.settings, 0, 0, NEVER))
      values.push(...messages.map((message) => decode(0, message).value))
    return values
  }

  #endsOf(topic: string): Promise<Map<number, PartitionEnds>> {
    // The settings are read to open it.
    if (topic !== this.prefix + OWN_TOPICS.settings) this.#requireOpen()
    // One request for all partitions, shared by concurrent callers.
    return this.#ends.run(topic, () => this.#fetchEnds(topic))
  }

  async #fetchEnds(topic: string): Promise<Map<number, PartitionEnds>> {
    if (!this.#topics.has(topic)) return new Map()
    try {
      const places = await this.#admin.ask((admin) => admin.fetchTopicOffsets(topic))
      const ends = ({ low, high }: { low: string; high: string }) => ({
        low: Number(low),
        high: Number(high),
      })
      return new Map(places.map((place) => [place.partition, ends(place)]))
    } catch (error) {
      const what = `the end offsets of ${topic} are unknown`
      const asked: RightsAsked = { topic: { operation: 'Describe', names: [topic] } }
      throw requestFailure(this.kafka, error, what, asked)
    }
  }
}

const settingsRecord = (value: LogSettings): KafkaRecord => ({
  ...{ topic: OWN_TOPICS.settings, partition: 0, key: 'settings' },
  value,
})

/** Until brokers that were away at the start are asked again, milliseconds. */
const OPEN_AGAIN_MS = 1_000
const NEVER = new AbortController().signal

const storedOf = (topic: Topic, partition: number, message: KafkaMessage): Stored<unknown> =>
  topic === TOPICS.inbox ? inboxRecordOf(partition, message) : decode(partition, message)

interface PartitionEnds {
  low: number
  high: number
}
