/** A ClickHouse engine, in process or behind a server: what differs between the two. */
export interface SqlEngine {
  /** A statement without an answer. */
  run(sql: string): Promise<void>
  /** Rows of a query. Values reach it as parameters (`{name:Type}`), never in its text. */
  select(sql: string, params: Record<string, string | number>): Promise<unknown[]>
  /** Appends rows; resolves when the engine has them on disk. */
  insert(table: string, rows: readonly object[]): Promise<void>
  close(): Promise<void>
}
