import fc from 'fast-check'
import type { RecordMetadata, TopicMessages } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import {
  BATCH_BYTES,
  batchBytesOf,
  batchesOf,
  sendBatches,
} from '../../../../src/adapters/kafka/client/batches.ts'
import { type KafkaRecord, kafkaMessageOf } from '../../../../src/adapters/kafka/client/codec.ts'
import { TOPICS } from '../../../../src/schemas/log.ts'

const PREFIX = 'test.'
const POSITION = { inbox: 7, lifecycleEnd: 9 }

/** Mostly small, some near the limit of a batch, a few beyond it; of more bytes than characters. */
const length = fc.oneof(
  { weight: 6, arbitrary: fc.nat(200) },
  { weight: 3, arbitrary: fc.nat(BATCH_BYTES / 2) },
  { weight: 1, arbitrary: fc.integer({ min: BATCH_BYTES / 2, max: BATCH_BYTES + 1_000 }) },
)
const record: fc.Arbitrary<KafkaRecord> = fc.record({
  topic: fc.constantFrom(TOPICS.lifecycle, TOPICS.snapshots),
  partition: fc.nat(2),
  key: fc.constantFrom('a', 'schlüssel'),
  value: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.constantFrom('x', 'ü', '"'), length)
        .map(([letter, count]) => letter.repeat(count)),
    },
  ),
})

const placed = (one: KafkaRecord): KafkaRecord => ({ ...one, position: POSITION })

const places = (batch: readonly TopicMessages[]) => {
  const found = new Map<string, TopicMessages['messages']>()
  for (const { topic, messages } of batch) {
    for (const message of messages) {
      const place = `${topic} ${message.partition}`
      found.set(place, [...(found.get(place) ?? []), message])
    }
  }
  return found
}

describe('batches', () => {
  test('hold every record once, in the order of its partition, and none exceeds its bound', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 30 }), (records) => {
        const batches = [...batchesOf(records.map(placed), PREFIX)]
        const told = new Map<string, unknown[]>()
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0)
          for (const [place, messages] of places(batch)) {
            const bytes = messages.reduce((sum, message) => sum + batchBytesOf(message), 0)
            expect(messages.length === 1 || bytes <= BATCH_BYTES).toBe(true)
            told.set(place, [...(told.get(place) ?? []), ...messages])
          }
        }
        const wanted = new Map<string, unknown[]>()
        for (const one of records) {
          const place = `${PREFIX}${one.topic} ${one.partition}`
          wanted.set(place, [...(wanted.get(place) ?? []), kafkaMessageOf(placed(one))])
        }
        expect(told).toEqual(wanted)
      }),
      { numRuns: 60 },
    )
  })

  test('end after the last message that was sent to a partition', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 30 }), async (records) => {
        const broker = new Map<string, number>()
        const ends = await sendBatches(
          async (batch) => {
            const sent: RecordMetadata[] = []
            for (const [place, messages] of places(batch)) {
              const [topicName = '', partition] = place.split(' ')
              const next = broker.get(place) ?? 100
              broker.set(place, next + messages.length)
              sent.push({
                topicName,
                partition: Number(partition),
                errorCode: 0,
                baseOffset: String(next),
              })
            }
            return sent
          },
          batchesOf(records, PREFIX),
        )
        for (const topic of [TOPICS.lifecycle, TOPICS.snapshots]) {
          for (const partition of [0, 1, 2]) {
            const end = broker.get(`${PREFIX}${topic} ${partition}`) ?? null
            expect(ends.of(PREFIX + topic, partition)).toBe(end)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  test('of many partitions are bounded together', () => {
    const value = 'x'.repeat(BATCH_BYTES / 2)
    const records = Array.from({ length: 64 }, (_, partition) => ({
      ...{ topic: TOPICS.inbox, partition, key: '', value },
    }))
    const sends = [...batchesOf(records, PREFIX)].map((batch) =>
      batch.flatMap(({ messages }) => messages).reduce((sum, one) => sum + batchBytesOf(one), 0),
    )
    expect(sends.length).toBeGreaterThan(1)
    expect(Math.max(...sends)).toBeLessThanOrEqual(2 ** 23)
  })
})
