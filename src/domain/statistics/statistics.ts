/** What a statistic may be asked. */
export interface StatisticBounds {
  says: string
  /** One of these filters is required, so that not everything is read. */
  needs?: readonly (keyof StatisticFilters)[]
  filters: readonly (keyof StatisticFilters)[]
  /** The longest range and the default one, in days. Absent: it covers now, or all time. */
  days?: { most: number; usual: number }
  /** Its range ends with the present minute by default, not with the present day. */
  endsNow?: true
  /** It counts whole days, or whole intervals if it has them: its range is widened to these. */
  isWhole?: true
  /** Its range has always the usual length. */
  isFixed?: true
  /** The view of the history that it is computed from. Absent: it is a view itself. */
  over?: string
}

export const INTERVALS = ['hour', 'day', 'week'] as const
export type Interval = (typeof INTERVALS)[number]

/** Each is a view `stats_*` of the history (docs/history.md). */
export const STATISTICS = {
  market: {
    says: 'The market now, by market and token',
    filters: ['protocol', 'token'],
  },
  depth: {
    says: 'LIVE orders by price',
    needs: ['protocol', 'token'],
    filters: ['protocol', 'token'],
  },
  book: {
    says: 'The book as of a time, or of the height of a block',
    needs: ['at'],
    filters: ['at', 'protocol', 'token', 'inscription', 'seller'],
  },
  volume: {
    says: 'Sales, their volume and sellers of 1, 7 and 30 days, beside the days before',
    filters: ['protocol', 'token'],
    days: { most: 60, usual: 60 },
    endsNow: true,
    isFixed: true,
    over: 'stats_sales',
  },
  floor: {
    says: 'The floor over time, by hour, day or week',
    needs: ['protocol', 'token'],
    filters: ['protocol', 'token', 'interval'],
    days: { most: 31, usual: 7 },
    endsNow: true,
    over: 'stats_book',
  },
  candles: {
    says: 'Prices and volume of the sales by hour, day or week',
    filters: ['protocol', 'token', 'interval'],
    days: { most: 31, usual: 7 },
    isWhole: true,
  },
  sales: {
    says: 'Sales, the newest first; those that a reorganisation took back are marked',
    filters: ['protocol', 'token', 'inscription', 'seller'],
    days: { most: 31, usual: 7 },
  },
  inscription: {
    says: 'What the orders of an inscription went through',
    needs: ['inscription'],
    filters: ['inscription'],
  },
  transaction: {
    says: 'What a transaction did to orders: which it bought or spent, and whether it still does',
    needs: ['txid'],
    filters: ['txid'],
  },
  sellers: {
    says: 'What sellers listed and sold, the largest volume first',
    filters: ['seller'],
    days: { most: 366, usual: 30 },
    isWhole: true,
  },
  'time-to-settle': {
    says: 'How long orders were LIVE until they were sold, by day of the sale',
    filters: ['protocol', 'token'],
    days: { most: 366, usual: 30 },
    isWhole: true,
  },
  conflicts: {
    says: 'Conflicts, replacements and settlements taken back, by day',
    filters: [],
    days: { most: 366, usual: 30 },
    isWhole: true,
  },
  verdicts: {
    says: 'Verdicts by day and reason',
    filters: [],
    days: { most: 366, usual: 30 },
    isWhole: true,
  },
  sources: {
    says: 'States of the orders that a source reported, by day',
    filters: [],
    days: { most: 366, usual: 30 },
    isWhole: true,
  },
} as const satisfies Record<string, StatisticBounds>
export type StatisticName = keyof typeof STATISTICS
export const STATISTIC_NAMES = Object.keys(STATISTICS) as StatisticName[]

type IntervalDays = Record<Interval, { most: number; usual: number }>
/** Days that a statistic may span, by its interval. */
const INTERVAL_DAYS: Partial<Record<string, IntervalDays>> = {
  candles: {
    hour: STATISTICS.candles.days,
    day: { most: 1_100, usual: 90 },
    week: { most: 3_700, usual: 366 },
  },
  floor: {
    hour: STATISTICS.floor.days,
    day: { most: 366, usual: 90 },
    week: { most: 1_100, usual: 366 },
  },
}

