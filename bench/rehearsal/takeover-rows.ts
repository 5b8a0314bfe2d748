import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import { pace } from '../../src/runtime/time-slice.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { Journal } from '../../src/streams/ingest/journal.ts'
import { idleWorker } from '../../test/support/log/idle-worker.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { PARTITIONS, withKafka } from '../market/with-kafka.ts'
import { fillIngestState, openProducer } from './fill-topics.ts'
import type { Row } from './rows.ts'

// A takeover with an empty disk, on a real broker: everything must come from the log.

const NEVER = new AbortController().signal
const APPENDED_AT_ONCE = 500

/** Ingest's state after a rush, none of it compacted: until the next one may write. */
export const ingestTakeover = (isShort: boolean): Promise<Row[]> =>
  withKafka(async (open) => {
    const mempool = isShort ? 30_000 : 300_000
    const updates = isShort ? 100_000 : 1_000_000
    const { log, kafka } = await open('filler')
    const producer = await openProducer(kafka)
    await fillIngestState(producer, `${log.prefix}ingest.state`, { mempool, updates })
    await producer.disconnect()
    const { log: next, store } = await open('next')
    const begun = performance.now()
    const writer = new IngestWriter(next, openIngestCopy(store), systemClock)
    const seconds = await writer.run(NEVER, async (own) => {
      const journal = await Journal.open({ log: own, store: own, clock: systemClock })
      if (journal.mempool.size !== mempool) throw new Error(`${journal.mempool.size} told`)
      return secondsSince(begun)
    })
    return [
      {
        what: 'takeover of ingest with an empty disk',
        figure: Number(seconds),
        unit: 's',
        before: 110,
        most: 20,
      },
    ]
  })

/** A book of LIVE orders for one worker: until its first partition works, and until all do. */
export const actorsTakeover = (isShort: boolean): Promise<Row[]> =>
  withKafka(async (open) => {
    const orders = isShort ? 50_000 : 1_000_000
    const { log } = await open('filler')
    await fillSnapshots(log, orders)
    const { log: next } = await open('next')
    const begun = performance.now()
    const stop = new AbortController()
    const opened: number[] = []
    const openWorker = openOrderWorker({
      ...idleWorker(PARTITIONS),
      pace: pace(systemClock),
    })
    await next.processInbox(async (state) => {
      const worker = await openWorker(state)
      opened.push(secondsSince(begun))
      if (opened.length === PARTITIONS) stop.abort()
      return worker
    }, stop.signal)
    return [
      {
        what: 'actors with an empty disk until the first orders are served',
        figure: opened[0] ?? Infinity,
        unit: 's',
        before: 14.7,
        most: 10,
      },
      {
        what: 'actors with an empty disk until all are served',
        figure: opened.at(-1) ?? Infinity,
        unit: 's',
        before: 22,
        most: 180,
      },
    ]
  })

async function fillSnapshots(log: KafkaLog, orders: number): Promise<void> {
  const roll = dice(1)
  const waiting = new Map<number, NewRecord[]>()
  for (let index = 0; index < orders; index += 1) {
    const order = { ...orderOf(roll, index), state: 'LIVE' as const, pending: null, closedAt: null }
    const partition = partitionOf(order.outpoint, PARTITIONS)
    const records = waiting.get(partition) ?? []
    waiting.set(partition, records)
    const value = { schema: LOG_SCHEMA, kind: 'order', order }
    records.push({ topic: TOPICS.snapshots, partition, key: order.id, value })
    if (records.length < APPENDED_AT_ONCE) continue
    waiting.delete(partition)
    await log.append(records)
  }
  for (const records of waiting.values()) await log.append(records)
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1_000
