import type { OrderState, Source } from '../schemas/scalars.ts'
import type { UnprovedOrder } from '../schemas/unproved.ts'

/** Where an order stands among those of a list: by the time it was made, then by its id. */
export interface MadeAt {
  createdAt: string
  id: string
}

export interface UnprovedQuery {
  /** One of them at least: the unproved are in no other list (design: Proved and unproved). */
  state?: OrderState
  source?: Source
  newestFirst: boolean
  limit: number
  /** Resume after this place. */
  after?: MadeAt
}

/**
 * Orders that proved nothing yet: shared by all gateways, bounded, forgotten a day after their last
 * import. The oldest make room: those of the same output, then of the same client, then of all. None of
 * them is in the log.
 */
export interface UnprovedPool {
  /** Puts an order, or replaces it. False: it alone is larger than what is kept. */
  put(entry: UnprovedOrder, nowMs: number): Promise<boolean>
  find(id: string, nowMs: number): Promise<UnprovedOrder | null>
  remove(id: string): Promise<void>
  /** In the order of their age, the id ascending among those of one time. */
  list(query: UnprovedQuery, nowMs: number): Promise<UnprovedOrder[]>
  /**
   * Those whose next look is due, the longest waiting first; each is handed to one taker, and due again
   * after `leaseMs` unless it is put or removed before.
   */
  takeDue(nowMs: number, leaseMs: number, limit: number): Promise<UnprovedOrder[]>
  /** News names these transactions: whoever waits for an output of theirs is due now. */
  wake(txids: readonly string[], nowMs: number): Promise<void>
  /** Forgets what is too old, a bounded number a call, and counts what is kept. */
  tidy(nowMs: number): Promise<PoolSize>
}

export interface PoolSize {
  orders: number
  /** As they are stored. */
  bytes: number
}

export interface PoolBounds {
  /** Milliseconds after the last import. */
  keptMs: number
  atOneOutput: number
  ofOneClient: number
  bytesOfOneClient: number
  inAll: number
  bytesInAll: number
  /** Of one order, as it is stored. */
  bytesOfOne: number
}

export const POOL_BOUNDS: PoolBounds = {
  keptMs: 24 * 3_600_000,
  atOneOutput: 16,
  ofOneClient: 1_000,
  bytesOfOneClient: 8 * 2 ** 20,
  inAll: 100_000,
  bytesInAll: 256 * 2 ** 20,
  bytesOfOne: 256 * 2 ** 10,
}
