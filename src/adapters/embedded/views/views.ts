import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'lmdb'
import type { FacetCounts } from '../../../domain/listing/facet-counts.ts'
import type { OnPoint } from '../../../ports/log/crash-points.ts'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type {
  CountQuery,
  NextViews,
  OrderQuery,
  PartitionFreshness,
  RebuildableViews,
  StoredAnswerPage,
  StoredOrder,
  StoredOrderAnswer,
  StoredOutcome,
  StoredPage,
  ViewBatch,
} from '../../../ports/views/order-views.ts'
import { packRow, unpackRow } from '../../../query-index/packed-row.ts'
import { type IndexPage, QueryIndex } from '../../../query-index/query-index.ts'
import { rowOf } from '../../../query-index/row.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { mapYielding } from '../../../runtime/time-slice.ts'
import type { OutcomeRecord } from '../../../schemas/log.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { Network } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { EmbeddedNextViews } from './next-views.ts'
import { OrderAnswers } from './order-answers.ts'
import { SavedIndex } from './saved-index.ts'
import { type ViewDocument, ViewTables } from './view-tables.ts'
import { OutcomeTables } from './views-outcomes.ts'

export interface ViewsOptions {
  store: LmdbStore
  network: Network
  clock: Clock
  onPoint?: OnPoint
}

/** What readers see, or will see once it is rebuilt. */
interface Shown {
  tables: ViewTables
  index: QueryIndex
  answers: OrderAnswers
}

type FoundOrder = IndexPage['found'][number]

/** Entries read in one turn of the event loop: a few milliseconds of work. */
const SCAN = 250
/** How long a page is read again when a write came between the index and the documents, milliseconds. */
const PAGE_LATE_MS = 5_000
/** How long an order waits for the index, milliseconds: a batch that failed may never reach it. */
const INDEX_LATE_MS = 1_000

/** The order views in the LMDB environment of DATA_DIR, their query index in memory. */
export class EmbeddedViews implements RebuildableViews {
  readonly #store: LmdbStore
  readonly #clock: Clock
  readonly #onPoint: OnPoint
  readonly #network: Network
  readonly #outcomes: OutcomeTables
  readonly #saved: SavedIndex
  #shown: Shown
  /** The latest rebuild. */
  #next: Shown | null = null
  /** Batches in flight, and those that failed: rows and index may differ. */
  #applying = 0
  #isClosed = false
  readonly #freshness = new Map<number, PartitionFreshness>()

  /** Resolves when the query index is built; the event loop runs in between. */
  static async open(options: ViewsOptions): Promise<EmbeddedViews> {
    const views = options.store.opening(() => new EmbeddedViews(options))
    await views.#load()
    return views
  }

  private constructor({ store, network, clock, onPoint }: ViewsOptions) {
    this.#store = store
    this.#clock = clock
    this.#onPoint = onPoint ?? (() => {})
    this.#network = network
    this.#shown = this.#emptyIndexOf(ViewTables.ofReaders(store))
    this.#saved = new SavedIndex(store, network)
    this.#outcomes = new OutcomeTables(store)
  }

