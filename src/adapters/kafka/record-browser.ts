import type { KafkaMessage } from 'kafkajs'
import type {
  BrowsedRange,
  BrowsedRecord,
  BrowsedTopic,
  RecordBrowser,
} from '../../ports/log/record-browser.ts'
import type { Topic } from '../../schemas/log.ts'
import { ALL_TOPICS, CLEAN_UP } from '../log/clean-up.ts'
import { decode } from './client/codec.ts'
import { fetchedUpTo } from './client/reader.ts'
import type { KafkaLog } from './log.ts'

/** Reads the log in Kafka by a reader of its own group of one, which commits nothing. */
export class KafkaRecordBrowser implements RecordBrowser {
  readonly #log: KafkaLog

  constructor(log: KafkaLog) {
    this.#log = log
  }

  topics(): Promise<BrowsedTopic[]> {
    return Promise.all(
      ALL_TOPICS.map(async (topic): Promise<BrowsedTopic> => {
        const { policy, afterMs = null } = { afterMs: null, ...CLEAN_UP[topic] }
        const ranges = await this.ranges(topic)
        return { topic, ranges, bytes: null, cleanUp: { policy, afterMs } }
      }),
    )
  }

  ranges(topic: Topic): Promise<BrowsedRange[]> {
    return this.#log.ranges(topic)
  }

  offsetsAt(topic: Topic, time: number): Promise<number[]> {
    return this.#log.offsetsAt(topic, time)
  }

  async *between(topic: Topic, partition: number, from: number, to: number, signal: AbortSignal) {
    // Beyond the end it would wait for new records.
    const end = Math.min(to, await this.#log.end(topic, partition))
    if (from >= end || signal.aborted) return
    const read = (until: AbortSignal) => this.#log.readRaw(topic, partition, from, until)
    for await (const { messages } of fetchedUpTo(end, read, signal)) {
      const batch = messages
        .filter(({ offset }) => Number(offset) >= from && Number(offset) < end)
        .map((message) => browsed(partition, message))
      if (batch.length > 0) yield batch
    }
  }
}

/** The value is parsed when it is first read: one that a filter passes over never is. */
function browsed(partition: number, message: KafkaMessage): BrowsedRecord {
  const { key, headers = {}, timestamp } = message
  let value: { read: unknown } | null = null
  return {
    partition,
    offset: Number(message.offset),
    at: Number(timestamp),
    key: key === null ? null : key.toString('utf8'),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, [text].flat().map(String).join(', ')]),
    ),
    get value() {
      value ??= { read: decode(partition, message).value }
      return value.read
    },
  }
}
