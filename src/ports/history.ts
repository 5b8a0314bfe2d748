import type { ChangeRecord } from '../schemas/log.ts'
import type { ActivityEntry } from '../schemas/order.ts'

/** History could not be written or read now: nothing is lost, the rows wait in the log. */
export class HistoryUnavailable extends Error {
  override name = 'HistoryUnavailable'
}

/** This history can not be used as it is configured, or as it is: told at the start, with the cure. */
export class HistoryRefused extends HistoryUnavailable {
  override name = 'HistoryRefused'
}

export interface ActivityQuery {
  /** Of one order: by `seq`. Of all: by time, then by order and `seq`. */
  orderId?: string
  limit: number
  /** Resume after this entry, newest first. */
  after?: ActivityPosition
}

export interface ActivityPosition {
  observedAt: string
  orderId: string
  seq: number
}

export interface ActivityRows {
  entries: readonly ActivityEntry[]
  next: ActivityPosition | null
}

/**
 * The append-only history in ClickHouse's SQL: rows are idempotent by (order id, seq).
 */
export interface History {
  record(changes: readonly Stored[]): Promise<void>
  activity(query: ActivityQuery): Promise<ActivityRows>
  /** The lifecycle offset of a partition up to which every row is there, contiguous for each order. */
  position(partition: number): Promise<number>
  /** Number of rows and highest seq of every order: for the audit. */
  summary(): AsyncIterable<{ orderId: string; rows: number; maxSeq: number }>
  /**
   * Rejects when rows are gone that were there at the last `position` or `record`: a server that
   * lost its last seconds, or was emptied. The next `position` is where to go on.
   */
  verifyKept(): Promise<void>
  probe(): Promise<void>
  close(): Promise<void>
}

/** A change with its place in the lifecycle log. */
export interface Stored {
  partition: number
  offset: number
  change: ChangeRecord
}
