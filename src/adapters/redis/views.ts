import { randomUUID } from 'node:crypto'
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
import { StorageUnavailable } from '../../ports/storage-errors.ts'
import type { ChangeRecord, LifecycleRecord, OutcomeRecord } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Network } from '../../schemas/scalars.ts'
import { answersOf, RedisConnection } from './connection.ts'
import { type Document, readDocument } from './document.ts'
import { changeOfEntries } from './entry-change.ts'
import { RedisRefused } from './errors.ts'
import { type Found, IndexReader } from './index-reader.ts'
import { END, entriesOf, LAYOUT, term } from './order-entries.ts'
import { KEPT_MS, keepingOf, Outcomes } from './outcomes.ts'
import { type Filter, filtersOf, passes } from './query-filters.ts'
import { type Step, ViewScript } from './script.ts'
import { positionIn, sortRowOf } from './sort-members.ts'

export interface RedisViewsOptions {
  /** `redis://…` */
  url: string
  network: Network
  partitions: number
  clock: Clock
  onPoint?: OnPoint
}

/** An order before and after a batch. */
interface Folded {
  before: Document | null
  after: OrderRecord
}

/** Orders of one transaction: some 100 µs of the server's time each. */
const PUTS = 10
/** Documents of one command. */
const STEP = 100
/** A page is read again when an order of it changed between its index and its document. */
const PAGE_ATTEMPTS = 100
/** A fold begins again when another writer was first. */
const WRITE_ATTEMPTS = 10

/** The order views in Redis, for any number of processes. */
export class RedisViews implements OrderViews {
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #partitions: number
  readonly #clock: Clock
  readonly #onPoint: OnPoint
  readonly #script: ViewScript
  readonly #index: IndexReader
  readonly #outcomes: Outcomes
  /** The position that Redis is known to have, by partition: less than it is a loss. */
  readonly #reached = new Map<number, number>()
  /** The highest of them ever: views that are made again are not fresh before they stand there. */
  readonly #highest = new Map<number, number>()
  /** Partitions whose changes were refused for a loss: their log is read from the position again. */
  readonly #lost = new Set<number>()

