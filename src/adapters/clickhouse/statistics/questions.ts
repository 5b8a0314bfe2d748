import { parseMoment } from '../../../domain/statistics/moment.ts'
import {
  type BoundStatistic,
  INTERVAL_STEPS,
  type Interval,
  type StatisticName,
} from '../../../domain/statistics/statistics.ts'
import { inForceAt } from './in-force.ts'

type Params = Record<string, string | number>

interface ViewSource {
  /** A view, or a query over one; a function adds the filters, as conditions, to its own. */
  from: string | ((and: string) => string)
  /** Its time: a moment, the day of one, or the beginning of a candle. */
  time?: { column: string; kind: 'moment' | 'day' }
  /** Unique for each row, and never null: rows come in this order. */
  keys: readonly Key[]
  /** Its columns that are text of strangers. */
  strangers?: readonly string[]
  order: 'ASC' | 'DESC'
}

type Key = readonly [expression: string, type: string]

const DAY: Key = ['day', 'Date']
/** A change of an order, by time. */
const CHANGE: readonly Key[] = [
  ['observed_at', "DateTime64(3, 'UTC')"],
  ['order_id', 'String'],
  ['seq', 'UInt64'],
]
/** Text that may be null, as a key. */
const nullable = (column: string): Key[] => [
  [`isNull(${column})`, 'UInt8'],
  [`ifNull(${column}, '')`, 'String'],
]
const MARKET: Key[] = [...nullable('protocol_id'), ...nullable('token')]

const MARKET_TEXT = ['protocol_id', 'token']

const moment = (name: string) => `parseDateTime64BestEffort({${name}:String}, 3, 'UTC')`

const changeOf = (of: string): string => {
  const [now, before] = [`toInt256(${of})`, `toInt256(${of.replace(/(_sats)?$/, '_before$1')})`]
  const percent = `if(${before} = 0, NULL, intDiv((${now} - ${before}) * 100, ${before}))`
  return `${percent} AS ${of.replace(/_sats$/, '')}_change_percent`
}

/** Sums of spans of days that end at `to`, each beside the days before it; a span without a sale too. */
const VOLUME = (and: string): string => `(
  SELECT
    *,
    ${changeOf('sales')},
    ${changeOf('volume_sats')},
    ${changeOf('sellers')}
  FROM (
    SELECT
      days,
      countIf(is_of_span) AS sales,
      sumIf(price, is_of_span) AS volume_sats,
      uniqExactIf(seller_script_hex, is_of_span) AS sellers,
      countIf(is_before) AS sales_before,
      sumIf(price, is_before) AS volume_before_sats,
      uniqExactIf(seller_script_hex, is_before) AS sellers_before
    FROM (
      SELECT
        arrayJoin([1, 7, 30]) AS days,
        sold_at < ${moment('to')} AND sold_at >= subtractDays(${moment('to')}, days) AS is_of_span,
        NOT is_of_span AND sold_at < ${moment('to')} AND sold_at >= subtractDays(${moment('to')}, 2 * days) AS is_before,
        price,
        seller_script_hex
      FROM (
        SELECT sold_at, toDecimal128(ifNull(gross_price_sats, 0), 0) AS price, seller_script_hex
        FROM stats_sales
        WHERE is_counted AND sold_at >= ${moment('from')}${and}
        UNION ALL
        SELECT ${moment('to')} AS sold_at, toDecimal128(0, 0) AS price, NULL AS seller_script_hex
      )
    )
    GROUP BY days
  )
)`

/** The first place of the grid at or after a time: its beginnings of intervals, then `to`. */
const placeOf = (time: string): string =>
  `intDiv(toUnixTimestamp64Milli(${time}) - {start:Int64} + {step:Int64} - 1, {step:Int64})`

/**
 * The best prices of the book at each place of a grid, by market and token. A version is in force over a
 * row of places: two runs of a power of two, which may overlap, cover it. So a book of any size comes down to
 * the best price of each run, before runs are spread over their places.
 */
