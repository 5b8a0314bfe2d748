import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
import { LogTail } from '../../../../src/adapters/embedded/log/log-tail.ts'
import { topicSizes } from '../../../../src/adapters/embedded/log/sizes.ts'
import { systemClock } from '../../../../src/adapters/embedded/system-clock.ts'
import type { EventLog, NewRecord } from '../../../../src/ports/log/event-log.ts'
import { TOPICS, type Topic } from '../../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { withEmbeddedLog } from '../../../support/log/with-embedded-log.ts'
import { ManualClock } from '../../../support/manual-clock.ts'

const PARTITIONS = 3
const DAY_MS = 86_400_000
const TOPICS_DRAWN: readonly Topic[] = [TOPICS.inbox, TOPICS.dead, TOPICS.lifecycle]
const withLog = withEmbeddedLog(PARTITIONS)

const inbox = (partition: number, value: unknown): NewRecord => ({
  topic: TOPICS.inbox,
  partition,
  key: 'k',
  value,
})

const toAll = (value: unknown): NewRecord[] => {
  const watermark = { value }
  return Array.from({ length: PARTITIONS }, (_, partition) => inbox(partition, watermark))
}

const offsetsOf = async (log: EventLog, topic: Topic, partition: number, from = 0) => {
  const found: [number, unknown][] = []
  for await (const batch of log.stored(topic, partition, from)) {
    found.push(...batch.map(({ offset, value }): [number, unknown] => [offset, value]))
  }
  return found
}

type Step =
  | { kind: 'append'; sizes: readonly [topic: Topic, partition: number, records: number][] }
  | { kind: 'fail'; records: number }
  | { kind: 'mark' }
  | { kind: 'reopen' }

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        sizes: fc.array(
          fc.tuple(
            fc.constantFrom(...TOPICS_DRAWN),
            fc.nat(PARTITIONS - 1),
            fc.oneof(fc.nat(5), fc.nat(150), fc.nat(600)),
          ),
          { minLength: 1, maxLength: 4 },
        ),
      }),
    },
    fc.record({ kind: fc.constant('fail' as const), records: fc.nat(300) }),
    fc.constant({ kind: 'mark' as const }),
    fc.constant({ kind: 'reopen' as const }),
  ),
  { maxLength: 12 },
) satisfies fc.Arbitrary<Step[]>

test('records are where they were appended, in their order, wherever the tail ends', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const { path, drop } = temporaryDirectory()
      const clock = new ManualClock()
      const model = new Map<string, unknown[]>()
      const listOf = (topic: Topic, partition: number) => {
        const list = model.get(`${topic} ${partition}`) ?? []
        model.set(`${topic} ${partition}`, list)
        return list
      }
      let store = await LmdbStore.open(path)
      let log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
      try {
        for (const [number, step] of drawn.entries()) {
          if (step.kind === 'reopen') {
            await store.close()
            store = await LmdbStore.open(path)
            log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
          } else if (step.kind === 'fail') {
            const lost = Array.from({ length: step.records }, (_, at) => inbox(at % 3, 'lost'))
            await expect(log.append(lost, fail)).rejects.toThrow('refused')
          } else {
            const records =
              step.kind === 'mark'
                ? toAll(number)
                : step.sizes.flatMap(([topic, partition, count]) =>
                    Array.from({ length: count }, (_, at) => ({
                      ...inbox(partition, { number, at }),
                      topic,
                    })),
                  )
            await log.append(records)
            for (const { topic, partition, value } of records) listOf(topic, partition).push(value)
          }
          for (const topic of TOPICS_DRAWN) {
            for (let partition = 0; partition < PARTITIONS; partition += 1) {
              const expected = listOf(topic, partition)
              expect(await log.end(topic, partition)).toBe(expected.length)
              const from = Math.max(0, expected.length - 1 - 97 * number)
              const pairs = expected.map((value, offset): [number, unknown] => [offset, value])
              expect(await offsetsOf(log, topic, partition, from)).toEqual(pairs.slice(from))
            }
          }
        }
      } finally {
        await store.close()
        drop()
      }
    }),
    { numRuns: 15 },
  )
}, 60_000)

