import kafkajs, {
  type IHeaders,
  type Message,
  type ProducerBatch,
  type RecordMetadata,
  type TopicMessages,
} from 'kafkajs'
import { type KafkaRecord, kafkaMessageOf } from './codec.ts'

// Node detects only these named exports of this CommonJS package.
const { CompressionTypes } = kafkajs

/**
 * Encoded bytes of one send for one partition: kafkajs makes one batch of it, and a topic accepts
 * batches of 1 MiB (`max.message.bytes`).
 */
export const BATCH_BYTES = 2 ** 19
/** Encoded bytes of one send, for any number of partitions: a broker accepts 100 MiB. */
const SEND_BYTES = 2 ** 23
/** Most bytes of lengths, deltas and counts beside a message's key, value and headers. */
const MESSAGE_OVERHEAD = 64

/**
 * Splits records, in order, into sends that brokers accept: at most `BATCH_BYTES` for each
 * partition, unless a single record is larger, and at most `most` records. Generated lazily.
 */
export function* batchesOf(
  records: Iterable<KafkaRecord>,
  prefix: string,
  most = Infinity,
): Generator<TopicMessages[]> {
  let batch = new SendBatch()
  for (const record of records) {
    const topic = prefix + record.topic
    const message = kafkaMessageOf(record)
    const bytes = batchBytesOf(message)
    if (batch.size === most || !batch.hasRoom(topic, record.partition, bytes)) {
      yield batch.messages
      batch = new SendBatch()
    }
    batch.put(topic, record.partition, message, bytes)
  }
  if (batch.bytes > 0) yield batch.messages
}

/** Upper bound of a message's encoded bytes. */
export function batchBytesOf({
  key,
  value,
  headers,
}: Pick<Message, 'key' | 'value' | 'headers'>): number {
  const bytes = MESSAGE_OVERHEAD + Buffer.byteLength(key ?? '') + Buffer.byteLength(value ?? '')
  return headers ? bytes + headerBytesOf(headers) : bytes
}

const headerBytesOf = (headers: IHeaders): number =>
  Object.entries(headers).reduce(
    (sum, [name, header]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(header)),
    0,
  )

/** The payload is JSON that repeats from record to record, so it compresses well. */
export const sending = (topicMessages: TopicMessages[]): ProducerBatch => ({
  acks: -1,
  compression: CompressionTypes.GZIP,
  topicMessages,
})

/**
 * The answers of a send, if each partition of it was written to once. kafkajs asks each broker once: where
 * a partition gets another leader meanwhile, the send resolves without that partition, if that broker
 * has answered for others, and with it twice, if it had answered for this one.
 *
 * @throws Error: it is unknown what was written
 */
export function onceEach(
  batch: readonly TopicMessages[],
  sent: readonly RecordMetadata[],
): RecordMetadata[] {
  const wanted = batch.flatMap(({ topic, messages }) =>
    messages.map(({ partition = -1 }) => placeOf(topic, partition)),
  )
  const written = sent.map(({ topicName, partition }) => placeOf(topicName, partition)).sort()
  const places = [...new Set(wanted)].sort()
  if (written.join() !== places.join())
    throw new Error(
      `brokers were to write to ${places.join(', ')}, and wrote to ${written.join(', ')}`,
    )
  return [...sent]
}

/** The end offset of each partition after the sends. */
export class Ends {
  readonly #ends = new Map<string, number>()

  /** Null: nothing was sent there. */
  of(topic: string, partition: number): number | null {
    return this.#ends.get(placeOf(topic, partition)) ?? null
  }

  put(batch: readonly TopicMessages[], sent: readonly RecordMetadata[]): void {
    for (const { topicName, partition, baseOffset } of sent) {
      if (baseOffset === undefined) throw new Error('the broker returned no offset')
      const { messages = [] } = batch.find(({ topic }) => topic === topicName) ?? {}
      const count = messages.filter((message) => message.partition === partition).length
      this.#ends.set(placeOf(topicName, partition), Number(baseOffset) + count)
    }
  }
}

/** Sends one batch after the other. */
export async function sendBatches(
  send: (batch: readonly TopicMessages[]) => Promise<RecordMetadata[]>,
  batches: Iterable<TopicMessages[]>,
): Promise<Ends> {
  const ends = new Ends()
  for (const batch of batches) ends.put(batch, await send(batch))
  return ends
}

/** Messages of one send. */
export class SendBatch {
  readonly #topics = new Map<string, Filling>()
  bytes = 0
  size = 0

  get messages(): TopicMessages[] {
    return Array.from(this.#topics, ([topic, { messages }]) => ({ topic, messages }))
  }

  hasRoom(topic: string, partition: number, bytes: number): boolean {
    const there = this.#topics.get(topic)?.bytesOf.get(partition) ?? 0
    const fits = there === 0 || there + bytes <= BATCH_BYTES
    return fits && (this.bytes === 0 || this.bytes + bytes <= SEND_BYTES)
  }

  put(topic: string, partition: number, message: Message, bytes: number): void {
    const { messages, bytesOf } = this.#filling(topic)
    messages.push(message)
    bytesOf.set(partition, (bytesOf.get(partition) ?? 0) + bytes)
    this.bytes += bytes
    this.size += 1
  }

  #filling(topic: string): Filling {
    const known = this.#topics.get(topic)
    if (known) return known
    const filling: Filling = { messages: [], bytesOf: new Map() }
    this.#topics.set(topic, filling)
    return filling
  }
}

/** The messages of one topic, and their bytes by partition. */
interface Filling {
  messages: Message[]
  bytesOf: Map<number, number>
}

const placeOf = (topic: string, partition: number): string => `${topic} ${partition}`
