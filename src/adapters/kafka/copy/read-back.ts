import type { Kafka } from 'kafkajs'
import { newReaderGroup } from '../client/names.ts'
import { fetchedUpTo, LogReader } from '../client/reader.ts'
import { type CopiedRecord, copiedRecordOf } from './raw-record.ts'

export interface WrittenPart {
  /** With its prefix. */
  topic: string
  partition: number
  begin: number
  end: number
}

/** Everything that a reader of committed records finds in these partitions, one after the other. */
export async function* readBack<T extends WrittenPart>(
  kafka: Kafka,
  prefix: string,
  parts: readonly T[],
): AsyncGenerator<{ part: T; records: CopiedRecord[] }> {
  const topics = new Map<string, number>()
  for (const { topic, partition } of parts)
    topics.set(topic, Math.max(topics.get(topic) ?? 0, partition + 1))
  await using reader = await LogReader.open({
    ...{ kafka, topics, groupId: newReaderGroup(prefix) },
    firstOffset: async (topic, partition) =>
      parts.find((one) => one.topic === topic && one.partition === partition)?.begin ?? 0,
  })
  for (const part of parts) {
    const { topic, partition, begin, end } = part
    if (begin >= end) continue
    reader.take(topic, partition)
    const read = (until: AbortSignal) => reader.read(topic, partition, begin, until)
    for await (const { messages } of fetchedUpTo(end, read))
      yield { part, records: messages.map(copiedRecordOf) }
  }
}
