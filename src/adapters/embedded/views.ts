import type { Database } from 'lmdb'
import { foldOrder, placeOf } from '../../domain/fold-order.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OnPoint } from '../../ports/crash-points.ts'
import {
  type OrderQuery,
  type OrderViews,
  type PartitionFreshness,
  type StoredOrder,
  type StoredOutcome,
  type StoredPage,
  type ViewBatch,
  ViewGap,
} from '../../ports/order-views.ts'
import type { ChangeRecord, LifecycleRecord, OutcomeRecord } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Network } from '../../schemas/scalars.ts'
import type { LmdbStore } from './lmdb-store.ts'
import { OrderIndex } from './order-index.ts'
import { type IndexRow, ROW_VERSION, rowOf } from './order-index-row.ts'
import { OutcomeTables } from './views-outcomes.ts'

export interface ViewsOptions {
  store: LmdbStore
  network: Network
  clock: Clock
  onPoint?: OnPoint
}

interface Document {
  partition: number
  order: OrderRecord
}

/** Entries read in one turn of the event loop: a few milliseconds of work. */
const SCAN = 250
/** A page is read again when a write came between the index and the documents. */
const PAGE_ATTEMPTS = 100

/** The order views in the LMDB environment of DATA_DIR, their query index in memory. */
export class EmbeddedViews implements OrderViews {
  readonly #store: LmdbStore
  readonly #clock: Clock
  readonly #onPoint: OnPoint
  readonly #documents: Database<Document, string>
  readonly #rows: Database<IndexRow, string>
  readonly #positions: Database<number, number>
  readonly #freshnessOf: Database<PartitionFreshness, number>
  readonly #settings: Database<number, string>
  readonly #outcomes: OutcomeTables
  readonly #index: OrderIndex
  readonly #freshness = new Map<number, PartitionFreshness>()

  /** Resolves when the query index stands; the event loop is given up in between. */
  static async open(options: ViewsOptions): Promise<EmbeddedViews> {
    const views = new EmbeddedViews(options)
    await views.#load()
    return views
  }

  private constructor({ store, network, clock, onPoint }: ViewsOptions) {
    this.#store = store
    this.#clock = clock
    this.#onPoint = onPoint ?? (() => {})
    this.#documents = store.documents('view documents')
    this.#rows = store.table('view rows')
    this.#positions = store.table('view positions')
    this.#freshnessOf = store.documents('view freshness')
    this.#settings = store.table('view settings')
    this.#outcomes = new OutcomeTables(store)
    this.#index = new OrderIndex(network)
  }

  async apply({ partition, nextOffset, records }: ViewBatch): Promise<void> {
    this.#onPoint('before view')
    const outcomes = records.filter((record): record is OutcomeRecord => record.kind === 'outcome')
    const rows = await this.#store.writeInTurn(() => {
      const folded = this.#fold(records)
      const rows = folded.map((order): [string, IndexRow] => [order.id, rowOf(order)])
      for (const order of folded) this.#documents.putSync(order.id, { partition, order })
      for (const [id, row] of rows) this.#rows.putSync(id, row)
      this.#outcomes.keep(outcomes, this.#clock.now())
      this.#positions.putSync(partition, Math.max(nextOffset, this.#positions.get(partition) ?? 0))
      return rows
    })
    for (const [id, row] of rows) this.#index.put(id, row)
    this.#outcomes.announce(outcomes)
    this.#onPoint('after view')
  }

  async applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void> {
    await this.#store.write(() => this.#freshnessOf.putSync(partition, freshness))
    this.#freshness.set(partition, freshness)
  }

  async position(partition: number): Promise<number> {
    return this.#positions.get(partition) ?? 0
  }

  async order(id: string): Promise<StoredOrder | null> {
    const document = this.#documents.get(id)
    return document ? this.#stored(document) : null
  }

  async page(query: OrderQuery): Promise<StoredPage> {
    for (let attempt = 1; attempt <= PAGE_ATTEMPTS; attempt += 1) {
      const { found, total, next } = this.#index.page(query)
      const documents = found.flatMap(({ id, seq }) => {
        const document = this.#documents.get(id)
        return document?.order.seq === seq ? document : []
      })
      if (documents.length === found.length) {
        return { orders: documents.map((document) => this.#stored(document)), total, next }
      }
      await this.#clock.turn()
    }
    throw new Error('the view changes faster than a page of it can be read')
  }

  async outcome(requestId: string): Promise<StoredOutcome | null> {
    return this.#outcomes.get(requestId, this.#clock.now())
  }

  waitForOutcome(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
    return this.#outcomes.wait(requestId, this.#clock.now(), signal)
  }

  async freshness(): Promise<ReadonlyMap<number, PartitionFreshness>> {
    return new Map(this.#freshness)
  }

  probe(): Promise<void> {
    return this.#store.probe()
  }

  async *all(): AsyncIterable<OrderRecord> {
    for await (const documents of scan(this.#documents, this.#clock)) {
      for (const [, { order }] of documents) yield order
    }
  }

  /** The environment is closed by whoever opened it. */
  async close(): Promise<void> {}

  /** The orders that the records change, each as of its last change. Throws `ViewGap`. */
  #fold(records: readonly LifecycleRecord[]): OrderRecord[] {
    const folded = new Map<string, OrderRecord>()
    const changes = records.filter((record): record is ChangeRecord => record.kind !== 'outcome')
    for (const change of changes) {
      const { orderId, seq } = change
      const order = folded.get(orderId) ?? this.#documents.get(orderId)?.order ?? null
      const place = placeOf(order, change)
      if (place === 'gap') throw new ViewGap(orderId, order?.seq ?? 0, seq)
      if (place === 'next') folded.set(orderId, foldOrder(order, change))
    }
    return [...folded.values()]
  }

  #stored({ partition, order }: Document): StoredOrder {
    return { order, partition, freshness: this.#freshness.get(partition) ?? null }
  }

  async #load(): Promise<void> {
    for (const { key, value } of this.#freshnessOf.getRange()) this.#freshness.set(key, value)
    if (this.#settings.get('row version') !== ROW_VERSION) await this.#remakeRows()
    for await (const rows of scan(this.#rows, this.#clock)) {
      for (const [id, row] of rows) this.#index.put(id, row)
    }
  }

  async #remakeRows(): Promise<void> {
    for await (const documents of scan(this.#documents, this.#clock)) {
      await this.#store.writeInTurn(() => {
        for (const [id, { order }] of documents) this.#rows.putSync(id, rowOf(order))
      })
    }
    await this.#store.write(() => this.#settings.putSync('row version', ROW_VERSION))
  }
}

/** A table in the order of its keys, some entries a turn of the event loop. */
async function* scan<V>(table: Database<V, string>, clock: Clock): AsyncGenerator<[string, V][]> {
  let after: string | null = null
  for (;;) {
    const range = after === null ? {} : { start: after, exclusiveStart: true }
    const entries: [string, V][] = []
    for (const { key, value } of table.getRange({ ...range, limit: SCAN }))
      entries.push([key, value])
    const last = entries.at(-1)
    if (!last) return
    yield entries
    after = last[0]
    await clock.turn()
  }
}
