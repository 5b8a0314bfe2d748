import { Redis } from 'ioredis'
import { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { capabilityOf } from '../../src/domain/catalog/catalog.ts'
import { toSummary } from '../../src/domain/order/order-summary.ts'
import type { PartitionFreshness } from '../../src/ports/views/order-views.ts'
import { LOG_SCHEMA } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { toBlockHash } from '../../test/support/ids.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { changeBetween } from '../../test/support/orders/order-changes.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'

const PARTITIONS = 16
const BATCH = 100

/** The book in the views, and each answer's bytes for the peer; returns the ids. */
export async function fillOrders(url: string, orders: number): Promise<string[]> {
  const keyspace = await Keyspace.open({ url, network: 'regtest', partitions: PARTITIONS })
  const views = await RedisViews.open({ keyspace, clock })
  const peer = new Redis(url)
  const ids: string[] = []
  const batches = Array.from({ length: PARTITIONS }, (): OrderRecord[] => [])
  const written = Array.from({ length: PARTITIONS }, () => 0)
  const write = async (partition: number) => {
    const orders = batches[partition]?.splice(0) ?? []
    const nextOffset = (written[partition] ?? 0) + orders.length
    written[partition] = nextOffset
    const records = orders.map((order) => changeBetween(null, order))
    await views.apply({ partition, nextOffset, records })
    const terms = { now: clock.now(), maxAgeSeconds: 600, capabilityOf }
    const answers = orders.map((order) => {
      const observed = { order, freshness: freshness(), partition }
      return [`answer:${order.id}`, JSON.stringify(toSummary(observed, terms).summary)]
    })
    if (answers.length > 0) await peer.mset(...answers.flat())
  }
  const roll = dice(1)
  for (let index = 0; index < orders; index += 1) {
    const order = orderOf(roll, index)
    const partition = ids.push(order.id) % PARTITIONS
    batches[partition]?.push(order)
    if (batches[partition]?.length === BATCH) await write(partition)
  }
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    await write(partition)
    await views.applyFreshness(partition, freshness())
  }
  peer.disconnect()
  keyspace.close()
  return ids
}

function freshness(): PartitionFreshness {
  const hash = toBlockHash('ab'.repeat(32))
  return {
    continuousSince: { epoch: 1_795_000_000, n: 1 },
    watermark: {
      schema: LOG_SCHEMA,
      kind: 'watermark',
      epoch: 1_795_000_000,
      n: 100_000,
      at: new Date(clock.now()).toISOString(),
      covers: true,
      tip: { height: 900_000, hash, medianTime: 1_795_000_000 },
      mempoolSequence: 1_000_000,
      index: { version: 'ord 0.29.1', height: 900_000, hash },
      indexStatus: 'ready',
    },
  }
}