const fail = () => {
  throw new Error('refused')
}

test('a following reader gets every record once while the tail moves', () =>
  withLog(async (log) => {
    const stop = new AbortController()
    const total = 3_000
    const reading = (async () => {
      const seen: unknown[] = []
      for await (const batch of log.read(TOPICS.inbox, 1, 0, stop.signal)) {
        seen.push(...batch.map(({ offset, value }) => [offset, value]))
        if (seen.length >= total) return seen
      }
      return seen
    })()
    for (let from = 0; from < total; from += 60) {
      await log.append(Array.from({ length: 60 }, (_, at) => inbox(1, from + at)))
    }
    expect(await reading).toEqual(Array.from({ length: total }, (_, at) => [at, at]))
  }))

test('the tail moves before it holds a thousand records or a MiB of values', () =>
  withLog(async (log, _clock, store) => {
    const tail = new LogTail(store)
    for (let turn = 0; turn < 40; turn += 1) {
      await log.append(Array.from({ length: 90 }, (_, at) => inbox(at % 3, at)))
      expect(tail.all().length).toBeLessThanOrEqual(1_000)
    }
    expect(tail.all().length).toBeGreaterThan(0)
    const large = 'x'.repeat(300_000)
    await log.append([inbox(0, `${large} 1`), inbox(0, `${large} 2`), inbox(0, `${large} 3`)])
    expect(tail.all().length).toBeGreaterThan(0)
    await log.append([inbox(0, `${large} 4`)])
    expect(tail.all()).toEqual([])
    const last = (await offsetsOf(log, TOPICS.inbox, 0)).slice(-4).map(([, value]) => value)
    expect(last).toEqual([1, 2, 3, 4].map((n) => `${large} ${n}`))
  }))

test('a value written to every partition is stored once', () =>
  withLog(async (log, _clock, store) => {
    const large = 'y'.repeat(2_000)
    await log.append(toAll(large))
    const { bytes = 0 } = store.sizes().find(({ name }) => name === 'log tail') ?? {}
    expect(bytes).toBe(4_096)
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      expect(await offsetsOf(log, TOPICS.inbox, partition)).toEqual([[0, { value: large }]])
    }
  }))

test('what is past its retention in the tail is removed, but the last record of a partition', () =>
  withLog(async (log, clock) => {
    const told = (value: unknown) => ({ topic: TOPICS.mempool, partition: 0, key: 'k', value })
    await log.append([told(1), told(2), told(3)])
    clock.advance(DAY_MS + 1)
    expect(await log.trim()).toBe(2)
    expect(await offsetsOf(log, TOPICS.mempool, 0)).toEqual([[2, 3]])
    await log.append([told(4)])
    expect(await offsetsOf(log, TOPICS.mempool, 0)).toEqual([
      [2, 3],
      [3, 4],
    ])
  }))

test('sizes count the records of the tail with those of their topic', () =>
  withLog(async (log, clock, store) => {
    const began = clock.now()
    await log.append(Array.from({ length: 300 }, (_, at) => inbox(0, at)))
    clock.advance(DAY_MS)
    await log.append(Array.from({ length: 100 }, (_, at) => inbox(0, at)))
    await log.append([inbox(2, 'only here')])
    const sizes = await topicSizes(store, PARTITIONS, began + 1, systemClock)
    const found = sizes.find(({ topic }) => topic === TOPICS.inbox)?.partitions ?? []
    expect(found).toMatchObject([
      { partition: 0, records: 400, oldestAt: began },
      { partition: 2, records: 1, oldestAt: began + DAY_MS },
    ])
    const names = new Set(['log tail', `log ${TOPICS.inbox}`])
    const pages = store.sizes().filter(({ name }) => names.has(name))
    expect(found.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(
      pages.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    expect((found[0]?.bytesSince ?? 0) / (found[0]?.bytes ?? 1)).toBeCloseTo(0.25, 1)
    expect(found[1]?.bytesSince).toBe(found[1]?.bytes)
  }))
