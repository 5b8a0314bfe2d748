import type { KafkaMessage } from 'kafkajs'
import PQueue from 'p-queue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../../../src/adapters/embedded/log/snapshot-store.ts'
import type { Transactions } from '../../../../src/adapters/kafka/client/transactions.ts'
import { OwnedPartition } from '../../../../src/adapters/kafka/inbox/owned-partition.ts'
import { LOG_SCHEMA, TOPICS } from '../../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { dice, orderOf } from '../../../support/orders/order-book.ts'

/** More than are applied one part after another. */
const MANY = 6_000
const PARTITION = 0
const roll = dice(1)
const ORDERS = Array.from({ length: MANY }, (_, index) => {
  const order = orderOf(roll, index)
  return { ...order, state: 'LIVE' as const, pending: null, closedAt: null }
})
const MESSAGES = ORDERS.map((order, index) => ({
  key: Buffer.from(order.id),
  offset: String(index),
  headers: {},
  value: Buffer.from(JSON.stringify({ schema: LOG_SCHEMA, kind: 'order', order })),
})) as unknown as KafkaMessage[]

let directory: ReturnType<typeof temporaryDirectory>
let store: LmdbStore
let snapshots: EmbeddedSnapshotStore
const line = new PQueue({ concurrency: 1 })
beforeEach(async () => {
  directory = temporaryDirectory()
  store = await LmdbStore.open(directory.path)
  snapshots = new EmbeddedSnapshotStore(store)
})
afterEach(async () => {
  await store.close()
  directory.drop()
})

const take = (signal = new AbortController().signal, logId = 'log') =>
  OwnedPartition.take(
    {
      partition: PARTITION,
      logId,
      prefix: '',
      groupId: 'group',
      snapshots,
      transactions: { fence: async () => {} } as unknown as Transactions,
      stored: async function* (topic, _partition, from) {
        if (topic !== TOPICS.snapshots || from >= MANY) return
        yield { messages: MESSAGES, next: MANY, begins: 0, bytes: 0 }
      },
      end: async () => MANY,
      firstOffset: async () => 0,
      groupOffset: async () => 0,
      onPoint: () => {},
      inLine: (work) => line.add(work),
    },
    signal,
  )

const copied = () => {
  const table = store.plainDocuments<unknown, [number, string]>('snapshot copies')
  return [...table.getKeys()].length
}
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
const isWhole = () => {
  const held = snapshots.of(PARTITION)
  return (
    held.live(null, MANY).length === MANY &&
    ORDERS.every(({ id, outpoint }) => held.order(id) && held.ordersAt(outpoint).includes(id))
  )
}

test('a partition that leaves and comes back while its snapshots are read is whole in the end', async () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const reason = new Error('the partition left')
  const one = take(first.signal).catch((error: unknown) => error)
  await until(() => copied() > MANY / 3)
  first.abort(reason)
  const two = take(second.signal).catch((error: unknown) => error)
  await until(() => copied() < MANY / 3)
  second.abort(reason)
  expect([await one, await two]).toEqual([reason, reason])
  await take()
  expect(isWhole()).toBe(true)
})

test('a copy of another log, and what an interrupted restore of one left, is replaced', async () => {
  const interrupted = new AbortController()
  const reason = new Error('the process ended')
  const taking = take(interrupted.signal, 'another log').catch((error: unknown) => error)
  await until(() => copied() > MANY / 3)
  interrupted.abort(reason)
  expect(await taking).toBe(reason)
  expect(snapshots.position(PARTITION)?.logId).toBe('')
  await take()
  expect(snapshots.position(PARTITION)?.logId).toBe('log')
  expect(isWhole()).toBe(true)
  await take(undefined, 'a third log')
  expect(snapshots.position(PARTITION)?.logId).toBe('a third log')
  expect(isWhole()).toBe(true)
})
