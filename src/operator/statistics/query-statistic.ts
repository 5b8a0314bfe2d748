import type { z } from 'zod'
import { scriptNamed } from '../../domain/script/script-named.ts'
import { isHeight } from '../../domain/statistics/moment.ts'
import {
  type BoundStatistic,
  boundStatistic,
  INTERVALS,
  type Interval,
} from '../../domain/statistics/statistics.ts'
import { withAddresses } from '../../domain/statistics/with-addresses.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import {
  MAX_STATISTIC_ROWS,
  type StatisticRow,
  type Statistics,
} from '../../ports/views/statistics.ts'
import { timeOfText } from '../../schemas/api/statistics.ts'
import type { Config } from '../../schemas/config/config.ts'
import { InscriptionIdInput, type Network, TxidInput } from '../../schemas/scalars.ts'
import { withStatistics } from './open-statistics.ts'

/** A question that is not answered: it is malformed, or would read too much. */
export class QuestionRefusedError extends OperatorError {
  override name = 'QuestionRefusedError'
}

export const QUERY_FORMATS = ['table', 'csv', 'json', 'parquet'] as const
export type QueryFormat = (typeof QUERY_FORMATS)[number]

/** The arguments of a command line: text, and only those that were given. */
export interface AskedStatistic {
  name: string
  format: string
  limit: string
  from?: string
  to?: string
  protocol?: string
  token?: string
  inscription?: string
  txid?: string
  seller?: string
  at?: string
  interval?: string
  /** Names of the table's columns, comma separated. */
  columns?: string
}

export interface QueriedStatistic {
  /** Rows of a table, lines of text, or bytes of a file. */
  answer: { rows: readonly StatisticRow[] } | { lines: string[] } | { bytes: Buffer }
  /** False: there are more rows than the limit. */
  isWhole: boolean
}

/**
 * Answers a named question from the history.
 *
 * @throws QuestionRefusedError with the bound @throws as `withStatistics`
 */
export async function queryStatistic(
  config: Config,
  { format: asked, limit: most, columns, ...question }: AskedStatistic,
): Promise<QueriedStatistic> {
  const format = requireOf(QUERY_FORMATS, asked, 'format')
  const limit = requireLimit(most)
  if (columns !== undefined && format !== 'table')
    throw new QuestionRefusedError('columns are chosen for --format table: other formats have all')
  const { from, to, at, interval, seller, txid, inscription, ...rest } = question
  const given = {
    ...(seller !== undefined && { seller: requireSeller(seller, config.BITCOIN_NETWORK) }),
    ...(txid !== undefined && { txid: requireId(TxidInput, txid, 'txid') }),
    ...(inscription !== undefined && {
      inscription: requireId(InscriptionIdInput, inscription, 'inscription'),
    }),
    ...(from !== undefined && { from: requireTime(from, 'from') }),
    ...(to !== undefined && { to: requireTime(to, 'to') }),
    ...(at !== undefined && { at: requireMoment(at) }),
    ...(interval !== undefined && {
      interval: requireOf<Interval>(INTERVALS, interval, 'interval'),
    }),
  }
  // What is refused anyway is refused before the history is opened.
  requireBound({ ...rest, ...given }, 0)
  return await withStatistics(config, 'query', async (statistics, now) => {
    const bound = requireBound({ ...rest, ...given }, now)
    const source = { statistics, network: config.BITCOIN_NETWORK }
    const found = await answerOf(source, bound, format, limit)
    return columns === undefined ? found : withColumns(found, columns.split(','))
  })
}

function requireBound(question: Parameters<typeof boundStatistic>[0], now: number): BoundStatistic {
  const bound = boundStatistic(question, now)
  if ('refused' in bound) throw new QuestionRefusedError(bound.refused)
  return bound
}

async function answerOf(
  { statistics, network }: { statistics: Statistics; network: Network },
  question: BoundStatistic,
  format: QueryFormat,
  limit: number,
): Promise<QueriedStatistic> {
  if (format === 'csv' || format === 'parquet') {
    const { bytes, isWhole } = await statistics.file(question, format, limit)
    return { answer: { bytes }, isWhole }
  }
  const { rows: found, next } = await statistics.rows(question, { limit })
  const rows = withAddresses(found, network)
  const isWhole = next === null
  const { name, range } = question
  if (format === 'table') return { answer: { rows }, isWhole }
  const document = { name, ...range, rows, hasMore: !isWhole }
  return { answer: { lines: [JSON.stringify(document)] }, isWhole }
}

function withColumns(found: QueriedStatistic, names: readonly string[]): QueriedStatistic {
  if (!('rows' in found.answer)) return found
  const known = Object.keys(found.answer.rows[0] ?? {})
  const unknown = names.find((name) => known.length > 0 && !known.includes(name))
  if (unknown !== undefined)
    throw new QuestionRefusedError(`there is no column ${unknown}: one of ${known.join(', ')}`)
  const rows = found.answer.rows.map((row) =>
    Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
  )
  return { ...found, answer: { rows } }
}

function requireOf<T extends string>(choices: readonly T[], value: string, what: string): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined)
    throw new QuestionRefusedError(`${what} must be one of ${choices.join(', ')}`)
  return found
}

/** A script as it is, or that of an address, as a table names a seller. */
function requireSeller(text: string, network: Network): string {
  const script = scriptNamed(text, network)
  if (script !== null) return script
  throw new QuestionRefusedError(
    `seller must be a script in lowercase hex or an address of ${network}`,
  )
}

function requireId(form: z.ZodType<string>, text: string, what: string): string {
  const id = form.safeParse(text)
  if (id.success) return id.data
  throw new QuestionRefusedError(`${what}: ${id.error.issues[0]?.message ?? 'not valid'}`)
}

function requireLimit(text: string): number {
  const limit = /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_STATISTIC_ROWS)
    throw new QuestionRefusedError(`limit must be a number from 1 to ${MAX_STATISTIC_ROWS}`)
  return limit
}

function requireTime(text: string, what: string): string {
  const time = timeOfText(text)
  if (time === null)
    throw new QuestionRefusedError(
      `${what} must be a day or a time in UTC from 2000 to 2099, such as 2026-01-31 or 2026-01-31T12:00:00Z`,
    )
  return time
}

const requireMoment = (text: string): string =>
  isHeight(text) ? text : requireTime(text, 'at, unless it is the height of a block,')
