/**
 * One database in a ClickHouse engine, in process or behind a server: what differs between the two.
 */
export interface SqlEngine {
  /** How an operator empties it: the log fills it again. */
  readonly howToEmpty: string
  /** A statement without an answer. */
  run(sql: string): Promise<void>
  /**
   * Rows of a query. Values are passed as parameters (`{name:Type}`), never in its text. A server
   * has `withinMs` milliseconds, by default `PAGE_MS`.
   */
  select(
    sql: string,
    params: Record<string, string | number>,
    withinMs?: number,
  ): Promise<unknown[]>
  /** Appends rows; resolves when the engine has them on disk. */
  insert(table: string, rows: readonly object[]): Promise<void>
  close(): Promise<void>
}

/** Limit for a page, or a probe. */
export const PAGE_MS = 10_000
/** Limit for a query that reads a whole table, or for a schema statement. */
export const SCAN_MS = 120_000
