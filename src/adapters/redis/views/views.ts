import { isListedAt } from '../../../domain/listing/actionable.ts'
import type { FacetCounts } from '../../../domain/listing/facet-counts.ts'
import type { FreshnessTerms } from '../../../domain/order/order-summary.ts'
import type { OnPoint } from '../../../ports/log/crash-points.ts'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { Clock } from '../../../ports/runtime/clock.ts'
import type {
  CountQuery,
  NextViews,
  OrderQuery,
  PartitionFreshness,
  RebuildableViews,
  StoredOrder,
  StoredOrderAnswer,
  StoredOutcome,
  StoredPage,
  ViewBatch,
} from '../../../ports/views/order-views.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { OrderId } from '../../../schemas/scalars.ts'
import { Outcomes } from '../outcomes.ts'
import { ActionableReader, type ActionableTerms } from './actionable-reader.ts'
import { AnswerReads, readFreshness } from './answer-reads.ts'
import { countByBitmaps } from './counts-reader.ts'
import { askDocuments, DOCUMENT_STEP, type Document, readDocument } from './document.ts'
import { type IndexHit, IndexReader } from './index-reader.ts'
import { IndexReads, type SlotsHint } from './index-reads.ts'
import type { Generation, Keyspace } from './keyspace.ts'
import { RedisNextViews } from './next-views.ts'
import { type Filter, filtersOf } from './query-filters.ts'
import { memberOf, positionIn, sortRowOf } from './sort-members.ts'
import { ViewWriter } from './view-writer.ts'

export interface RedisViewsOptions {
  /** Closed by its opener. */
  keyspace: Keyspace
  clock: Clock
  onPoint?: OnPoint
}

interface Read {
  documents: (Document | null)[]
  freshness: ReadonlyMap<number, PartitionFreshness>
}

/** A page is read again when an order of it changed between its index and its document. */
const PAGE_ATTEMPTS = 100

/** The order views in Redis, for any number of processes. */
export class RedisViews implements RebuildableViews {
  readonly #keyspace: Keyspace
  readonly #clock: Clock
  readonly #onPoint: OnPoint
  readonly #writer: ViewWriter
  readonly #answers: AnswerReads
  readonly #outcomes: Outcomes
  readonly #slots: SlotsHint = { slots: 0 }

  /** Resolves even while Redis is unavailable: every call then fails until it is back. */
  static async open(options: RedisViewsOptions): Promise<RedisViews> {
    const now = () => options.clock.now()
    return new RedisViews(options, await Outcomes.open(options.keyspace, now))
  }

  private constructor({ keyspace, clock, onPoint }: RedisViewsOptions, outcomes: Outcomes) {
    this.#keyspace = keyspace
    this.#clock = clock
    this.#onPoint = onPoint ?? (() => {})
    this.#writer = new ViewWriter(keyspace, clock, () => keyspace.current())
    this.#answers = new AnswerReads(keyspace, clock)
    this.#outcomes = outcomes
  }

  async apply(batch: ViewBatch): Promise<void> {
    this.#onPoint('before view')
    await this.#writer.apply(batch)
    this.#onPoint('after view')
  }

  async applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void> {
    await this.#writer.applyFreshness(partition, freshness)
    this.#answers.forgetFreshness()
  }

