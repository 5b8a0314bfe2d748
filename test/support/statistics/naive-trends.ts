import type { Interval } from '../../../src/domain/statistics/statistics.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import { countedSales, type Row } from './naive-statistics.ts'
import { naiveBook } from './naive-versions.ts'

// Volume and floor from the changes themselves: whole lives are folded again for each answer.

type Lives = readonly (readonly ChangeRecord[])[]

interface Market {
  protocol?: string
  token?: string
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SPANS = [1, 7, 30]

const isOf = (
  { protocol, token }: Market,
  told: { protocol_id: string | null; token: string | null },
): boolean =>
  (protocol === undefined || told.protocol_id === protocol) &&
  (token === undefined || told.token?.toLowerCase() === token.toLowerCase())

/** What sold in spans of days up to a time, excluded, beside the days before each. */
export function naiveVolume(lives: Lives, to: string, market: Market = {}): Row[] {
  const sales = countedSales(lives).filter((sale) => isOf(market, sale))
  return SPANS.map((days) => {
    const sumsOf = (back: number) => {
      const from = new Date(Date.parse(to) - back * days * DAY_MS).toISOString()
      const until = new Date(Date.parse(from) + days * DAY_MS).toISOString()
      const some = sales.filter(({ sold_at }) => sold_at >= from && sold_at < until)
      return {
        sales: BigInt(some.length),
        volume: some.reduce((all, { price }) => all + (price ?? 0n), 0n),
        sellers: BigInt(new Set(some.flatMap(({ seller }) => seller ?? [])).size),
      }
    }
    const [now, before] = [sumsOf(1), sumsOf(2)]
    const change = (of: 'sales' | 'volume' | 'sellers') =>
      before[of] === 0n ? null : String(((now[of] - before[of]) * 100n) / before[of])
    return {
      days,
      sales: String(now.sales),
      volume_sats: String(now.volume),
      sellers: String(now.sellers),
      sales_before: String(before.sales),
      volume_before_sats: String(before.volume),
      sellers_before: String(before.sellers),
      sales_change_percent: change('sales'),
      volume_change_percent: change('volume'),
      sellers_change_percent: change('sellers'),
    }
  })
}

function isBeginning(interval: Interval, time: Date): boolean {
  const isDay = time.getTime() % DAY_MS === 0
  if (interval === 'hour') return time.getTime() % HOUR_MS === 0
  return interval === 'day' ? isDay : isDay && time.getUTCDay() === 1
}

/** The book at each beginning of an interval in the range, and at its end, by market and token. */
export function naiveFloor(
  lives: Lives,
  { from, to, interval }: { from: string; to: string; interval: Interval },
  market: Market = {},
): Row[] {
  const rows: Row[] = []
  const first = Math.ceil(Date.parse(from) / HOUR_MS) * HOUR_MS
  const times = [to]
  for (let ms = first; ms < Date.parse(to); ms += HOUR_MS) {
    const time = new Date(ms)
    if (isBeginning(interval, time)) times.push(time.toISOString())
  }
  for (const at of times) {
    const priced = naiveBook(lives, { time: at }).filter(
      ({ side, gross_price_sats: price }) => side !== null && price !== null,
    )
    const book = priced.map((row) => ({
      protocol_id: row['protocol_id'] as string | null,
      token: row['token'] as string | null,
      side: row['side'],
      price: BigInt(String(row['gross_price_sats'])),
    }))
    const groups = new Map<string, typeof book>()
    for (const order of book.filter((one) => isOf(market, one))) {
      const key = JSON.stringify([order.protocol_id, order.token])
      groups.set(key, [...(groups.get(key) ?? []), order])
    }
    for (const group of groups.values()) {
      const { protocol_id, token } = group[0]!
      const rising = (of: string) =>
        group
          .filter(({ side }) => side === of)
          .map(({ price }) => price)
          .toSorted((a, b) => (a < b ? -1 : 1))
      const [lowest] = rising('ASK')
      const highest = rising('BID').at(-1)
      rows.push({
        interval,
        at,
        protocol_id,
        token,
        floor_sats: lowest === undefined ? null : String(lowest),
        best_bid_sats: highest === undefined ? null : String(highest),
      })
    }
  }
  return rows
}
