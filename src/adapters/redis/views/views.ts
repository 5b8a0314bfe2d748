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
import type { Clock } from '../../../runtime/clock.ts'
import { mapYielding } from '../../../runtime/time-slice.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { OrderId } from '../../../schemas/scalars.ts'
import { KEY_NAMES } from '../rights/key-names.ts'
import { askDocuments, readAnswer, readDocument, readDocuments } from './document.ts'
import { GatheredReads } from './gathered-reads.ts'
import type { GenerationIndex } from './generation-index.ts'
import type { Keyspace } from './keyspace.ts'
import { RedisNextViews } from './next-views.ts'
import { Outcomes } from './outcomes.ts'
import { PageReader } from './page-reader.ts'
import { type FreshnessOfAll, RecentFreshness, readFreshness } from './recent-freshness.ts'
import { BUCKETS, bucketKey } from './row-buckets.ts'
import { ShownIndex } from './shown-index.ts'
import { ViewWriter } from './view-writer.ts'

export interface RedisViewsOptions {
  /** Closed by its opener. */
  keyspace: Keyspace
  clock: Clock
  onPoint?: OnPoint
}

/** Tries of a page: it is read again if one of its orders changed between index and document. */
const ATTEMPTS = 100

/** The order views in Redis, for any number of processes. */
export class RedisViews implements RebuildableViews {
  readonly #keyspace: Keyspace
  readonly #clock: Clock
  readonly #onPoint: OnPoint
  readonly #writer: ViewWriter
  readonly #orders = new GatheredReads((ids) => this.#readOrders(ids))
  readonly #answers = new GatheredReads((ids) => this.#readAnswers(ids))
  readonly #outcomes: Outcomes
  readonly #recent: RecentFreshness
  readonly #pages: PageReader
  readonly #index: ShownIndex

  /** Resolves even while Redis is unavailable: every call fails until Redis is back. */
  static async open(options: RedisViewsOptions): Promise<RedisViews> {
    const now = () => options.clock.now()
    return new RedisViews(options, await Outcomes.open(options.keyspace, now))
  }

  private constructor({ keyspace, clock, onPoint }: RedisViewsOptions, outcomes: Outcomes) {
    this.#keyspace = keyspace
    this.#clock = clock
    this.#onPoint = onPoint ?? (() => {})
    this.#writer = new ViewWriter(keyspace, clock, () => keyspace.current())
    this.#recent = new RecentFreshness(clock)
    this.#pages = new PageReader({ keyspace, clock, recent: this.#recent })
    this.#index = new ShownIndex({ keyspace, clock })
    this.#outcomes = outcomes
  }

  async apply(batch: ViewBatch): Promise<void> {
    this.#onPoint('before view')
    await this.#writer.apply(batch)
    this.#onPoint('after view')
  }

  async applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void> {
    await this.#writer.applyFreshness(partition, freshness)
    this.#recent.forget()
  }

  async position(partition: number): Promise<number> {
    const [text] = (await this.#keyspace.read((pipeline, prefix) =>
      pipeline.hget(`${prefix}positions`, String(partition)),
    )) as [string | null]
    const position = Number(text ?? 0)
    this.#writer.found(partition, position)
    return position
  }

  order(id: OrderId): Promise<StoredOrder | null> {
    return this.#orders.read(id)
  }

  answer(id: OrderId): Promise<StoredOrderAnswer | null> {
    return this.#answers.read(id)
  }

  page(query: OrderQuery): Promise<StoredPage> {
    return this.#again((followed) => this.#pages.page(followed, query))
  }

  answerPage(query: OrderQuery, mostBytes: number): Promise<StoredAnswerPage> {
    return this.#again((followed) => this.#pages.answers(followed, query, mostBytes))
  }

  counts(query: CountQuery): Promise<FacetCounts> {
    return this.#again((followed) => this.#pages.counts(followed, query))
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
    const key = this.#keyspace.root + KEY_NAMES.probe
    await this.#keyspace.run((redis) => redis.set(key, String(this.#clock.now())))
  }

  async *all(): AsyncIterable<OrderRecord> {
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) yield* await this.#bucket(bucket)
  }

  async #bucket(bucket: number): Promise<OrderRecord[]> {
    for (;;) {
      const generation = await this.#keyspace.current()
      const replies = await this.#keyspace.readOf(generation, (pipeline, prefix) =>
        pipeline.hkeysBuffer(prefix + bucketKey(bucket)),
      )
      const ids = ((replies?.[0] ?? []) as Buffer[]).map((id) => id.toString('hex')).sort()
      const documents = replies && (await readDocuments(this.#keyspace, generation, ids))
      if (documents) return documents.flatMap((document) => document?.order ?? [])
    }
  }

  beginAgain(): Promise<NextViews> {
    return RedisNextViews.begin(this.#keyspace, this.#clock)
  }

  get listable(): boolean {
    return this.#index.isFilled
  }

  keepListable(): void {
    this.#index.keep()
  }

  /** The keyspace is closed by its opener. */
  async close(): Promise<void> {
    this.#index.close()
  }

  /** Reads until the views neither changed nor were replaced meanwhile. */
  async #again<T>(read: (followed: GenerationIndex) => Promise<T | null>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const found = await read(this.#index.of(await this.#keyspace.current()))
      if (found) return found
      await this.#clock.turn()
    }
    throw new StorageUnavailableError('io', 'the views change faster than they can be read')
  }

  async #readOrders(ids: readonly string[]): Promise<(StoredOrder | null)[]> {
    const [fields, ...texts] = await this.#keyspace.read((pipeline, prefix) => {
      // Freshness is read first: an order is never shown fresher than it is.
      pipeline.hgetall(`${prefix}freshness`)
      askDocuments(pipeline, prefix, ids)
    })
    const freshness = readFreshness(fields as Record<string, string>)
    return await mapYielding(this.#clock, (texts as (Buffer | null)[][]).flat(), (text) => {
      const document = readDocument(text)
      return document && withFreshness(document, freshness)
    })
  }

  async #readAnswers(ids: readonly string[]): Promise<(StoredOrderAnswer | null)[]> {
    const now = this.#recent.now()
    let known: FreshnessOfAll | null = null
    let asked = ''
    const replies = await this.#keyspace.read((pipeline, prefix) => {
      asked = prefix
      known = this.#recent.of(prefix)
      // First, as for orders.
      if (!known) pipeline.hgetall(`${prefix}freshness`)
      askDocuments(pipeline, prefix, ids)
    })
    const freshness = known ?? this.#recent.keep(asked, now, replies.shift())
    return (replies as (Buffer | null)[][]).flat().map((text) => {
      const answer = readAnswer(text)
      return answer && withFreshness(answer, freshness)
    })
  }
}

const withFreshness = <Read extends { partition: number }>(
  read: Read,
  freshness: ReadonlyMap<number, PartitionFreshness>,
) => ({ ...read, freshness: freshness.get(read.partition) ?? null })
