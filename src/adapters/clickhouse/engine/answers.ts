import {
  HistoryLostRowsError,
  HistoryRefusedError,
  HistoryUnavailableError,
} from '../../../ports/views/history.ts'

/** An answer of the HTTP interface, or of another server at its address. */
export interface QueryAnswer {
  status: number
  /** ClickHouse's exception code, if a header names one. */
  code: number | null
  isClickHouse: boolean
  text: string
}

interface AskedQuery {
  user: string
  password?: string
  database: string
}

/** Codes of ClickHouse (src/Common/ErrorCodes.cpp). */
const UNKNOWN_TABLE = 60
const UNKNOWN_DATABASE = 81
const READONLY = 164
const ACCESS_DENIED = 497
const NO_SUCH_USER = [192, 193, 194, 516]

const MAX_CHARACTERS = 400
const EXCEPTION = /^Code: (?<code>\d+)\. (?:DB::)?Exception: (?<words>[\s\S]*)$/
const VERSION = / \(version [^()]*(?:\([^()]*\)[^()]*)*\)\s*$/

/** The port's error for a failed answer; for a wrong setting it names the cure. */
export function failureOf(
  { status, code, text }: QueryAnswer,
  asked: AskedQuery,
): HistoryUnavailableError {
  const found = EXCEPTION.exec(text.trim())?.groups
  const number = code ?? (found ? Number(found['code']) : null)
  if (number === null) return new HistoryUnavailableError(`ClickHouse answered with HTTP ${status}`)
  const words = redacted((found?.['words'] ?? text).replace(VERSION, ''), asked)
  if (NO_SUCH_USER.includes(number)) {
    return new HistoryRefusedError(
      `ClickHouse rejected the user ${asked.user} or its password: set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD (${words})`,
    )
  }
  if (number === READONLY) {
    return new HistoryRefusedError(
      `the ClickHouse user ${asked.user} is read-only: set CLICKHOUSE_USER to a user that may write (readonly = 0), or for reading set readonly = 2 (${words})`,
    )
  }
  if (number === ACCESS_DENIED) {
    return new HistoryRefusedError(
      `the ClickHouse user ${asked.user} lacks a privilege: grant what "market acl clickhouse" prints, or set CLICKHOUSE_DATABASE to a database that user owns (${words})`,
    )
  }
  const message = `ClickHouse answered with code ${number}: ${words}`
  return number === UNKNOWN_TABLE || number === UNKNOWN_DATABASE
    ? new SchemaGoneError(message)
    : new HistoryUnavailableError(message)
}

/** The port's error when no answer came, or none that could be read. */
export function noAnswer(
  error: unknown,
  lateMs: number | null,
  asked: AskedQuery,
): HistoryUnavailableError {
  if (lateMs !== null)
    return new HistoryUnavailableError(`no answer from ClickHouse within ${lateMs} ms`)
  return new HistoryUnavailableError(
    `no answer from ClickHouse: ${redacted(wordsOf(error), asked)}`,
  )
}

// The errors of several addresses of one host come as one error without a message.
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : error.name
  return error.message === '' ? code : error.message
}

/** One line of bounded length without the password. */
function redacted(words: string, { password }: AskedQuery): string {
  const line = words.replace(/\s+/g, ' ').trim()
  const safe = password ? line.replaceAll(password, '…') : line
  return safe.length > MAX_CHARACTERS ? `${safe.slice(0, MAX_CHARACTERS)}…` : safe
}

/** A table or the database was dropped under an open engine: the schema is created again. */
export class SchemaGoneError extends HistoryLostRowsError {
  override name = 'SchemaGoneError'
}
