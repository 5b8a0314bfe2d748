import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { ViewTables } from '../../../src/adapters/embedded/views/view-tables.ts'
import { Keyspace } from '../../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../../src/adapters/redis/views/views.ts'
import { capabilityOf } from '../../../src/domain/catalog/catalog.ts'
import { toSummary } from '../../../src/domain/order/order-summary.ts'
import type { PartitionFreshness } from '../../../src/ports/views/order-views.ts'
import { packRow } from '../../../src/query-index/packed-row.ts'
import { rowOf } from '../../../src/query-index/row.ts'
import { LOG_SCHEMA } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { toBlockHash } from '../../../test/support/ids.ts'
import { dice, orderOf } from '../../../test/support/orders/order-book.ts'
import { changeBetween } from '../../../test/support/orders/order-changes.ts'
import { systemClock as clock } from '../../../test/support/system-clock.ts'

// Orders written into the views that a bench's gateway reads, in any number of batches.

/** As configured for a bench's gateway (ORDER_PARTITIONS). */
const PARTITIONS = 16

const BATCH = 1_600

/** The same orders on each call, in batches. */
export function* orderBatches(count: number, size = BATCH): Generator<OrderRecord[]> {
  const roll = dice(1)
  for (let from = 0; from < count; from += size)
    yield Array.from({ length: Math.min(size, count - from) }, (_, at) => orderOf(roll, from + at))
}

/** Has it an asset, a seller and a price? */
export const isWhole = ({
  state,
  assets,
  sellerScriptHex,
  quotedPriceSats,
  outpoint,
}: OrderRecord) =>
  state === 'LIVE' &&
  sellerScriptHex !== undefined &&
  quotedPriceSats !== undefined &&
  assets.some((asset) => outpoint === `${asset.outpoint.txid}:${asset.outpoint.vout}`)

/** A store of orders that is being filled. */
export interface Book {
  put(orders: readonly OrderRecord[]): Promise<void>
  /** All have been added. */
  close(): Promise<void>
}

export class RedisBook implements Book {
  readonly #keyspace: Keyspace
  readonly #views: RedisViews
  readonly #offsets = Array.from({ length: PARTITIONS }, () => 0)

  static async open(url: string): Promise<RedisBook> {
    const keyspace = await Keyspace.open({ url, network: 'regtest', partitions: PARTITIONS })
    return new RedisBook(keyspace, await RedisViews.open({ keyspace, clock }))
  }

  private constructor(keyspace: Keyspace, views: RedisViews) {
    this.#keyspace = keyspace
    this.#views = views
  }

  /** In turn over their partitions; the server works on one while the next is made. */
  async put(orders: readonly OrderRecord[]): Promise<void> {
    const applied = this.#offsets.map((offset, partition) => {
      const records = orders
        .filter((_, at) => at % PARTITIONS === partition)
        .map((order) => changeBetween(null, order))
      const nextOffset = offset + records.length
      this.#offsets[partition] = nextOffset
      return this.#views.apply({ partition, nextOffset, records })
    })
    await Promise.all(applied)
  }

  async close(): Promise<void> {
    for (const partition of this.#offsets.keys())
      await this.#views.applyFreshness(partition, freshness())
    this.#keyspace.close()
  }
}

export class EmbeddedBook implements Book {
  readonly #store: LmdbStore
  readonly #tables: ViewTables

  /** In an empty folder: `store` of a DATA_DIR. */
  static async open(directory: string): Promise<EmbeddedBook> {
    return new EmbeddedBook(await LmdbStore.open(directory))
  }

  private constructor(store: LmdbStore) {
    this.#store = store
    this.#tables = ViewTables.ofReaders(store)
  }

  async put(orders: readonly OrderRecord[]): Promise<void> {
    await this.#store.write(() => {
      for (const [at, order] of orders.entries()) {
        const partition = at % PARTITIONS
        this.#tables.documents.putSync(order.id, { partition, order })
        this.#tables.rows.putSync(order.id, packRow(rowOf(order, partition)))
      }
    })
  }

  async close(): Promise<void> {
    await this.#store.write(() => {
      for (let partition = 0; partition < PARTITIONS; partition += 1)
        this.#tables.freshness.putSync(partition, freshness())
      this.#tables.noteRowsOfThisRelease()
    })
    await this.#store.close()
  }
}

/** The text of an order's answer. */
export function answerOf(order: OrderRecord): string {
  const terms = { now: clock.now(), maxAgeSeconds: 600, capabilityOf }
  const observed = { order, freshness: freshness(), partition: 0 }
  return JSON.stringify(toSummary(observed, terms).summary)
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
      touched: '',
    },
  }
}
