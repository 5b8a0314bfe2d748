import { expect, test } from 'vitest'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { wakeByNews } from '../../../src/gateway/intake/keep-pool.ts'
import type { EventLog, Stored } from '../../../src/ports/log/event-log.ts'
import { LOG_SCHEMA } from '../../../src/schemas/log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { hash } from '../../support/orders/evidence.ts'

const NEVER = new AbortController().signal

/** A feed that breaks off at its end, or where it is told to. */
function feedOf(count: number) {
  const feed = { count, breaksAt: Number.POSITIVE_INFINITY }
  const log: Pick<EventLog, 'read' | 'end'> = {
    end: async () => feed.count,
    read: async function* (_topic, partition, from) {
      for (let offset = from; offset < feed.count; offset += 1) {
        if (offset >= feed.breaksAt) break
        const txid = hash(String(offset))
        const value = { schema: LOG_SCHEMA, kind: 'added', txid, mempoolSequence: offset }
        const batch: Stored<unknown>[] = [{ partition, offset, value }]
        yield batch
      }
      throw new Error('the log does not answer')
    },
  }
  const woken: string[] = []
  const trouble = { isPoolAway: false }
  const pool = {
    wake: async (txids: readonly string[]) => {
      if (trouble.isPoolAway) throw new Error('the pool does not answer')
      woken.push(...txids)
    },
  } as unknown as Gateway['pool']
  const run = wakeByNews({ pool, clock: new ManualClock() }, log)
  const broken = async () => {
    await expect(run(NEVER)).rejects.toThrow('does not answer')
    return woken.splice(0)
  }
  return { feed, trouble, broken }
}

const offsets = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => hash(String(from + at)))

test('news that come while the loop is begun again wake orders, each once', async () => {
  const { feed, broken } = feedOf(3)
  feed.breaksAt = 2
  expect(await broken()).toEqual(offsets(0, 2))
  feed.breaksAt = Number.POSITIVE_INFINITY
  feed.count = 6
  expect(await broken()).toEqual(offsets(2, 6))
  feed.count = 7
  expect(await broken()).toEqual(offsets(6, 7))
})

test('news that the pool did not take wakes orders later', async () => {
  const { trouble, broken } = feedOf(3)
  trouble.isPoolAway = true
  expect(await broken()).toEqual([])
  trouble.isPoolAway = false
  expect(await broken()).toEqual(offsets(0, 3))
})

test('a process begins with the news of the last minutes', async () => {
  const { broken } = feedOf(10_000)
  expect(await broken()).toEqual(offsets(10_000 - 4_096, 10_000))
})
