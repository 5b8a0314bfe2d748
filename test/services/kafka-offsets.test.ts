import type { Admin, Kafka } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../src/adapters/kafka/client/client.ts'
import { cutTopic } from '../../src/adapters/kafka/copy/empty-topics.ts'
import { OffsetWriter } from '../../src/adapters/kafka/copy/offset-writer.ts'
import type { CopiedRecord } from '../../src/adapters/kafka/copy/raw-record.ts'
import { readBack } from '../../src/adapters/kafka/copy/read-back.ts'
import { type PartToWrite, writeLog } from '../../src/adapters/kafka/copy/write-log.ts'
import { createTopics } from '../../src/adapters/kafka/topics/settings.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { KafkaServer } from '../support/services/kafka.ts'

// Records are written at given offsets of a real broker, whatever was between them.

let server: KafkaServer
let kafka: Kafka
let admin: Admin

beforeAll(async () => {
  server = await KafkaServer.start()
  kafka = openClient({ brokers: [server.broker], clientId: 'test', prefix: '', onLog: () => {} })
  admin = kafka.admin()
  await admin.connect()
})
afterAll(async () => {
  await admin?.disconnect()
  await server?.stop()
})

/** The topics that a case writes are its own. */
const emptyTopics = (prefix: string, partitions: number): Promise<void> =>
  createTopics(admin, [TOPICS.lifecycle, TOPICS.keys], { prefix, partitions, schema: LOG_SCHEMA })

const recordAt = (offset: number): CopiedRecord => ({
  key: Buffer.from(`key ${offset}`),
  value: offset % 7 === 3 ? null : Buffer.from(`value ${offset}`),
  headers: offset % 2 === 0 ? { place: Buffer.from(String(offset)) } : {},
  timestamp: 1_700_000_000_000 + offset,
  offset,
})

function partOf(
  offsets: readonly number[],
  end: number,
  place: Pick<PartToWrite, 'topic' | 'partition'>,
): PartToWrite {
  let at = 0
  let afterHole: number | null = null
  for (const offset of [...offsets, end]) {
    if (offset > at) afterHole = offset
    at = offset + 1
  }
  async function* records() {
    for (let from = 0; from < offsets.length; from += 3)
      yield offsets.slice(from, from + 3).map(recordAt)
  }
  return { ...place, end, afterHole, records: records() }
}

async function write(prefix: string, parts: readonly PartToWrite[], monotonic = () => 0) {
  const topics = [...new Set(parts.map(({ topic }) => prefix + topic))]
  const writer = await OffsetWriter.open(kafka, topics, `${prefix}market-append-test`)
  try {
    await writeLog(writer, prefix, parts, monotonic)
  } finally {
    await writer.close()
  }
}

async function found(prefix: string, { topic, partition, end }: PartToWrite, begin = 0) {
  const all: CopiedRecord[] = []
  const place = { topic: prefix + topic, partition, begin, end }
  for await (const { records } of readBack(kafka, prefix, [place])) all.push(...records)
  return all
}

const endOf = async (topic: string, partition: number) => {
  const places = await admin.fetchTopicOffsets(topic)
  const place = places.find((one) => one.partition === partition)
  return [Number(place?.low), Number(place?.high)]
}

const { lifecycle, keys } = TOPICS
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

/** Offsets of records, and the end. */
const CASES: Readonly<Record<string, [number[], number]>> = {
  'no record at all': [[], 0],
  'one hole of one offset': [[], 1],
  'only a hole': [[], 50],
  'no hole': [range(0, 40), 40],
  'a hole of one at the beginning': [range(1, 5), 5],
  'a hole of one at the end': [range(0, 5), 6],
  'a marker after each record': [[0, 2, 4, 6, 8, 10], 12],
  'holes of every size': [[1, 2, 5, 6, 10, 15, 21, 28, 36, 37, 40], 50],
  'records after the last hole': [[3, ...range(5, 30)], 30],
  'a long hole': [[0, 250_000], 250_003],
}

describe('each record has its offset, and readers see no other', () => {
  test('in all partitions at once, also of a compacted topic', async () => {
    const prefix = 'cases.'
    const all = Object.entries(CASES)
    await emptyTopics(prefix, all.length)
    const parts = () => [
      ...all.map(([, [offsets, end]], partition) =>
        partOf(offsets, end, { topic: lifecycle, partition }),
      ),
      partOf([1, 4, 5, 9], 11, { topic: keys, partition: 0 }),
    ]
    await write(prefix, parts())
    for (const [at, part] of parts().entries()) {
      const [name = '', [offsets] = [[1, 4, 5, 9]]] = all[at] ?? []
      expect([name, await endOf(prefix + part.topic, part.partition)]).toEqual([
        name,
        [0, part.end],
      ])
      expect([name, await found(prefix, part)]).toEqual([name, offsets.map(recordAt)])
    }
  })

  test('though brokers allow a transaction only some time', async () => {
    const prefix = 'short.'
    await emptyTopics(prefix, 2)
    const offsets = range(0, 60).filter((offset) => offset % 4 !== 0)
    const parts = () => [
      partOf(offsets, 60, { topic: lifecycle, partition: 0 }),
      partOf(offsets.slice(5), 70, { topic: lifecycle, partition: 1 }),
    ]
    let now = 0
    // Every round is beyond the time of the last transaction.
    await write(prefix, parts(), () => (now += 100_000))
    const [first, second] = parts()
    if (!first || !second) throw new Error('there are two')
    expect(await found(prefix, first)).toEqual(offsets.map(recordAt))
    expect(await found(prefix, second)).toEqual(offsets.slice(5).map(recordAt))
    expect(await endOf(prefix + lifecycle, 1)).toEqual([0, 70])
  })

  test('where what precedes it is deleted', async () => {
    const prefix = 'cut.'
    await emptyTopics(prefix, 1)
    const part = () => partOf([1_000, 1_001, 1_003], 1_005, { topic: lifecycle, partition: 0 })
    await write(prefix, [part()])
    await cutTopic(admin, prefix + lifecycle, [{ partition: 0, offset: 1_000 }])
    expect(await endOf(prefix + lifecycle, 0)).toEqual([1_000, 1_005])
    expect(await found(prefix, part(), 1_000)).toEqual([1_000, 1_001, 1_003].map(recordAt))
  })
})

test('a record that another process put there is noticed', async () => {
  const prefix = 'taken.'
  await emptyTopics(prefix, 1)
  const producer = kafka.producer()
  await producer.connect()
  await producer.send({ topic: prefix + lifecycle, messages: [{ key: 'k', value: 'v' }] })
  await producer.disconnect()
  const part = partOf([0, 1], 2, { topic: lifecycle, partition: 0 })
  await expect(write(prefix, [part])).rejects.toThrow(
    'taken.orders.lifecycle/0 took a record at offset 1, not 0',
  )
})
