import type { AsOf } from '../../domain/statistics/moment.ts'
import type { OrderVersion } from '../../schemas/dispute/order-version.ts'
import type { OrderId } from '../../schemas/scalars.ts'

export interface VersionQuery {
  orderId: OrderId
  limit: number
  /** Resume after the version with this seq. */
  after?: number
  /** Only the version in force then. */
  at?: AsOf
}

export interface VersionRows {
  /** By seq. */
  versions: readonly OrderVersion[]
  /** Seq of the last one; null if there are no more. */
  next: number | null
}

/** Where the lifecycle log has a change. */
export interface ChangePlace {
  seq: number
  partition: number
  offset: number
}

/**
 * The versions that an order had, from the history. Any failure is `HistoryUnavailableError`.
 */
export interface OrderVersions {
  /** A page that would be longer than a mebibyte ends early, but not before its first version. */
  versions(query: VersionQuery): Promise<VersionRows>
  /** The changes of an order that end with the one of seq `upTo`, at most so many, by seq. */
  places(orderId: OrderId, upTo: number, most: number): Promise<readonly ChangePlace[]>
}
