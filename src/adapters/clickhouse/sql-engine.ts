/** A ClickHouse engine, in process or behind a server, with one database: what differs between the two. */
export interface SqlEngine {
  /** What an operator does to have it empty: the log fills it again. */
  readonly howToEmpty: string
  /** A statement without an answer. */
  run(sql: string): Promise<void>
  /**
   * Rows of a query. Values reach it as parameters (`{name:Type}`), never in its text. A server is
   * given `withinMs` milliseconds, `PAGE_MS` where nothing is said.
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

/** A page, or a probe. */
export const PAGE_MS = 10_000
/** A query that reads a whole table, or a statement of the schema. */
export const SCAN_MS = 120_000