  async position(partition: number): Promise<number> {
    const [text] = (await this.#keyspace.read((pipeline, prefix) =>
      pipeline.hget(`${prefix}positions`, String(partition)),
    )) as [string | null]
    const position = Number(text ?? 0)
    this.#writer.found(partition, position)
    return position
  }

  async order(id: string): Promise<StoredOrder | null> {
    const { documents, freshness } = readOf(
      await this.#keyspace.read((pipeline, prefix) => askOrders(pipeline, prefix, [id])),
    )
    const document = documents[0]
    return document ? stored(document, freshness) : null
  }

  answer(id: OrderId): Promise<StoredOrderAnswer | null> {
    return this.#answers.read(id)
  }

  async page(query: OrderQuery): Promise<StoredPage> {
    const filters = filtersOf(query)
    for (let attempt = 1; attempt <= PAGE_ATTEMPTS; attempt += 1) {
      const page = await this.#tryPage(await this.#keyspace.current(), query, filters)
      if (page) return page
      await this.#clock.turn()
    }
    throw new StorageUnavailableError('io', 'the views change faster than a page can be read')
  }

  async counts(query: CountQuery): Promise<FacetCounts> {
    for (let attempt = 1; attempt <= PAGE_ATTEMPTS; attempt += 1) {
      const generation = await this.#keyspace.current()
      const terms = await this.#termsOf(query.moment)
      const counts = await countByBitmaps(this.#reads(generation), query, terms)
      if (await this.#keyspace.readOf(generation, () => {})) return counts
      await this.#clock.turn()
    }
    throw new StorageUnavailableError('io', 'the views in Redis are replaced repeatedly')
  }

  outcome(requestId: string): Promise<StoredOutcome | null> {
    return this.#outcomes.get(requestId, this.#clock.now())
  }

  waitForOutcome(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
    return this.#outcomes.wait(requestId, this.#clock.now(), signal)
  }

  async freshness(): Promise<ReadonlyMap<number, PartitionFreshness>> {
    const [fields] = await this.#keyspace.read((pipeline, prefix) =>
      pipeline.hgetall(`${prefix}freshness`),
    )
    return readFreshness(fields as Record<string, string>)
  }

  async probe(): Promise<void> {
    const key = `${this.#keyspace.root}probe`
    await this.#keyspace.run((redis) => redis.set(key, String(this.#clock.now())))
  }

  async *all(): AsyncIterable<OrderRecord> {
    let after = ''
    for (;;) {
      const generation = await this.#keyspace.current()
      const ids = await new IndexReader(this.#reads(generation)).ids(after, DOCUMENT_STEP)
      const read = await this.#read(generation, ids)
      if (!read) continue
      yield* read.documents.flatMap((document) => document?.order ?? [])
      const last = ids.at(-1)
      if (last === undefined) return
      after = last
    }
  }

  beginAgain(): Promise<NextViews> {
    return RedisNextViews.begin(this.#keyspace, this.#clock)
  }

  /** The keyspace is closed by its opener. */
  async close(): Promise<void> {}

  /** Null if an order of the page changed while it was read, or the views were replaced. */
  async #tryPage(
    generation: Generation,
    query: OrderQuery,
    filters: readonly Filter[],
  ): Promise<StoredPage | null> {
    const { sort, limit, after, actionability } = query
    const reads = this.#reads(generation)
    const index = new IndexReader(reads)
    const walk = { sort, after, limit: limit + 1 }
    const matching = await index.matching(filters, walk)
    if (actionability) {
      const split = await (await this.#actionable(reads, actionability)).split(matching.slots)
      matching.slots.keep(split[actionability.is], true)
    }
    const total = matching.slots.count()
    const found = await index.first(matching, total, walk)
    const shown = found.slice(0, limit)
    const read = await this.#read(
      generation,
      shown.map(({ id }) => id),
    )
    if (!read) return null
    const { documents, freshness } = read
    const orders = documents.flatMap((document) => (document ? stored(document, freshness) : []))
    const isAsFound = ({ member }: IndexHit, at: number): boolean => {
      const order = orders[at]
      return (
        order !== undefined && memberOf(sort, order.order) === member && isListedAt(order, query)
      )
    }
    if (!shown.every(isAsFound)) return null
    const last = orders.at(-1)
    const next = found.length > limit && last ? positionIn(sort, sortRowOf(last.order)) : null
    return { orders, total, next }
  }

  async #actionable(reads: IndexReads, moment: FreshnessTerms): Promise<ActionableReader> {
    return new ActionableReader(reads, await this.#termsOf(moment))
  }

  async #termsOf(moment: FreshnessTerms): Promise<ActionableTerms> {
    const freshness = await this.freshness()
    return { moment, freshness, partitions: this.#keyspace.partitions }
  }

  #reads(generation: Generation): IndexReads {
    const prefix = this.#keyspace.prefixOf(generation)
    return new IndexReads(this.#keyspace.connection, prefix, this.#slots)
  }

  async #read(generation: Generation, ids: readonly string[]): Promise<Read | null> {
    const replies = await this.#keyspace.readOf(generation, (pipeline, prefix) =>
      askOrders(pipeline, prefix, ids),
    )
    return replies ? readOf(replies) : null
  }
}

// Freshness is read first: an order is never shown fresher than it is.
function askOrders(...[pipeline, prefix, ids]: Parameters<typeof askDocuments>): void {
  pipeline.hgetall(`${prefix}freshness`)
  askDocuments(pipeline, prefix, ids)
}

function readOf([freshness, ...texts]: unknown[]): Read {
  return {
    documents: (texts as (string | null)[][]).flat().map(readDocument),
    freshness: readFreshness(freshness as Record<string, string>),
  }
}

const stored = (
  { order, partition }: Document,
  freshness: ReadonlyMap<number, PartitionFreshness>,
): StoredOrder => ({ order, partition, freshness: freshness.get(partition) ?? null })
