import type { KafkaMessage, RecordMetadata, TopicMessages } from 'kafkajs'
import PQueue from 'p-queue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../../../src/adapters/embedded/log/snapshot-store.ts'
import type { Transactions } from '../../../../src/adapters/kafka/client/transactions.ts'
import { OwnedPartition } from '../../../../src/adapters/kafka/inbox/owned-partition.ts'
import type { WorkerOutput } from '../../../../src/ports/log/event-log.ts'
import { LOG_SCHEMA, TOPICS } from '../../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { dice, orderOf } from '../../../support/orders/order-book.ts'
import { outcomeOf, partitionSnapshotOf } from '../../../support/orders/order-changes.ts'

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

const take = (
  signal = new AbortController().signal,
  logId = 'log',
  transactions: Partial<Transactions> = {},
) =>
  OwnedPartition.take(
    {
      partition: PARTITION,
      logId,
      prefix: '',
      groupId: 'group',
      snapshots,
      transactions: { fence: async () => {}, ...transactions } as unknown as Transactions,
      stored: async function* (topic, _partition, from) {
        if (topic !== TOPICS.snapshots || from >= MANY) return
        yield { messages: MESSAGES, next: MANY, begins: 0, bytes: 0 }
      },
      end: async () => MANY,
      firstOffset: async () => 0,
      groupOffset: async () => 0,
      heads: async () => null,
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

/** Transactions on a broker: each ends with a control record in the partitions that it wrote to. */
class Broker {
  /** The offset of the next lifecycle record. */
  next = 100
  readonly sends: string[][] = []
  readonly positions: unknown[] = []

  readonly transactions: Partial<Transactions> = {
    run: async (work) => {
      const before = this.next
      const result = await work({
        send: async (batch) => {
          this.sends.push(batch.map(({ topic }) => topic))
          return batch.map((sent) => this.#write(sent))
        },
        sendOffset: async () => {},
      })
      if (this.next > before) this.next += 1
      return result
    },
  }

  #write({ topic, messages }: TopicMessages): RecordMetadata {
    for (const { headers } of messages)
      this.positions.push(headers && JSON.parse(String(headers['market-position'])))
    const baseOffset = String(topic === TOPICS.lifecycle ? this.next : MANY)
    if (topic === TOPICS.lifecycle) this.next += messages.length
    return { topicName: topic, partition: PARTITION, errorCode: 0, baseOffset }
  }
}

const ORDER = ORDERS[0]!
const outputOf = (changes: number): WorkerOutput => ({
  lifecycle: Array.from({ length: changes }, (_, n) => outcomeOf(String(n), ORDER.id)),
  snapshots: [
    { schema: LOG_SCHEMA, kind: 'order', order: ORDER },
    partitionSnapshotOf(PARTITION, 1, 0),
  ],
  dead: [],
})

test('the snapshots of a step name the end of its lifecycle, also where that is sent with them', async () => {
  const broker = new Broker()
  const owned = await take(undefined, 'log', broker.transactions)
  const ends: unknown[] = []
  for (const changes of [2, 3, 0, 1]) {
    await owned.commit(outputOf(changes), 7)
    ends.push(snapshots.of(PARTITION).partitionSnapshot()?.lifecycleEnd)
    expect(snapshots.position(PARTITION)?.lifecycleEnd).toBe(ends.at(-1))
  }
  // 100 and 101, a control record; 103 to 105, another; none; 107.
  expect(ends).toEqual([102, 106, 106, 108])
  const both = [TOPICS.lifecycle, TOPICS.snapshots]
  expect(broker.sends).toEqual([...both.map((one) => [one]), both, [TOPICS.snapshots], both])
  expect(broker.positions.filter(Boolean)).toEqual(
    [102, 102, 106, 106, 106, 106, 108, 108].map((lifecycleEnd) => ({ inbox: 7, lifecycleEnd })),
  )
})

test('a step is not committed where its lifecycle ends elsewhere than its snapshots say', async () => {
  const broker = new Broker()
  const owned = await take(undefined, 'log', broker.transactions)
  await owned.commit(outputOf(1), 7)
  broker.next += 1
  await expect(owned.commit(outputOf(1), 8)).rejects.toThrow('ends at 104, not 103')
  expect(owned.inbox).toBe(7)
  expect(snapshots.position(PARTITION)?.inbox).toBe(7)
})
