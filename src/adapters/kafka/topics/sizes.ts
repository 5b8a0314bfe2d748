import type { Admin, Kafka } from 'kafkajs'
import type { PartitionSize, TopicSize } from '../../../ports/log/sizes.ts'
import { topicPartitionsOf } from '../../log/topic-partitions.ts'
import { kafkaAway } from '../client/errors.ts'
import { ALL_KAFKA_TOPICS, newReaderGroup } from '../client/names.ts'
import { LogReader } from '../client/reader.ts'

export interface KafkaSizing {
  kafka: Kafka
  prefix: string
  partitions: number
  /** Unix milliseconds. */
  since: number
}

/** Smaller than any batch: a broker then sends one whole batch and nothing of the next. */
const ONE_BATCH = 1
/** Most consecutive batches read from one place, and their bytes. */
const BATCHES = 16
const PLACE_BYTES = 2 ** 18
/** A broker's answer about one partition without its records, besides the name of the topic. */
const ANSWER_BYTES = 66
/** Offsets before the end from which the newest records are read. */
const NEWEST_OFFSETS = 1_000
/** A partition that sends nothing for this long is counted without a sample. */
const SAMPLE_MS = 5_000

/**
 * The sizes of the topics, estimated from their offsets and some batches of each partition, from
 * the oldest records to the newest, in bytes as the broker sends them, which is how it stores them.
 * For one replica: a cluster keeps as many as configured.
 *
 * @throws StorageUnavailableError no broker answers
 */
export async function kafkaTopicSizes(sizing: KafkaSizing): Promise<TopicSize[]> {
  const { kafka, prefix, partitions } = sizing
  const admin = kafka.admin({ retry: { initialRetryTime: 100, retries: 2 } })
  const topics = new Map(
    ALL_KAFKA_TOPICS.map((topic) => [prefix + topic, topicPartitionsOf(topic, partitions)]),
  )
  try {
    await admin.connect()
    const ranges = new Map<string, OffsetRange[]>()
    for (const topic of topics.keys()) ranges.set(topic, await rangesOf(admin, topic, sizing))
    const firstOffset = async (topic: string, partition: number) =>
      ranges.get(topic)?.find((range) => range.partition === partition)?.low ?? 0
    const groupId = newReaderGroup(prefix)
    await using reader = await LogReader.open({
      kafka,
      groupId,
      topics,
      firstOffset,
      fetchBytes: ONE_BATCH,
    })
    return await sizesOf(reader, ranges, prefix)
  } catch (error) {
    throw kafkaAway('the sizes of the topics are unknown', error)
  } finally {
    await admin.disconnect()
  }
}

interface OffsetRange {
  partition: number
  low: number
  high: number
  /** The first offset that was written since. */
  recent: number
}

async function rangesOf(
  admin: Admin,
  topic: string,
  { since }: KafkaSizing,
): Promise<OffsetRange[]> {
  const ends = await admin.fetchTopicOffsets(topic)
  const recent = await admin.fetchTopicOffsetsByTimestamp(topic, since)
  const recentOf = new Map(recent.map(({ partition, offset }) => [partition, Number(offset)]))
  return ends
    .map(({ partition, low, high }) => ({
      partition,
      ...{ low: Number(low), high: Number(high) },
      recent: Math.max(Number(low), recentOf.get(partition) ?? Number(high)),
    }))
    .filter(({ low, high }) => high > low)
    .sort((a, b) => a.partition - b.partition)
}

/** One partition at a time, so that each answer of a broker concerns only one. */
async function sizesOf(
  reader: LogReader,
  ranges: ReadonlyMap<string, readonly OffsetRange[]>,
  prefix: string,
): Promise<TopicSize[]> {
  const sizes: TopicSize[] = []
  for (const [topic, places] of ranges) {
    const partitions: PartitionSize[] = []
    for (const place of places) partitions.push(await sizeOf(reader, topic, place))
    sizes.push({ topic: topic.slice(prefix.length), partitions })
  }
  return sizes
}

async function sizeOf(
  reader: LogReader,
  topic: string,
  { partition, low, high, recent }: OffsetRange,
): Promise<PartitionSize> {
  const all = high - low
  const found: TopicSample = { ...NOTHING, next: low }
  for (const place of [low, low + all / 3, low + (2 * all) / 3, high - NEWEST_OFFSETS]) {
    found.next = Math.max(found.next, Math.floor(place))
    if (found.next < high) await addSample(found, reader, topic, partition, high)
  }
  const inAll = (count: number, offsets: number) => (offsets === 0 ? 0 : (count / offsets) * all)
  const bytes = inAll(found.bytes, found.sent)
  return {
    partition,
    records: Math.round(inAll(found.records, found.offsets)),
    bytes: Math.round(bytes),
    oldestAt: found.firstAt,
    bytesSince: Math.round((bytes * (high - recent)) / all),
  }
}

interface TopicSample {
  /** Including those without a readable record: holes, and control records. */
  offsets: number
  records: number
  /** Offsets of what was sent, and its bytes. */
  sent: number
  bytes: number
  firstAt: number | null
  next: number
}

const NOTHING: Omit<TopicSample, 'next'> = {
  ...{ offsets: 0, records: 0, sent: 0, bytes: 0 },
  firstAt: null,
}

/** Adds some batches from `next` on. */
async function addSample(
  found: TopicSample,
  reader: LogReader,
  topic: string,
  partition: number,
  high: number,
): Promise<void> {
  if (!reader.take(topic, partition)) throw new Error(`${topic}/${partition} is already being read`)
  const signal = AbortSignal.timeout(SAMPLE_MS)
  const begin = found.bytes
  let batches = 0
  for await (const fetched of reader.read(topic, partition, found.next, signal)) {
    const { messages, next } = fetched
    found.offsets += next - found.next
    found.records += messages.length
    found.sent += next - fetched.begins
    found.bytes += fetched.bytes - ANSWER_BYTES - Buffer.byteLength(topic)
    found.firstAt ??= messages[0] ? Number(messages[0].timestamp) : null
    found.next = next
    batches += 1
    if (batches === BATCHES || found.bytes - begin >= PLACE_BYTES || next >= high) return
  }
}
