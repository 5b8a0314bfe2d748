import type { ChangeRecord } from '../../schemas/log.ts'
import type { ActivityEntry } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { UnavailableError } from '../base-errors.ts'

/** History cannot be written or read now: nothing is lost, the rows wait in the log. */
export class HistoryUnavailableError extends UnavailableError {
  override name = 'HistoryUnavailableError'
  readonly part = 'history'
}

/** Rows that the history had acknowledged are gone: they are written again from the log. */
export class HistoryLostRowsError extends HistoryUnavailableError {
  override name = 'HistoryLostRowsError'
}

/** The history is unusable as configured or as found: raised at startup, with the cure. */
export class HistoryRefusedError extends HistoryUnavailableError {
  override name = 'HistoryRefusedError'
}

export interface ActivityQuery {
  /**
   * Entries of one order are sorted by `seq`; entries of all orders by time, then order and `seq`.
   */
  orderId?: OrderId
  limit: number
  /** Resume after this entry, newest first. */
  after?: ActivityPosition
}

export interface ActivityPosition {
  observedAt: string
  orderId: OrderId
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
  record(changes: readonly StoredRows[]): Promise<void>
  activity(query: ActivityQuery): Promise<ActivityRows>
  /** The number of the last recorded change of an order; 0 if there is none. */
  lastSeq(orderId: OrderId): Promise<number>
  /** The lifecycle offset of a partition up to which every row is stored, contiguous per order. */
  position(partition: number): Promise<number>
  /**
   * Where a writer resumes: at its position, below it if that is found without reading the history, or
   * at the first row of a lower form than this release writes, to write it again.
   */
  resumeAt(partition: number): Promise<number>
  /** Number of rows and highest seq of every order: for the audit. */
  summary(): AsyncIterable<{ orderId: OrderId; rows: number; maxSeq: number }>
  /**
   * Rejects if rows that were there at the last `position` or `record` are gone: a server that lost
   * its last seconds, or was emptied. Writing resumes from the next `resumeAt`.
   */
  verifyStored(): Promise<void>
  probe(): Promise<void>
  close(): Promise<void>
}

/** A change with its place in the lifecycle log. */
export interface StoredRows {
  partition: number
  offset: number
  change: ChangeRecord
}
