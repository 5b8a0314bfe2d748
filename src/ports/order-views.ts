import type { WatermarkRef } from '../schemas/evidence.ts'
import type { LifecycleRecord, Outcome, Watermark } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type {
  OrderClass,
  OrderSide,
  OrderState,
  Safety,
  SignatureStatus,
  Source,
} from '../schemas/scalars.ts'

export const ORDER_SORTS = [
  'newest',
  'oldest',
  'price_asc',
  'price_desc',
  'token_asc',
  'protocol_asc',
  'validation_newest',
] as const
export type OrderSort = (typeof ORDER_SORTS)[number]

/** Filters combine with AND; each is exact unless it says otherwise (design: listing semantics). */
export interface OrderQuery {
  /** Catalog ids, aliases and groups already expanded; empty: none matches. */
  protocols?: readonly string[]
  /** Case-insensitive. */
  token?: string
  source?: Source
  state?: OrderState
  safety?: Safety
  orderClass?: OrderClass
  signature?: SignatureStatus
  side?: OrderSide
  sellerScriptHex?: string
  assetInscriptionId?: string
  assetOutpoint?: string
  /** Case-insensitive prefix of id, inscription id or number, txid, seller address, protocol, or a token's word. */
  search?: string
  includeWithdrawn: boolean
  sort: OrderSort
  limit: number
  /** Resume after this position; absent for the first page. */
  after?: SortPosition
}

/** Who asks for them by their state has asked for them. */
export const showsWithdrawn = ({ includeWithdrawn, state }: OrderQuery): boolean =>
  includeWithdrawn || state === 'WITHDRAWN'

/** What was refused is no use to a buyer: it is listed for who asks by its state, by a source, or for all. */
export const showsRejected = ({ includeWithdrawn, state, source }: OrderQuery): boolean =>
  includeWithdrawn || state === 'REJECTED' || source !== undefined

/** Where an order stands in a sort: the sort's own value (null: unpriced, no token, …) and the id that ends every sort. */
export interface SortPosition {
  value: string | null
  id: string
}

export interface StoredPage {
  orders: readonly StoredOrder[]
  /** The whole filtered set; may be 5 s old. */
  total: number
  /** The position of the last order when there is more. */
  next: SortPosition | null
}

/** An order as the views hold it, with the watermark of its partition. */
export interface StoredOrder {
  order: OrderRecord
  partition: number
  freshness: PartitionFreshness | null
}

export interface PartitionFreshness {
  watermark: Watermark
  continuousSince: WatermarkRef
}

/**
 * What a projector hands over. Each order changes at once with all that it is found by, outcomes
 * are not there before the orders, and a gap refuses the whole batch.
 */
export interface ViewBatch {
  partition: number
  /** The lifecycle offset after the last record folded. */
  nextOffset: number
  records: readonly LifecycleRecord[]
}

/**
 * The order views: folds of the lifecycle log. A change of an order is applied when its seq is the
 * stored one + 1, is skipped when it is not above, and a gap throws `ViewGap`.
 */
export interface OrderViews {
  apply(batch: ViewBatch): Promise<void>
  applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void>
  /** The lifecycle offset to resume a partition from. */
  position(partition: number): Promise<number>
  order(id: string): Promise<StoredOrder | null>
  page(query: OrderQuery): Promise<StoredPage>
  /** Kept for an hour. */
  outcome(requestId: string): Promise<StoredOutcome | null>
  /** Resolves when the outcome is there; null when the signal aborts first. */
  waitForOutcome(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null>
  /** Every partition's freshness. */
  freshness(): Promise<ReadonlyMap<number, PartitionFreshness>>
  /** Throws when a write would not be durable now (disk full, store away). */
  probe(): Promise<void>
  /** Everything, for the audit: in the order of the id. */
  all(): AsyncIterable<OrderRecord>
  close(): Promise<void>
}

/** Views that can be made again from the log while they are read. */
export interface RebuildableViews extends OrderViews {
  /** Begins anew: what another one began is given up. */
  beginAgain(): Promise<NextViews>
}

/**
 * Empty views beside those that are read, to be filled from the log and then to take their place.
 * Outcomes are kept beside both. Throws `StorageUnavailable` once another rebuild has begun.
 */
export interface NextViews {
  apply(batch: ViewBatch): Promise<void>
  position(partition: number): Promise<number>
  /** How far a reader may have seen, by partition: the views that are read, and what is written to them. */
  shown(): Promise<ReadonlyMap<number, number>>
  /** Has those who write the views that are read wait, for a few seconds at most. */
  hold(): Promise<void>
  release(): Promise<void>
  /** Takes the place of the views that are read, at once for all; false when it is not as far. */
  takeOver(): Promise<boolean>
  /** Removes all views that are neither read nor being made, in steps; how many keys, a step each. */
  removeOthers(): AsyncIterable<number>
  /** Gives up: what was made is one of the others from now on. */
  abandon(): Promise<void>
}

export interface StoredOutcome {
  orderId: string
  outcome: Outcome
}

export class ViewGap extends Error {
  override name = 'ViewGap'
  readonly orderId: string
  readonly have: number
  readonly got: number

  constructor(orderId: string, have: number, got: number) {
    super(`order ${orderId}: the view stands at seq ${have}, the log continues with ${got}`)
    this.orderId = orderId
    this.have = have
    this.got = got
  }
}
