import { expect, test } from 'vitest'
import { importCeilings, orderCeilings } from '../../scripts/docs/scale-fleet.ts'
import { needsOf } from '../../scripts/docs/scale-needs.ts'
import { MEASURED, WORKLOADS, type Workload } from '../../scripts/docs/scale-units.ts'

// test/docs/generated.integration.test.ts compares the page with this computation; here the computation is
// compared with plain arithmetic.

const TODAY = WORKLOADS[0] as Workload
const nothing = { ...TODAY, transactionsPerS: 0, liveOrders: 0, ordersADay: 0, pagesPerS: 0 }
const units = {
  ...MEASURED,
  kafkaBytesOfBlockRecord: 50,
  kafkaBytesOfPushedRecord: 150,
  kafkaBytesOfWatermark: 0,
  kafkaBytesOfChange: 1_000,
  kafkaBytesOfOutcome: 100,
  kafkaBytesOfCommandOrEvidence: 0,
  clickhouseBytesOfChange: 10,
  redisBytesOfOrder: 5_000,
  gatewayBytesOfOrder: 300,
  changesOfOrder: 2,
}

test('seven days of the inbox hold each input and output twice: as pushed, and in its block', () => {
  const work = { ...nothing, transactionsPerS: 1, inputsOfTransaction: 2, outputsOfTransaction: 3 }
  const { inboxRecordsPerS, kafka } = needsOf(work, units)
  expect(inboxRecordsPerS).toBe(10)
  expect(kafka.inbox).toBe(7 * 86_400 * 5 * (150 + 50))
})

test('a year of orders: their changes in Kafka and ClickHouse, all of them in Redis', () => {
  const work = { ...nothing, liveOrders: 1_000, ordersADay: 10, laterChangesOfOrder: 3 }
  const { orders, kafka, clickhouseBytes, redisBytes, gatewayBytes } = needsOf(work, units)
  expect(orders).toBe(4_650)
  expect(kafka.lifecycle).toBe(3_650 * (5 * 1_000 + 100))
  expect(clickhouseBytes).toBe(3_650 * 5 * 10)
  expect([redisBytes, gatewayBytes]).toEqual([4_650 * 5_000, 4_650 * 300])
})

test('partitions are a power of two, never fewer than workers, and more where more must be restored', () => {
  for (const liveOrders of [0, 1_000_000, 10_000_000, 100_000_000]) {
    for (const transactionsPerS of [7, 700, 70_000]) {
      const { partitions, workers } = needsOf({ ...TODAY, liveOrders, transactionsPerS }, MEASURED)
      expect(Number.isInteger(Math.log2(partitions))).toBe(true)
      expect(partitions).toBeGreaterThanOrEqual(Math.max(16, workers))
    }
  }
  expect(needsOf({ ...TODAY, liveOrders: 10_000_000 }, MEASURED).partitions).toBeGreaterThan(16)
})

test('the first bottleneck is what a workload loads most', () => {
  const reads = { ...nothing, pagesPerS: 1_000 }
  expect(needsOf(reads, MEASURED).first).toBe('thread of Redis')
  expect(needsOf({ ...nothing, transactionsPerS: 100_000 }, MEASURED).first).toBe('actors worker')
  expect(needsOf({ ...nothing, liveOrders: 1e8 }, MEASURED).first).toBe('memory of Redis')
  const [today, hundred] = WORKLOADS.map((work) => needsOf(work, MEASURED))
  expect(Math.max(...Object.values(today?.shares ?? {}))).toBeLessThan(1)
  expect(hundred?.shares[hundred.first]).toBeGreaterThan(1)
})

test('a fleet ends where its scarcest part does, which comes first', () => {
  const slow = { ...MEASURED, gatewayMsOfImport: 1, workerMsOfOrder: 4, partitionImportsPerS: 100 }
  const [first, second] = importCeilings(slow)
  expect(first).toEqual({ what: 'processor of the workers', allows: 500 })
  expect(second?.what).toBe('the one projector')
  expect(orderCeilings({ ...MEASURED, redisBytesOfOrder: 64_000 })[0]).toEqual({
    what: 'memory of Redis',
    allows: 1_000_000,
  })
})
