import { expect, test } from 'vitest'
import { historyUsage, topicUsage } from '../../../src/operator/usage/usage.ts'
import { TOPICS, type Topic } from '../../../src/schemas/log.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.parse('2027-01-31T00:00:00Z')

const growthOf = (topic: Topic | 'ingest.state', ageMs: number, bytesSince: number) =>
  topicUsage(
    {
      topic,
      partitions: [
        { partition: 0, records: 10, bytes: 5_000, oldestAt: NOW - ageMs, bytesSince },
        { partition: 1, records: 30, bytes: 3_000, oldestAt: NOW - ageMs / 2, bytesSince: 0 },
      ],
    },
    NOW,
  )

test('sums partitions, and goes back to the oldest record of any', () => {
  expect(growthOf(TOPICS.lifecycle, 10 * DAY, 100)).toMatchObject({
    ...{ records: 40, bytes: 8_000, bytesPerRecord: 200, since: '2027-01-21T00:00:00.000Z' },
    cleanUp: { policy: 'keep' },
  })
})

test('what is kept forever grows by thirty times the last day', () => {
  expect(growthOf(TOPICS.lifecycle, 10 * DAY, 100).growth).toEqual({
    ...{ overHours: 24, bytesPerDay: 100, monthBytes: 3_000 },
  })
})

test('a log younger than a day is measured over its age', () => {
  expect(growthOf(TOPICS.lifecycle, 6 * HOUR, 100).growth).toEqual({
    ...{ overHours: 6, bytesPerDay: 400, monthBytes: 12_000 },
  })
})

test('less than an hour gives no rate', () => {
  expect(growthOf(TOPICS.lifecycle, HOUR - 1, 100).growth).toBeNull()
  expect(growthOf(TOPICS.lifecycle, HOUR, 100).growth).not.toBeNull()
  expect(topicUsage({ topic: TOPICS.dead, partitions: [] }, NOW)).toMatchObject({
    ...{ records: 0, bytes: 0, bytesPerRecord: null, since: null, growth: null },
  })
})

test('what is deleted by age grows until its days are full, and then no more', () => {
  expect(growthOf(TOPICS.inbox, 2 * DAY, 100).growth?.monthBytes).toBe(500)
  expect(growthOf(TOPICS.inbox, 7 * DAY, 100).growth?.monthBytes).toBe(0)
  expect(growthOf(TOPICS.inbox, 8 * DAY, 100).growth?.monthBytes).toBe(0)
})

test('a day without records adds nothing', () => {
  expect(growthOf(TOPICS.lifecycle, 10 * DAY, 0).growth).toMatchObject({
    ...{ bytesPerDay: 0, monthBytes: 0 },
  })
})

test('an internal topic has no rate', () => {
  expect(growthOf('ingest.state', 10 * DAY, 100)).toMatchObject({
    ...{ cleanUp: null, growth: { monthBytes: 3_000 } },
  })
})

test('the rows of orders grow as the lifecycle does, those of the chain are excluded', () => {
  const history = {
    ...{ name: 'chDB', bytes: 7_000 },
    tables: [
      { name: 'order_transition_rows', entries: 1, bytes: 4_000 },
      { name: 'pairing_block_rows', entries: 1, bytes: 3_000 },
    ],
  }
  const lifecycle = growthOf(TOPICS.lifecycle, 10 * DAY, 100)
  expect(historyUsage(history, [lifecycle])).toEqual({ ...history, monthBytes: 1_500 })
  const young = growthOf(TOPICS.lifecycle, HOUR / 2, 100)
  expect(historyUsage(history, [young])).toMatchObject({ monthBytes: null })
})
