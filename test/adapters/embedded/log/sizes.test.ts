import { expect, test } from 'vitest'
import type { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { topicSizes } from '../../../../src/adapters/embedded/log/sizes.ts'
import { systemClock } from '../../../../src/adapters/embedded/system-clock.ts'
import { TOPICS, type Topic } from '../../../../src/schemas/log.ts'
import { withEmbeddedLog } from '../../../support/log/with-embedded-log.ts'

const HOUR = 3_600_000

const withLog = withEmbeddedLog(3)

const sizeOf = async (store: LmdbStore, topic: Topic, since: number) => {
  const sizes = await topicSizes(store, 3, since, systemClock)
  return sizes.find((one) => one.topic === topic)?.partitions ?? []
}

const record = (topic: Topic, partition: number, key: string, length: number) => ({
  ...{ topic, partition, key, value: { text: 'x'.repeat(length) } },
})

test('partitions share the pages of a topic in proportion to their contents, and its time is theirs', () =>
  withLog(async (log, clock, store) => {
    const began = clock.now()
    const { inbox } = TOPICS
    await log.append(Array.from({ length: 300 }, (_, at) => record(inbox, 0, String(at), 100)))
    clock.advance(HOUR)
    await log.append(Array.from({ length: 100 }, (_, at) => record(inbox, 0, String(at), 100)))
    await log.append(Array.from({ length: 400 }, (_, at) => record(inbox, 2, String(at), 200)))
    const [first, second, ...others] = await sizeOf(store, inbox, began + 1)
    expect(others).toEqual([])
    expect(first).toMatchObject({ partition: 0, records: 400, oldestAt: began })
    expect(second).toMatchObject({ partition: 2, records: 400, oldestAt: began + HOUR })
    const pages = store.sizes().find(({ name }) => name === `log ${inbox}`)?.bytes ?? 0
    expect(pages).toBeGreaterThan(400 * 100)
    const { bytes = 0, bytesSince = 0 } = first ?? {}
    expect(bytes + (second?.bytes ?? 0)).toBe(pages)
    expect((second?.bytes ?? 0) / bytes).toBeGreaterThan(1.5)
    expect(bytesSince / bytes).toBeCloseTo(0.25, 2)
    expect(second?.bytesSince).toBe(second?.bytes)
  }))

test('of a compacted topic it counts what is left, past its holes', () =>
  withLog(async (log, clock, store) => {
    const { snapshots } = TOPICS
    for (let round = 0; round < 4; round += 1) {
      await log.append(
        Array.from({ length: 50 }, (_, at) => record(snapshots, 1, String(at % 25), 100)),
      )
      await log.append([record(snapshots, 1, `of ${round}`, 100)])
      clock.advance(HOUR)
    }
    const [only] = await sizeOf(store, snapshots, clock.now() - HOUR)
    // 25 of the last round and one of each.
    expect(only).toMatchObject({ partition: 1, records: 29, oldestAt: clock.now() - 4 * HOUR })
    expect((only?.bytesSince ?? 0) / (only?.bytes ?? 0)).toBeCloseTo(26 / 29, 2)
  }))

test('an empty topic has no partition, nor does a range without records', () =>
  withLog(async (log, clock, store) => {
    expect(await sizeOf(store, TOPICS.lifecycle, 0)).toEqual([])
    await log.append([record(TOPICS.lifecycle, 1, 'a', 10)])
    clock.advance(HOUR)
    expect(await sizeOf(store, TOPICS.lifecycle, clock.now())).toMatchObject([
      { partition: 1, records: 1, bytesSince: 0 },
    ])
  }))

test('three partitions alike share a page without a byte lost', () =>
  withLog(async (log, _clock, store) => {
    await log.append([0, 1, 2].map((partition) => record(TOPICS.inbox, partition, 'a', 10)))
    const shares = (await sizeOf(store, TOPICS.inbox, 0)).map(({ bytes }) => bytes)
    expect(shares).toEqual([1_365, 1_366, 1_365])
  }))
