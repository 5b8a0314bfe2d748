import type { OrderId, OrderState, OutpointText, Source, Txid } from '../../schemas/scalars.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'

/** An order's position in a list: by creation time, then by id. */
export interface MadeAt {
  createdAt: string
  id: string
}

export interface UnprovedQuery {
  /** Unproved orders are in no list but of their state (docs/design/strangers.md#proved-and-unproved). */
  state: OrderState
  source?: Source
  newestFirst: boolean
  limit: number
  /** Resume after this place. */
  after?: MadeAt
}

/**
 * Orders that are not proved yet: shared by all gateways, bounded, and removed a day after their
 * last import. The oldest are dropped for new ones: of the same output, then of the same client,
 * then of all. None of them is in the log.
 */
export interface UnprovedPool {
  /**
   * Adds an order, or replaces what was read of it as `before`. News that came since then is not lost:
   * an order that is due stays due.
   */
  put(entry: UnprovedOrder, before: UnprovedOrder | null, nowMs: number): Promise<PutInPool>
  find(id: OrderId, nowMs: number): Promise<UnprovedOrder | null>
  /** Removes an order. False: it changed since it was read, and stays. */
  remove(entry: UnprovedOrder): Promise<boolean>
  /**
   * The orders that offer an output, `txid:vout`: the last imported first, at most `atOneOutput`.
   */
  atOutput(outpoint: OutpointText, nowMs: number): Promise<UnprovedOrder[]>
  /** Sorted by age; orders of the same time by ascending id. */
  list(query: UnprovedQuery, nowMs: number): Promise<UnprovedOrder[]>
  /** How many orders such lists have together; beyond 1,000 it may be a second old. */
  count(query: Pick<UnprovedQuery, 'state' | 'source'>, nowMs: number): Promise<number>
  /**
   * Orders whose next check is due, longest waiting first; each goes to one taker only, and is due
   * again after `leaseMs` unless put or removed before that.
   */
  takeDue(nowMs: number, leaseMs: number, limit: number): Promise<UnprovedOrder[]>
  /** News names these transactions: orders waiting for one of their outputs are due now. */
  wake(txids: readonly Txid[], nowMs: number): Promise<void>
  /** Removes expired orders, a bounded number per call, and counts the rest. */
  tidy(nowMs: number): Promise<PoolSize>
}

/** `changed`: another import or check was faster, or it left the pool; nothing was written. */
export type PutInPool = 'kept' | 'changed' | 'too large'

export interface PoolSize {
  orders: number
  /** As stored. */
  bytes: number
}

export interface PoolBounds {
  /** Milliseconds after the last import. */
  retentionMs: number
  atOneOutput: number
  ofOneClient: number
  bytesOfOneClient: number
  inAll: number
  bytesInAll: number
  /** Most bytes of one order, as stored. */
  bytesOfOne: number
}

export const POOL_BOUNDS: PoolBounds = {
  retentionMs: 24 * 3_600_000,
  atOneOutput: 16,
  ofOneClient: 1_000,
  bytesOfOneClient: 4 * 2 ** 20,
  inAll: 100_000,
  bytesInAll: 256 * 2 ** 20,
  bytesOfOne: 256 * 2 ** 10,
}