export interface StatisticFilters {
  protocol?: string
  /** Exact, case-insensitive. */
  token?: string
  inscription?: string
  txid?: string
  /** The script of the offered output in hex. */
  seller?: string
  /** A time, or the height of a block: see `parseMoment`. */
  at?: string
  /** The interval of candles, or of the floor; day by default. */
  interval?: Interval
}

export interface StatisticQuestion extends StatisticFilters {
  name: string
  /** From here, RFC 3339; by default a usual range before `to`. */
  from?: string
  /** Up to here, excluded; by default the end of the present day in UTC. */
  to?: string
}

/** A question within the bounds, without the fields that its statistic does not allow. */
export interface BoundStatistic {
  name: StatisticName
  filters: StatisticFilters
  range: { from: string; to: string } | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Milliseconds of each interval; weeks begin on Mondays, and 1970 began on a Thursday. */
export const INTERVAL_STEPS: Record<Interval, { step: number; origin: number }> = {
  hour: { step: HOUR_MS, origin: 0 },
  day: { step: DAY_MS, origin: 0 },
  week: { step: 7 * DAY_MS, origin: 4 * DAY_MS },
}
/** What ends now ends with the present minute: requests share an answer. */
const MINUTE_MS = 60_000

/**
 * The question with its range, or why it is refused: the sentence names the bound. `isLaterPage`: its
 * range was admitted for the first page, and is longer than asked for where it was widened.
 */
export function boundStatistic(
  { name, from, to, ...filters }: StatisticQuestion,
  now: number,
  { isLaterPage = false } = {},
): BoundStatistic | { refused: string } {
  if (!isStatistic(name))
    return { refused: `there is no statistic ${name}: one of ${STATISTIC_NAMES.join(', ')}` }
  const bounds: StatisticBounds = STATISTICS[name]
  const named = Object.keys(filters) as (keyof StatisticFilters)[]
  const foreign = named.find((filter) => !bounds.filters.includes(filter))
  if (foreign) return { refused: `${name} has no ${foreign}${listed(bounds.filters)}` }
  if (bounds.needs && !bounds.needs.some((filter) => named.includes(filter)))
    return { refused: `${name} would read everything: name its ${bounds.needs.join(' or ')}` }
  const { interval = 'day' } = filters
  const byInterval = INTERVAL_DAYS[name]
  const given = byInterval ? { ...filters, interval } : filters
  const days = byInterval?.[interval] ?? bounds.days
  if (!days)
    return from === undefined && to === undefined
      ? { name, filters: given, range: null }
      : { refused: `${name} has no range of time` }
  const step = bounds.endsNow ? MINUTE_MS : DAY_MS
  const end = to === undefined ? (Math.floor(now / step) + 1) * step : Date.parse(to)
  const start = from === undefined ? end - days.usual * DAY_MS : Date.parse(from)
  if (start >= end) return { refused: 'the range is empty: from is not before to' }
  if (bounds.isFixed && start !== end - days.usual * DAY_MS)
    return { refused: `${name} reads ${days.usual} days: it has no from, only to` }
  const what = byInterval ? `${name} by ${interval}` : name
  if (!isLaterPage && end - start > days.most * DAY_MS)
    return { refused: `${what} would read too much: at most ${days.most} days at once` }
  const [first, last] = bounds.isWhole
    ? widened([start, end], byInterval ? interval : 'day')
    : [start, end]
  const range = { from: new Date(first).toISOString(), to: new Date(last).toISOString() }
  return { name, filters: given, range }
}

/** The intervals that have a part in it, whole. */
function widened([from, to]: [number, number], interval: Interval): [number, number] {
  const { step, origin } = INTERVAL_STEPS[interval]
  const placeOf = (time: number) => (time - origin) / step
  return [origin + Math.floor(placeOf(from)) * step, origin + Math.ceil(placeOf(to)) * step]
}

const isStatistic = (name: string): name is StatisticName => Object.hasOwn(STATISTICS, name)

const listed = (filters: readonly string[]): string =>
  filters.length === 0 ? '' : `, only ${filters.join(', ')}`