const FLOOR = (and: string): string => `(
  SELECT
    {interval:String} AS interval,
    if(place = {places:Int64}, ${moment('to')}, fromUnixTimestamp64Milli({start:Int64} + place * {step:Int64}, 'UTC')) AS at,
    protocol_id,
    token,
    min(lowest_ask) AS floor_sats,
    max(highest_bid) AS best_bid_sats
  FROM (
    SELECT protocol_id, token, arrayJoin(range(begins, begins + width)) AS place, lowest_ask, highest_bid
    FROM (
      SELECT
        protocol_id,
        token,
        width,
        arrayJoin([first_place, end_place - width]) AS begins,
        minIf(gross_price_sats, side = 'ASK') AS lowest_ask,
        maxIf(gross_price_sats, side = 'BID') AS highest_bid
      FROM (
        SELECT
          protocol_id,
          token,
          side,
          gross_price_sats,
          greatest(0, ${placeOf('in_force_from')}) AS first_place,
          if(
            ifNull(in_force_until > ${moment('to')}, true),
            {places:Int64} + 1,
            assumeNotNull(${placeOf('in_force_until')})
          ) AS end_place,
          toInt64(exp2(floor(log2(end_place - first_place + 0.5)))) AS width
        FROM stats_book
        WHERE isNotNull(gross_price_sats) AND isNotNull(side)
          AND in_force_from <= ${moment('to')} AND end_place > first_place${and}
      )
      GROUP BY protocol_id, token, width, begins
    )
  )
  GROUP BY place, protocol_id, token
)`

/** The beginnings of intervals in a range: the first, milliseconds from one to the next, how many. */
function gridOf(interval: Interval, { from, to }: { from: string; to: string }) {
  const { step, origin } = INTERVAL_STEPS[interval]
  const countTo = (time: string): number => Math.ceil((Date.parse(time) - origin) / step)
  const first = countTo(from)
  return { start: origin + first * step, step, places: countTo(to) - first }
}

