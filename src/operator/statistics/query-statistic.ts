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
  type StatisticValue,
} from '../../ports/views/statistics.ts'
import { timeOfText } from '../../schemas/api/statistics.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { Network } from '../../schemas/scalars.ts'
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
  seller?: string
  at?: string
  interval?: string
}

export interface QueriedStatistic {
  /** Lines of text, or bytes of a file. */
  answer: { lines: string[] } | { bytes: Buffer }
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
  { format: asked, limit: most, ...question }: AskedStatistic,
): Promise<QueriedStatistic> {
  const format = requireOf(QUERY_FORMATS, asked, 'format')
  const limit = requireLimit(most)
  const { from, to, at, interval, ...rest } = question
  const times = {
    ...(from !== undefined && { from: requireTime(from, 'from') }),
    ...(to !== undefined && { to: requireTime(to, 'to') }),
    ...(at !== undefined && { at: requireMoment(at) }),
    ...(interval !== undefined && {
      interval: requireOf<Interval>(INTERVALS, interval, 'interval'),
    }),
  }
  // What is refused anyway is refused before the history is opened.
  requireBound({ ...rest, ...times }, 0)
  return await withStatistics(config, (statistics, now) => {
    const bound = requireBound({ ...rest, ...times }, now)
    return answerOf({ statistics, network: config.BITCOIN_NETWORK }, bound, format, limit)
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
  if (format === 'table') return { answer: { lines: tableOf(rows) }, isWhole }
  const document = { name, ...range, rows, hasMore: !isWhole }
  return { answer: { lines: [JSON.stringify(document)] }, isWhole }
}

function requireOf<T extends string>(choices: readonly T[], value: string, what: string): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined)
    throw new QuestionRefusedError(`${what} must be one of ${choices.join(', ')}`)
  return found
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
      `${what} must be a day or a time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z`,
    )
  return time
}

const requireMoment = (text: string): string =>
  isHeight(text) ? text : requireTime(text, 'at, unless it is the height of a block,')

/** Columns side by side under their names; no rows are `no rows`. */
function tableOf(rows: readonly StatisticRow[]): string[] {
  const [first] = rows
  if (!first) return ['no rows']
  const columns = Object.keys(first).map((name) => {
    const cells = [name, ...rows.map((row) => cellOf(row[name] ?? null))]
    const width = Math.max(...cells.map((cell) => cell.length))
    return cells.map((cell) => cell.padEnd(width))
  })
  return [null, ...rows].map((_, n) =>
    columns
      .map((cells) => cells[n])
      .join('  ')
      .trimEnd(),
  )
}

const cellOf = (value: StatisticValue): string =>
  value === null ? '-' : typeof value === 'object' ? value.map(cellOf).join(' ') : String(value)
