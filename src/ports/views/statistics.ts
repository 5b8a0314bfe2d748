import type { BoundStatistic } from '../../domain/statistics/statistics.ts'

/** Most rows of one answer. */
export const MAX_STATISTIC_ROWS = 10_000

/** Formats of files, as their names end. */
export const FILE_FORMATS = ['csv', 'parquet'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export interface StatisticPage {
  /** Resume after the row with this key. */
  after?: readonly string[]
  /** At most `MAX_STATISTIC_ROWS`. */
  limit: number
}

export type StatisticValue = string | number | boolean | null | readonly StatisticValue[]
/** By column, as the view names them: amounts and other whole numbers of 64 bits are decimal text. */
export type StatisticRow = Readonly<Record<string, StatisticValue>>

export interface StatisticRows {
  rows: readonly StatisticRow[]
  /** Key of the last row; null if there are no more. */
  next: readonly string[] | null
}

/** A change by which a history is known: its place in the log, and its hash. */
export interface HistoryOrigin {
  partition: number
  offset: number
  hash: string
}

/**
 * Statistics of the market, each bounded in rows, time and memory: beyond them the engine gives up.
 * Any failure is `HistoryUnavailableError`.
 */
export interface Statistics {
  rows(question: BoundStatistic, page: StatisticPage): Promise<StatisticRows>
  /** The rows as a file; `isWhole`: it has all rows. */
  file(
    question: BoundStatistic,
    format: FileFormat,
    limit: number,
  ): Promise<{ bytes: Buffer; isWhole: boolean }>
  /** The change that is now at the place of a known one, else the first of all; null: there is none. */
  origin(known: HistoryOrigin | null): Promise<HistoryOrigin | null>
  /**
   * How many rows a view of the log has for each day in UTC. Fails while some of them are to be written
   * again, for columns that they lack.
   */
  days(view: ExportedView): Promise<ReadonlyMap<string, number>>
  /** Writes the rows of one day to a new Parquet file, in the order of the view's key. */
  exportDay(view: ExportedView, day: string, path: string): Promise<void>
}

/** Views that are exported by day: their rows never change. */
export const EXPORTED_VIEWS = [
  'order_transitions',
  'order_evidence',
  'verifications',
  'settlements',
] as const
export type ExportedView = (typeof EXPORTED_VIEWS)[number]