  /**
   * Throws `RedisRefused`, with the cure, for a Redis that evicts, is too old, or holds views of
   * another layout or partition count; `StorageUnavailable` when there is none.
   */
  static async open(options: RedisViewsOptions): Promise<RedisViews> {
    const connection = await RedisConnection.open(options.url)
    try {
      const prefix = `{market:${options.network}}:`
      await claim(connection, prefix, options.partitions)
      const now = () => options.clock.now()
      const outcomes = await Outcomes.open(connection, prefix, now)
      return new RedisViews(options, connection, prefix, outcomes)
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private constructor(
    { partitions, clock, onPoint }: RedisViewsOptions,
    connection: RedisConnection,
    prefix: string,
    outcomes: Outcomes,
  ) {
    this.#connection = connection
    this.#prefix = prefix
    this.#partitions = partitions
    this.#clock = clock
    this.#onPoint = onPoint ?? (() => {})
    this.#script = new ViewScript(connection, prefix)
    this.#index = new IndexReader(connection, prefix)
    this.#outcomes = outcomes
  }

  async apply(batch: ViewBatch): Promise<void> {
    this.#onPoint('before view')
    for (let attempt = 1; !(await this.#tryApply(batch)); attempt += 1) {
      if (attempt === WRITE_ATTEMPTS) {
        throw new StorageUnavailable('taken-over', 'another process writes the same views')
      }
      await this.#clock.turn()
    }
    this.#onPoint('after view')
  }

  async applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void> {
    const arg = { partition: String(partition), reached: this.#highest.get(partition) ?? 0 }
    const step: Step = ['freshness', arg, JSON.stringify(freshness)]
    const [answer] = await this.#script.run(randomUUID(), [step])
    if (answer !== 'done') throw lost(partition)
  }

  async position(partition: number): Promise<number> {
    const key = `${this.#prefix}positions`
    const text = await this.#connection.run((redis) => redis.hget(key, String(partition)))
    const position = Number(text ?? 0)
    if (this.#lost.delete(partition)) this.#reached.delete(partition)
    this.#reach(partition, position)
    return position
  }

  async order(id: string): Promise<StoredOrder | null> {
    const { documents, freshness } = await this.#read([id])
    const document = documents[0]
    return document ? stored(document, freshness) : null
  }

  async page(query: OrderQuery): Promise<StoredPage> {
    const filters = filtersOf(query)
    for (let attempt = 1; attempt <= PAGE_ATTEMPTS; attempt += 1) {
      const page = await this.#tryPage(query, filters)
      if (page) return page
      await this.#clock.turn()
    }
    throw new StorageUnavailable('io', 'the views change faster than a page of them can be read')
  }

  outcome(requestId: string): Promise<StoredOutcome | null> {
    return this.#outcomes.get(requestId, this.#clock.now())
  }

  waitForOutcome(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
    return this.#outcomes.wait(requestId, this.#clock.now(), signal)
  }

  async freshness(): Promise<ReadonlyMap<number, PartitionFreshness>> {
    const key = `${this.#prefix}freshness`
    return readFreshness(await this.#connection.run((redis) => redis.hgetall(key)))
  }

  async probe(): Promise<void> {
    const key = `${this.#prefix}probe`
    await this.#connection.run((redis) => redis.set(key, String(this.#clock.now())))
  }

  async *all(): AsyncIterable<OrderRecord> {
    let ids: string[] = []
    for await (const entry of this.#index.entries('terms', term('id', ''))) {
      ids.push(entry.split(END)[1] ?? '')
      if (ids.length < STEP) continue
      yield* (await this.#read(ids)).documents.flatMap((document) => document?.order ?? [])
      ids = []
    }
    yield* (await this.#read(ids)).documents.flatMap((document) => document?.order ?? [])
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  /** False when another writer changed an order since it was read: the rest is not written then. */
  async #tryApply({ partition, nextOffset, records }: ViewBatch): Promise<boolean> {
    const folded = await this.#fold(records)
    const now = this.#clock.now()
    const outcomes = records
      .filter((record): record is OutcomeRecord => record.kind === 'outcome')
      .map((record) => keepingOf(record, now))
    let at = 0
    do {
      const some = folded.slice(at, at + PUTS)
      at += PUTS
      // The position and the outcomes come with the last orders: whoever is told reads its own write.
      const end = at >= folded.length ? { nextOffset, outcomes } : { nextOffset: 0, outcomes: [] }
      if (!(await this.#put(partition, some, end))) return false
    } while (at < folded.length)
    this.#reach(partition, nextOffset)
    return true
  }

  #reach(partition: number, position: number): void {
    for (const known of [this.#reached, this.#highest]) {
      known.set(partition, Math.max(position, known.get(partition) ?? 0))
    }
  }

  async #put(
    partition: number,
    folded: readonly Folded[],
    end: { nextOffset: number; outcomes: readonly ReturnType<typeof keepingOf>[] },
  ): Promise<boolean> {
    const named = { partition: String(partition), reached: this.#reached.get(partition) ?? 0 }
    const bases = folded.map(({ before, after }) => [after.id, String(before?.order.seq ?? 0)])
    const meta = { layout: String(LAYOUT), partitions: String(this.#partitions) }
    const [answer] = await this.#script.run(randomUUID(), [
      ['check', { ...named, bases }],
      ...folded.map((one) => putStep(partition, one)),
      ['finish', { ...named, ...end, ...meta, keptMs: String(KEPT_MS) }],
    ])
    if (answer === 'lost') {
      this.#lost.add(partition)
      throw lost(partition)
    }
    return answer === 'open'
  }

  /** The orders that the records change, each as of its last change. Throws `ViewGap`. */
  async #fold(records: readonly LifecycleRecord[]): Promise<Folded[]> {
    const changes = records.filter((record): record is ChangeRecord => record.kind !== 'outcome')
    const ids = [...new Set(changes.map(({ orderId }) => orderId))]
    const { documents } = await this.#read(ids)
    const have = new Map(ids.map((id, at) => [id, documents[at] ?? null]))
    const folded = new Map<string, OrderRecord>()
    for (const change of changes) {
      const { orderId, seq } = change
      const order = folded.get(orderId) ?? have.get(orderId)?.order ?? null
      const place = placeOf(order, change)
      if (place === 'gap') throw new ViewGap(orderId, order?.seq ?? 0, seq)
      if (place === 'next') folded.set(orderId, foldOrder(order, change))
    }
    return [...folded].map(([id, after]) => ({ before: have.get(id) ?? null, after }))
  }

  /** Null when an order of the page changed while it was read. */
  async #tryPage(
    { sort, limit, after }: OrderQuery,
    filters: readonly Filter[],
  ): Promise<StoredPage | null> {
    const matching = await this.#index.matching(filters)
    const total = matching.count()
    const found = await this.#index.first(matching, total, sort, after, limit + 1)
    const shown = found.slice(0, limit)
    const { documents, freshness } = await this.#read(shown.map(({ id }) => id))
    const isAsFound = ({ member }: Found, at: number): boolean => {
      const document = documents[at]
      if (!document) return false
      const entries = entriesOf(document.order)
      return entries.members[sort] === member && filters.every((one) => passes(one, entries))
    }
    if (!shown.every(isAsFound)) return null
    const orders = documents.flatMap((document) => (document ? stored(document, freshness) : []))
    const last = orders.at(-1)
    const next = found.length > limit && last ? positionIn(sort, sortRowOf(last.order)) : null
    return { orders, total, next }
  }

  // Freshness is read first: an order is never shown fresher than it is.
  async #read(ids: readonly string[]): Promise<{
    documents: (Document | null)[]
    freshness: ReadonlyMap<number, PartitionFreshness>
  }> {
    if (ids.length === 0) return { documents: [], freshness: new Map() }
    const replies = await this.#connection.run(async (redis) => {
      const pipeline = redis.pipeline().hgetall(`${this.#prefix}freshness`)
      for (let at = 0; at < ids.length; at += STEP) {
        pipeline.hmget(`${this.#prefix}docs`, ...ids.slice(at, at + STEP))
      }
      return answersOf(await pipeline.exec())
    })
    const [freshness, ...texts] = replies as [Record<string, string>, ...(string | null)[][]]
    return { documents: texts.flat().map(readDocument), freshness: readFreshness(freshness) }
  }
}

/** Takes the keys for this layout and partition count, or finds them so. */
async function claim(connection: RedisConnection, prefix: string, partitions: number) {
  const wanted = { layout: String(LAYOUT), partitions: String(partitions) }
  const key = `${prefix}meta`
  const [, , have] = (await connection.run(async (redis) => {
    const claiming = redis.multi()
    for (const [name, value] of Object.entries(wanted)) claiming.hsetnx(key, name, value)
    return answersOf(await claiming.hgetall(key).exec())
  })) as [number, number, Record<string, string>]
  if (have['layout'] !== wanted.layout) {
    throw new RedisRefused(
      `the views in Redis have layout ${have['layout']} and this release writes ${LAYOUT}: flush this Redis database, the views are made again from the log`,
    )
  }
  if (have['partitions'] !== wanted.partitions) {
    throw new RedisRefused(
      `the views in Redis were made with ${have['partitions']} partitions and ${partitions} are configured: set ORDER_PARTITIONS to ${have['partitions']}, or flush this Redis database`,
    )
  }
}

function putStep(partition: number, { before, after }: Folded): Step {
  const arg = {
    id: after.id,
    seq: String(after.seq),
    partition: String(partition),
    ...changeOfEntries(before ? entriesOf(before.order) : null, entriesOf(after)),
  }
  return ['put', arg, JSON.stringify(after), JSON.stringify(sortRowOf(after))]
}

const stored = (
  { order, partition }: Document,
  freshness: ReadonlyMap<number, PartitionFreshness>,
): StoredOrder => ({ order, partition, freshness: freshness.get(partition) ?? null })

const readFreshness = (fields: Record<string, string>): Map<number, PartitionFreshness> =>
  new Map(
    Object.entries(fields).map(([partition, text]) => [
      Number(partition),
      JSON.parse(text) as PartitionFreshness,
    ]),
  )

const lost = (partition: number): StorageUnavailable =>
  new StorageUnavailable(
    'io',
    `Redis lost views of partition ${partition}: they are made again from the log`,
  )
