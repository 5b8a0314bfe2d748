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
  /**
   * A query's answer in a format of ClickHouse, within limits. In JSON whole numbers of 64 bits and
   * decimals are text.
   */
  answer(
    sql: string,
    params: Record<string, string | number>,
    limits: AnswerLimits,
  ): Promise<Buffer>
  /** Writes a query's answer to a new file, which stays even if it is cut short. */
  write(
    sql: string,
    params: Record<string, string | number>,
    path: string,
    limits: AnswerLimits,
  ): Promise<void>
  /** Appends rows; resolves when the engine has them on disk. */
  insert(table: string, rows: readonly object[]): Promise<void>
  close(): Promise<void>
}

export interface AnswerLimits {
  /** As ClickHouse names it. */
  format: string
  /** The most rows of the answer; beyond them the engine gives up. Absent: any number. */
  rows?: number
  /** The most bytes of the values of the answer; beyond them it gives up too. Absent: any number. */
  bytes?: number
  /** The most memory that the query may take, in bytes. */
  memory: number
  withinMs: number
}

/** As settings of ClickHouse. */
export const settingsOf = ({ rows, bytes, memory, withinMs }: AnswerLimits) => ({
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  // Spreadsheets and pandas read an empty cell as missing; an empty text is in quotes.
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  max_memory_usage: memory,
  max_execution_time: Math.ceil(withinMs / 1_000),
  result_overflow_mode: 'throw' as const,
  ...(rows !== undefined && { max_result_rows: rows }),
  ...(bytes !== undefined && { max_result_bytes: bytes }),
})

/** Limit for a page, or a probe. */
export const PAGE_MS = 10_000
/** Limit for a query that reads a whole table, or for a schema statement. */
export const SCAN_MS = 120_000