const SOURCES: Record<StatisticName, ViewSource> = {
  market: { from: 'stats_market', keys: MARKET, strangers: MARKET_TEXT, order: 'ASC' },
  depth: {
    from: 'stats_depth',
    keys: [...MARKET, ['side', 'String'], ['price_sats', 'UInt64']],
    strangers: MARKET_TEXT,
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
    strangers: MARKET_TEXT,
    order: 'ASC',
  },
  volume: { from: VOLUME, keys: [['days', 'UInt8']], order: 'ASC' },
  floor: {
    from: FLOOR,
    keys: [['at', "DateTime64(3, 'UTC')"], ...MARKET],
    strangers: MARKET_TEXT,
    order: 'ASC',
  },
  candles: {
    from: 'stats_candles',
    time: { column: 'start', kind: 'moment' },
    keys: [['start', "DateTime64(3, 'UTC')"], ...MARKET],
    strangers: MARKET_TEXT,
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
    strangers: MARKET_TEXT,
    order: 'DESC',
  },
  inscription: {
    from: `(
      SELECT * FROM stats_inscription WHERE order_id IN (
        SELECT order_id FROM order_transition_rows WHERE has(inscription_ids, {inscription:String})
      )
    )`,
    keys: CHANGE,
    order: 'ASC',
  },
  transaction: {
    from: `(
      SELECT * FROM stats_transaction WHERE order_id IN (
        SELECT order_id FROM order_transition_rows WHERE spend_txid = {txid:String}
        UNION ALL
        SELECT order_id FROM order_transition_rows WHERE settlement_txid = {txid:String}
      )
    )`,
    keys: CHANGE,
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
    strangers: MARKET_TEXT,
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
  txid: 'txid = {txid:String}',
  seller: 'seller_script_hex = {seller:String}',
  interval: 'interval = {interval:String}',
} as const

/** Column of the row's key, where a page requests it. */
export const KEY_COLUMN = '_key'
/** Column of the values by which rows are ordered, where another query takes them up. */
const ORDER_COLUMN = '_order'

/**
 * Rows for a spreadsheet, which would run a text of a stranger that begins as a formula does, unless it is a
 * number: with an apostrophe before such a text. In the query itself the new text would replace the column in
 * its conditions and its order too.
 */
function forSpreadsheets(sql: string, { strangers = [], keys, order }: ViewSource): string {
  const begins = String.raw`^[=+@\\t\\r-]`
  const replaced = strangers.map((column) => {
    const isFormula = `match(${column}, '${begins}') AND NOT match(${column}, '${begins}[0-9]+([.][0-9]+)?$')`
    return `if(${isFormula}, concat('''', ${column}), ${column}) AS ${column}`
  })
  const places = keys.map((_, n) => `${ORDER_COLUMN}.${n + 1} ${order}`)
  return `
    SELECT * EXCEPT ${ORDER_COLUMN} REPLACE (${replaced.join(', ')})
    FROM (${sql})
    ORDER BY ${places.join(', ')}`
}

/** The query of a question, with or without the key of each row. */
export function statisticQuery(
  { name, filters, range }: BoundStatistic,
  {
    limit,
    after,
    withKey,
    isForSpreadsheets = false,
  }: {
    limit: number
    after?: readonly string[]
    withKey: boolean
    isForSpreadsheets?: boolean
  },
): { sql: string; params: Params } {
  const source: ViewSource = SOURCES[name]
  const { from, time, keys, order } = source
  const { at, ...others } = filters
  const { interval } = filters
  const inForce = at === undefined ? null : inForceAt(parseMoment(at))
  const named: string[] = Object.keys(others)
    .filter((filter) => name !== 'floor' || filter !== 'interval')
    .map((filter) =>
      (name === 'sales' || name === 'book') && filter === 'inscription'
        ? 'has(inscription_ids, {inscription:String})'
        : FILTERS[filter as keyof typeof FILTERS],
    )
  const isWithin = typeof from === 'function'
  const conditions = isWithin ? [] : [...named]
  if (inForce) conditions.push(inForce.condition)
  if (time?.kind === 'moment')
    conditions.push(`${time.column} >= ${moment('from')}`, `${time.column} < ${moment('to')}`)
  if (time?.kind === 'day')
    conditions.push(
      `${time.column} >= toDate(${moment('from')}, 'UTC')`,
      `${time.column} <= toDate(${moment('last')}, 'UTC')`,
    )
  const params: Params = {
    ...others,
    ...inForce?.params,
    ...(interval && range && gridOf(interval, range)),
    limit,
  }
  if (range) {
    const last = new Date(Date.parse(range.to) - 1).toISOString()
    Object.assign(params, range, { last })
  }
  const expressions = keys.map(([expression]) => expression)
  if (after) {
    const before = order === 'DESC' ? '<' : '>'
    const values = keys.map(([, type], n) => `{after${n}:${type}}`)
    conditions.push(`(${expressions.join(', ')}) ${before} (${values.join(', ')})`)
    for (const [n, value] of after.entries()) params[`after${n}`] = value
  }
  const isReplaced = isForSpreadsheets && source.strangers !== undefined
  const key = expressions.map((expression) => `toString(${expression})`).join(', ')
  const columns = [
    '*',
    ...(withKey ? [`[${key}] AS ${KEY_COLUMN}`] : []),
    ...(isReplaced ? [`tuple(${expressions.join(', ')}) AS ${ORDER_COLUMN}`] : []),
  ]
  const sql = `
    SELECT ${columns.join(', ')}
    FROM ${isWithin ? from(named.map((condition) => ` AND ${condition}`).join('')) : from}
    ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
    ORDER BY ${expressions.map((expression) => `${expression} ${order}`).join(', ')}
    LIMIT {limit:UInt32}`
  return { sql: isReplaced ? forSpreadsheets(sql, source) : sql, params }
}
