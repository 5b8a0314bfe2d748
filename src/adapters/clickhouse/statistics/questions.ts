import { parseMoment } from '../../../domain/statistics/moment.ts'
import type { BoundStatistic, StatisticName } from '../../../domain/statistics/statistics.ts'
import { inForceAt } from './in-force.ts'

type Params = Record<string, string | number>

interface ViewSource {
  /** A view, or a query over one. */
  from: string
  /** Its time: a moment, the day of one, or the beginning of a candle. */
  time?: { column: string; kind: 'moment' | 'day' }
  /** Unique for each row, and never null: rows come in this order. */
  keys: readonly Key[]
  order: 'ASC' | 'DESC'
}

type Key = readonly [expression: string, type: string]

const DAY: Key = ['day', 'Date']
/** Text that may be null, as a key. */
const nullable = (column: string): Key[] => [
  [`isNull(${column})`, 'UInt8'],
  [`ifNull(${column}, '')`, 'String'],
]
const MARKET: Key[] = [...nullable('protocol_id'), ...nullable('token')]

const SOURCES: Record<StatisticName, ViewSource> = {
  market: { from: 'stats_market', keys: MARKET, order: 'ASC' },
  depth: {
    from: 'stats_depth',
    keys: [...MARKET, ['side', 'String'], ['price_sats', 'UInt64']],
    order: 'ASC',
  },
  book: {
    from: 'stats_book',
    keys: [
      ...MARKET,
      ...nullable('side'),
      ['isNull(gross_price_sats)', 'UInt8'],
      ['ifNull(gross_price_sats, 0)', 'UInt64'],
      ['order_id', 'String'],
    ],
    order: 'ASC',
  },
  candles: {
    from: 'stats_candles',
    time: { column: 'start', kind: 'moment' },
    keys: [['start', "DateTime64(3, 'UTC')"], ...MARKET],
    order: 'ASC',
  },
  sales: {
    from: 'stats_sales',
    time: { column: 'sold_at', kind: 'moment' },
    keys: [
      ['sold_at', "DateTime64(3, 'UTC')"],
      ['order_id', 'String'],
      ['txid', 'String'],
    ],
    order: 'DESC',
  },
  inscription: {
    from: `(
      SELECT * FROM stats_inscription WHERE order_id IN (
        SELECT order_id FROM order_transition_rows WHERE has(inscription_ids, {inscription:String})
      )
    )`,
    keys: [
      ['observed_at', "DateTime64(3, 'UTC')"],
      ['order_id', 'String'],
      ['seq', 'UInt64'],
    ],
    order: 'ASC',
  },
  sellers: {
    from: `(
      SELECT
        seller_script_hex,
        sum(listed) AS listed,
        sum(sold) AS sold,
        sum(sold_sats) AS sold_sats,
        sum(withdrawn) AS withdrawn,
        sum(spent_elsewhere) AS spent_elsewhere
      FROM stats_sellers
      WHERE day >= toDate(parseDateTime64BestEffort({from:String}, 3, 'UTC'), 'UTC')
        AND day <= toDate(parseDateTime64BestEffort({last:String}, 3, 'UTC'), 'UTC')
      GROUP BY seller_script_hex
    )`,
    keys: [
      ['sold_sats', 'Decimal(38, 0)'],
      ['seller_script_hex', 'String'],
    ],
    order: 'DESC',
  },
  'time-to-settle': {
    from: 'stats_time_to_settle',
    time: { column: 'day', kind: 'day' },
    keys: [DAY, ...MARKET],
    order: 'ASC',
  },
  conflicts: {
    from: 'stats_conflicts',
    time: { column: 'day', kind: 'day' },
    keys: [DAY, ['kind', 'String']],
    order: 'ASC',
  },
  verdicts: {
    from: 'stats_verdicts',
    time: { column: 'day', kind: 'day' },
    keys: [DAY, ['state', 'String'], ['reason', 'String']],
    order: 'ASC',
  },
  sources: {
    from: 'stats_sources',
    time: { column: 'day', kind: 'day' },
    keys: [DAY, ['source', 'String']],
    order: 'ASC',
  },
}

const FILTERS = {
  protocol: 'protocol_id = {protocol:String}',
  token: 'lowerUTF8(token) = lowerUTF8({token:String})',
  inscription: 'inscription_id = {inscription:String}',
  seller: 'seller_script_hex = {seller:String}',
  interval: 'interval = {interval:String}',
} as const

const moment = (name: string) => `parseDateTime64BestEffort({${name}:String}, 3, 'UTC')`

/** Column of the row's key, where a page requests it. */
export const KEY_COLUMN = '_key'

/** The query of a question, with or without the key of each row. */
export function statisticQuery(
  { name, filters, range }: BoundStatistic,
  { limit, after, withKey }: { limit: number; after?: readonly string[]; withKey: boolean },
): { sql: string; params: Params } {
  const { from, time, keys, order } = SOURCES[name]
  const { at, ...others } = filters
  const inForce = at === undefined ? null : inForceAt(parseMoment(at))
  const conditions: string[] = Object.keys(others).map((filter) =>
    (name === 'sales' || name === 'book') && filter === 'inscription'
      ? 'has(inscription_ids, {inscription:String})'
      : FILTERS[filter as keyof typeof FILTERS],
  )
  if (inForce) conditions.push(inForce.condition)
  if (time?.kind === 'moment')
    conditions.push(`${time.column} >= ${moment('from')}`, `${time.column} < ${moment('to')}`)
  if (time?.kind === 'day')
    conditions.push(
      `${time.column} >= toDate(${moment('from')}, 'UTC')`,
      `${time.column} <= toDate(${moment('last')}, 'UTC')`,
    )
  const params: Params = { ...others, ...inForce?.params, limit }
  if (range) {
    const last = new Date(Date.parse(range.to) - 1).toISOString()
    Object.assign(params, range, { last })
  }
  if (after) {
    const before = order === 'DESC' ? '<' : '>'
    const expressions = keys.map(([expression]) => expression)
    const values = keys.map(([, type], n) => `{after${n}:${type}}`)
    conditions.push(`(${expressions.join(', ')}) ${before} (${values.join(', ')})`)
    for (const [n, value] of after.entries()) params[`after${n}`] = value
  }
  const key = keys.map(([expression]) => `toString(${expression})`).join(', ')
  const sql = `
    SELECT *${withKey ? `, [${key}] AS ${KEY_COLUMN}` : ''}
    FROM ${from}
    ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
    ORDER BY ${keys.map(([expression]) => `${expression} ${order}`).join(', ')}
    LIMIT {limit:UInt32}`
  return { sql, params }
}