  async apply(batch: ViewBatch): Promise<void> {
    if (this.#isClosed) throw new StorageUnavailableError('closed', 'the views are closed')
    this.#applying += 1
    await this.#apply(batch)
    this.#applying -= 1
  }

  async #apply(batch: ViewBatch): Promise<void> {
    this.#onPoint('before view')
    const outcomes = batch.records.filter(
      (record): record is OutcomeRecord => record.kind === 'outcome',
    )
    const [index, rows] = await this.#store.writeGrouped(() => {
      // A rebuild may replace these before the write is on disk.
      const { tables, index } = this.#shown
      const rows = tables.put(batch)
      this.#outcomes.keep(outcomes, this.#clock.now())
      return [index, rows] as const
    }, batch.records.length)
    for (const [id, row] of rows) index.put(id, row)
    this.#outcomes.announce(outcomes)
    this.#onPoint('after view')
  }

  async applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void> {
    if (saysMore(freshness, this.#shown.tables.freshness.get(partition))) {
      const put = () => this.#shown.tables.freshness.putSync(partition, freshness)
      await this.#store.writeGrouped(put, 1)
    }
    this.#freshness.set(partition, freshness)
  }

  async position(partition: number): Promise<number> {
    return this.#shown.tables.positions.get(partition) ?? 0
  }

  /** Waits for the index: a list that is read afterwards has the order as it is here, or newer. */
  async order(id: string): Promise<StoredOrder | null> {
    const until = this.#clock.monotonic() + INDEX_LATE_MS
    for (;;) {
      const { tables, index } = this.#shown
      const document = tables.documents.get(id)
      if (!document) return null
      const isIndexed = this.#applying === 0 || document.order.seq <= (index.seqOf(id) ?? 0)
      if (isIndexed || this.#clock.monotonic() > until)
        return { ...document, freshness: this.#freshnessOf(document) }
      await this.#clock.turn()
    }
  }

  async answer(id: string): Promise<StoredOrderAnswer | null> {
    const { index, answers } = this.#shown
    const known = answers.of(id, index.seqOf(id))
    return known && { ...known.document, freshness: this.#freshnessOf(known.document) }
  }

  async page(query: OrderQuery): Promise<StoredPage> {
    const { read, ...rest } = await this.#asFound(query, ({ tables }, { position, seq }) => {
      const document = tables.documents.get(position.id)
      return document?.order.seq === seq ? document : null
    })
    return { orders: read, ...rest }
  }

  async answerPage(query: OrderQuery, mostBytes: number): Promise<StoredAnswerPage> {
    const answerAt = ({ answers }: Shown, { position, seq }: FoundOrder) => {
      const known = answers.of(position.id, seq)
      return known?.asOf === seq ? { ...known.document, position } : null
    }
    const { read, ...rest } = await this.#asFound(query, answerAt, () => {
      let bytes = 0
      return ({ answer }) => {
        const fits = bytes <= mostBytes
        for (const piece of answer.pieces) bytes += piece.length
        return fits
      }
    })
    return { answers: read, ...rest }
  }

  /** Reads what is found, up to what has no room; all again when a write came in between. */
  async #asFound<Read extends { partition: number }>(
    query: OrderQuery,
    readOne: (shown: Shown, one: FoundOrder) => Read | null,
    roomOf: () => (one: Read) => boolean = () => () => true,
  ) {
    const until = this.#clock.monotonic() + PAGE_LATE_MS
    for (;;) {
      const shown = this.#shown
      // The freshness when the orders are found: no order is shown fresher than it is.
      const freshness = new Map(this.#freshness)
      const { found, total, next } = shown.index.page(query, freshness)
      const hasRoom = roomOf()
      const tried = await mapYielding(
        this.#clock,
        found,
        (one) => readOne(shown, one),
        (one) => one === null || hasRoom(one),
      )
      const read = tried
        .filter((one) => one !== null)
        .map((one) => ({ ...one, freshness: freshness.get(one.partition) ?? null }))
      const end = tried.length < found.length ? (found[tried.length - 1]?.position ?? null) : next
      if (read.length === tried.length) return { read, total, next: end }
      if (this.#clock.monotonic() > until)
        throw new StorageUnavailableError(
          'io',
          'the views change faster than a page of them is read',
        )
      await this.#clock.turn()
    }
  }

  async counts(query: CountQuery): Promise<FacetCounts> {
    return this.#shown.index.counts(query, this.#freshness)
  }

  async outcome(requestId: string): Promise<StoredOutcome | null> {
    return this.#outcomes.get(requestId, this.#clock.now())
  }

  waitForOutcome(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
    return this.#outcomes.wait(requestId, this.#clock.now(), signal)
  }

  // `open` loads the index.
  readonly listable = true
  keepListable(): void {}

  async freshness(): Promise<ReadonlyMap<number, PartitionFreshness>> {
    return new Map(this.#freshness)
  }

  probe(): Promise<void> {
    return this.#store.probe()
  }

  async *all(): AsyncIterable<OrderRecord> {
    for await (const documents of scan(this.#shown.tables.documents, this.#clock)) {
      for (const [, { order }] of documents) yield order
    }
  }

  async beginAgain(): Promise<NextViews> {
    const next = this.#emptyIndexOf(this.#shown.tables.other)
    this.#next = next
    return new EmbeddedNextViews({
      store: this.#store,
      tables: next.tables,
      index: next.index,
      read: () => this.#shown.tables,
      swap: () => {
        const before = this.#shown
        this.#shown = next
        return () => {
          this.#shown = before
        }
      },
      isLatest: () => this.#next === next,
    })
  }

  /** Keeps the query index for the next start. The environment is closed by its opener. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#applying === 0) await this.#saved.keep(this.#shown.index, this.#shown.tables)
  }

  #emptyIndexOf(tables: ViewTables): Shown {
    return { tables, index: new QueryIndex(this.#network), answers: new OrderAnswers(tables) }
  }

  #freshnessOf({ partition }: Pick<ViewDocument, 'partition'>): PartitionFreshness | null {
    return this.#freshness.get(partition) ?? null
  }

  async #load(): Promise<void> {
    const { tables, index } = this.#shown
    for (const { key, value } of tables.freshness.getRange()) this.#freshness.set(key, value)
    if (!tables.hasRowsOfThisRelease) await this.#remakeRows(tables)
    else if (await this.#saved.take(index, tables)) return
    for await (const rows of scan(tables.rows, this.#clock)) {
      for (const [id, row] of rows) index.fill(id, unpackRow(row))
    }
    for (const _sort of index.sortFilled()) await this.#clock.turn()
  }

  async #remakeRows(tables: ViewTables): Promise<void> {
    for await (const documents of scan(tables.documents, this.#clock)) {
      await this.#store.writeGrouped(() => {
        for (const [id, { order, partition }] of documents)
          tables.rows.putSync(id, packRow(rowOf(order, partition)))
      })
    }
    await this.#store.write(() => tables.noteRowsOfThisRelease())
  }
}

/** A table in key order, some entries per turn of the event loop. */
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

/** Milliseconds that the freshness on disk may lag while only time has passed. */
const KEPT_BEHIND_MS = 60_000

/**
 * The projector publishes the latest freshness at every start: an update that only advances time
 * and the mempool sequence need not be on disk.
 */
function saysMore(next: PartitionFreshness, kept: PartitionFreshness | undefined): boolean {
  if (!kept) return true
  const age = Date.parse(next.watermark.at) - Date.parse(kept.watermark.at)
  return age >= KEPT_BEHIND_MS || !isDeepStrictEqual(timeless(next), timeless(kept))
}

function timeless({ watermark, ...continuity }: PartitionFreshness) {
  const { n: _n, at: _at, mempoolSequence: _sequence, ...rest } = watermark
  return { rest, continuity }
}
