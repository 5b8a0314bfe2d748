import type { ListedFilters } from '../../domain/listing/actionable.ts'
import type { FacetCounts } from '../../domain/listing/facet-counts.ts'
import type { OrderSort } from '../../domain/listing/sorts.ts'
import type { Continuity } from '../../domain/order/continuity.ts'
import type { FreshnessTerms } from '../../domain/order/order-summary.ts'
import type { StoredAnswer } from '../../domain/order/stored-answer.ts'
import type { LifecycleRecord, Outcome, Watermark } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** The orders that pass the filters, sorted, a page of them. */
export interface OrderQuery extends ListedFilters {
  sort: OrderSort
  limit: number
  /** Resume after this position; absent for the first page. */
  after?: SortPosition
}

/** The orders to be counted by each facet (`domain/listing/facet-counts.ts`), at one moment. */
export interface CountQuery {
  filters: ListedFilters
  moment: FreshnessTerms
}

/**
 * An order's position in a sort: the sort's own value (null: unpriced, no token, …) and the id,
 * which breaks ties in every sort.
 */
export interface SortPosition {
  value: string | null
  id: string
}

export interface StoredPage {
  orders: readonly StoredOrder[]
  /** The whole filtered set, when the page was read. */
  total: number
  /** The position of the last order if there are more. */
  next: SortPosition | null
}

/** An order as the views hold it, with the watermark of its partition. */
export interface StoredOrder {
  order: OrderRecord
  partition: number
  freshness: PartitionFreshness | null
  /** It is in the pool, and no partition has seen it: its seq is not one of the log. */
  isUnproved?: true
}

/** The answer of an order as the views hold it, with the watermark of its partition. */
export interface StoredOrderAnswer {
  answer: StoredAnswer
  partition: number
  /** May be a quarter of a second old. */
  freshness: PartitionFreshness | null
}

/** A page of answers; `next` and `total` as in a page of orders. */
export interface StoredAnswerPage extends Omit<StoredPage, 'orders'> {
  answers: readonly (StoredOrderAnswer & { position: SortPosition })[]
}

export interface PartitionFreshness extends Continuity {
  watermark: Watermark
}

/**
 * What a projector writes. Each order changes atomically with its index entries, outcomes never
 * appear before the orders, and a gap refuses the whole batch.
 */
export interface ViewBatch {
  partition: number
  /** The lifecycle offset after the last record folded. */
  nextOffset: number
  records: readonly LifecycleRecord[]
}

/**
 * The order views: folds of the lifecycle log. A change of an order is applied if its seq is the
 * stored one + 1, skipped if it is not higher, and a gap throws `ViewGapError`.
 */
export interface OrderViews {
  apply(batch: ViewBatch): Promise<void>
  applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void>
  /** The lifecycle offset to resume a partition from. */
  position(partition: number): Promise<number>
  order(id: OrderId): Promise<StoredOrder | null>
  /** What `order` is shown as, without the rest of it. */
  answer(id: OrderId): Promise<StoredOrderAnswer | null>
  /** This, `answerPage` and `counts` throw `StorageUnavailableError` unless `listable`. */
  page(query: OrderQuery): Promise<StoredPage>
  /**
   * What the orders of `page` are shown as. It ends early once its answers take more than `mostBytes`
   * together.
   */
  answerPage(query: OrderQuery, mostBytes: number): Promise<StoredAnswerPage>
  counts(query: CountQuery): Promise<FacetCounts>
  /** Kept for an hour. */
  outcome(requestId: string): Promise<StoredOutcome | null>
  /** Resolves when the outcome is there; null when the signal aborts first. */
  waitForOutcome(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null>
  /** False while the index that lists need is being loaded. */
  readonly listable: boolean
  /** Loads it now, and keeps it until `close`; else the first list loads it. */
  keepListable(): void
  /** Every partition's freshness. */
  freshness(): Promise<ReadonlyMap<number, PartitionFreshness>>
  /** Throws when a write would not be durable now (disk full, store unavailable). */
  probe(): Promise<void>
  /** Every order, for the audit: sorted by id. */
  all(): AsyncIterable<OrderRecord>
  close(): Promise<void>
}

/** Views that can be rebuilt from the log while they are read. */
export interface RebuildableViews extends OrderViews {
  /** Begins a rebuild: one that is already in progress is abandoned. */
  beginAgain(): Promise<NextViews>
}

export interface RebuildProgress {
  /** `clear`: leftovers of an earlier rebuild; `fold`: the log; `remove`: the replaced views. */
  step: 'clear' | 'fold' | 'switch' | 'remove'
  /** Log offsets folded, or keys removed. */
  done: number
  /** The end of the log at the start; null if unknown. */
  all: number | null
}

/**
 * Empty views next to the current ones, to be filled from the log and then to replace them.
 * Outcomes are shared by both. Throws `StorageUnavailableError` once another rebuild has begun.
 */
export interface NextViews {
  apply(batch: ViewBatch): Promise<void>
  position(partition: number): Promise<number>
  /** Has readers prepare for them, and resolves when these had the time for it. */
  announce(signal: AbortSignal): Promise<void>
  /**
   * How far a reader may have seen, by partition: the current views, including pending writes to
   * them.
   */
  shown(): Promise<ReadonlyMap<number, number>>
  /** Makes writers of the current views wait, for a few seconds at most. */
  hold(): Promise<void>
  release(): Promise<void>
  /** Replaces the current views, atomically for all readers; false if it has not caught up. */
  takeOver(): Promise<boolean>
  /** Removes all views neither current nor being built; yields the number of keys of each step. */
  removeOthers(): AsyncIterable<number>
  /** Gives up: these views count as others from now on. */
  abandon(): Promise<void>
}

export interface StoredOutcome {
  orderId: OrderId
  outcome: Outcome
}

export class ViewGapError extends Error {
  override name = 'ViewGapError'
  readonly orderId: OrderId
  readonly have: number
  readonly got: number

  constructor(orderId: OrderId, have: number, got: number) {
    super(`order ${orderId}: the view is at seq ${have}, but the log continues with ${got}`)
    this.orderId = orderId
    this.have = have
    this.got = got
  }
}
