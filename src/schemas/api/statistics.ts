import { z } from 'zod'
import {
  Hex,
  InscriptionId,
  InscriptionIdInput,
  OrderId,
  OrderSide,
  OrderState,
  OutpointText,
  Txid,
  TxidInput,
} from '../scalars.ts'

// The rows of each statistic are the rows of its view (docs/history.md#statistics), by its column
// names; what is named for a seller has an address besides.

/** A whole number of 64 bits or more, as decimal text. */
const Whole = z.string().regex(/^(0|[1-9][0-9]*)$/)
const Signed = z.string().regex(/^(0|-?[1-9][0-9]*)$/)
const Sats = Whole.describe('sats')
const Percent = Signed.nullable().describe(
  'of the days before, whole, rounded towards zero; null: there was nothing then',
)
const Day = z.iso.date().describe('UTC')
const Moment = z.iso.datetime({ precision: 3 })
const seller_address = z
  .string()
  .nullable()
  .describe('the address of that script; null: it has none')
const market = {
  protocol_id: z.string().nullable().describe('the market, as last told; untrusted'),
  token: z.string().nullable().describe('as last told; untrusted'),
}

/** The rows of each statistic, by its name. */
export const STATISTIC_ROWS = {
  market: z.strictObject({
    ...market,
    live_asks: Whole.describe('asks that are LIVE'),
    live_bids: Whole.describe('bids that are LIVE'),
    live_outputs: Whole.describe('outputs that they offer: several orders may offer one'),
    floor_sats: Sats.nullable().describe('the lowest price of a LIVE ask, postage included, sats'),
    best_bid_sats: Sats.nullable().describe(
      'the highest price of a LIVE bid, sats; null: there is none',
    ),
    asked_sats: Sats.describe('the sum of the prices of the LIVE asks, sats'),
  }),
  depth: z.strictObject({
    ...market,
    side: OrderSide.describe('ASK: the seller signed, BID: the buyer signed'),
    price_sats: Sats.describe('the price, sats'),
    orders: Whole.describe('LIVE orders at this price'),
    orders_up_to: Whole.describe('at this price or a better one'),
    sats_up_to: Sats.describe('the sum of their prices, sats'),
  }),
  book: z.strictObject({
    order_id: OrderId.describe('the order'),
    seq: Whole.describe('the number of the change that made this version'),
    in_force_from: Moment.describe('from when the version was in force'),
    in_force_until: Moment.nullable().describe('excluded; null: it is in force'),
    outpoint: OutpointText.describe('the offered output'),
    ...market,
    side: OrderSide.nullable().describe('ASK or BID; null: not known'),
    gross_price_sats: Sats.nullable().describe('what the seller is paid, postage included, sats'),
    net_price_sats: Signed.nullable().describe('what the seller is paid less the postage, sats'),
    postage_sats: Sats.nullable().describe('value of the offered output, sats; null: not known'),
    seller_script_hex: Hex.nullable().describe(
      'script of the offered output, hex; null: not known',
    ),
    inscription_ids: z.array(InscriptionId).describe('inscriptions that it is for'),
    seller_address,
  }),
  volume: z.strictObject({
    days: z.int().describe('the days up to `to`: 1, 7 or 30'),
    sales: Whole.describe('sales in those days'),
    volume_sats: Sats.describe('the sum of their prices, postage included, sats'),
    sellers: Whole.describe('different scripts of the outputs that they sold'),
    sales_before: Whole.describe('the same in as many days before those'),
    volume_before_sats: Sats.describe('the same in as many days before those, sats'),
    sellers_before: Whole.describe('the same in as many days before those'),
    sales_change_percent: Percent,
    volume_change_percent: Percent,
    sellers_change_percent: Percent,
  }),
  floor: z.strictObject({
    interval: z.string().describe('hour, day or week'),
    at: Moment.describe('the beginning of an hour, a day or a week, and last the end of the range'),
    ...market,
    floor_sats: Sats.nullable().describe(
      'the lowest price of an ask LIVE then, postage included, sats; null: there was none',
    ),
    best_bid_sats: Sats.nullable().describe(
      'the highest price of a bid LIVE then, sats; null: there was none',
    ),
  }),
  candles: z.strictObject({
    interval: z.string().describe('hour, day or week'),
    start: Moment.describe('beginning of the interval'),
    ...market,
    open_sats: Sats.describe('price of the first sale, sats'),
    high_sats: Sats.describe('the highest price, sats'),
    low_sats: Sats.describe('the lowest price, sats'),
    close_sats: Sats.describe('price of the last sale, sats'),
    volume_sats: Sats.describe('the sum of the prices, sats'),
    sales: Whole.describe('sales in the interval'),
  }),
  sales: z.strictObject({
    order_id: OrderId.describe('the order that was sold'),
    outpoint: OutpointText.describe('the output that was sold'),
    txid: Txid.describe('the transaction that bought it'),
    sold_at: Moment.describe('when the purchase was observed first'),
    settled_at: Moment.describe('when the order became SETTLED'),
    block_height: z.int().nullable().describe('height of its block; null: it is in the mempool'),
    ...market,
    side: OrderSide.nullable().describe('ASK or BID; null: not known'),
    inscription_ids: z.array(InscriptionId).describe('inscriptions that were sold'),
    seller_script_hex: Hex.nullable().describe(
      'script of the output that was sold, hex; null: not known',
    ),
    gross_price_sats: Sats.nullable().describe('what the seller is paid, postage included, sats'),
    net_price_sats: Signed.nullable().describe('what the seller is paid less the postage, sats'),
    postage_sats: Sats.nullable().describe(
      'value of the output that was sold, sats; null: not known',
    ),
    first_live_at: Moment.nullable().describe(
      'when the order became LIVE first; null: it never was, and the sale is in no sum',
    ),
    is_taken_back: z.boolean().describe('a reorganisation took it back: it is in no sum'),
    is_counted: z
      .boolean()
      .describe(
        'in the sums, as the one sale of its output: of an order that was LIVE here before',
      ),
    seller_address,
  }),
  inscription: z.strictObject({
    inscription_id: InscriptionId.describe('the inscription'),
    order_id: OrderId.describe('the order that changed'),
    seq: Whole.describe('number of the change among the changes of its order, from 1'),
    observed_at: Moment.describe('when the change was observed'),
    from_state: OrderState.nullable().describe('the state before; null: the first change'),
    to_state: OrderState.describe('the state after'),
    reason: z.string().describe('code of why it changed'),
    outpoint: OutpointText.describe('the offered output'),
    side: OrderSide.nullable().describe('ASK or BID; null: not known'),
    gross_price_sats: Sats.nullable().describe(
      'what the seller is paid, postage included, sats; null: no price',
    ),
    net_price_sats: Signed.nullable().describe(
      'what the seller is paid less the postage, sats; null: not known',
    ),
    settlement_txid: Txid.nullable().describe('the transaction that bought it; null: none'),
    is_taken_back: z.boolean().describe('a reorganisation took the change back'),
  }),
  transaction: z.strictObject({
    txid: Txid.describe('the transaction'),
    order_id: OrderId.describe('the order whose output it bought or spent'),
    seq: Whole.describe('number of the change that names it among the changes of the order'),
    observed_at: Moment.describe('when that was observed'),
    did: z
      .enum(['sale', 'spend'])
      .describe('sale: it carries the exact payout; spend: it spends the output, no more is known'),
    block_height: z.int().nullable().describe('height of its block; null: in the mempool'),
    from_state: OrderState.nullable().describe('the state before; null: the first change'),
    to_state: OrderState.describe('the state after'),
    reason: z.string().describe('code of why it changed'),
    outpoint: OutpointText.describe('the offered output'),
    side: OrderSide.nullable().describe('ASK or BID; null: not known'),
    gross_price_sats: Sats.nullable().describe(
      'what the seller is paid, postage included, sats; null: no price',
    ),
    net_price_sats: Signed.nullable().describe(
      'what the seller is paid less the postage, sats; null: not known',
    ),
    is_current: z
      .boolean()
      .describe('it spends the output now; false: replaced, gone, or taken back'),
  }),
  sellers: z.strictObject({
    seller_script_hex: Hex.describe('script of the offered outputs, hex'),
    listed: Whole.describe('asks that were first sent'),
    sold: Whole.describe('sales, of bids too'),
    sold_sats: Sats.describe('the sum of the prices of those, sats'),
    withdrawn: Whole.describe('asks that were withdrawn'),
    spent_elsewhere: Whole.describe('asks whose output was spent without a sale of it'),
    seller_address,
  }),
  'time-to-settle': z.strictObject({
    day: Day,
    ...market,
    sales: Whole.describe('sales of the day'),
    median_seconds: Signed.describe('median of the time from LIVE to the purchase, seconds'),
    p90_seconds: Signed.describe('the time that nine of ten sales took at most, seconds'),
    longest_seconds: Signed.describe('the longest time, seconds'),
  }),
  conflicts: z.strictObject({
    day: Day,
    kind: z
      .enum(['conflict', 'replacement', 'release', 'taken_back'])
      .describe(
        '`conflict`: a spend appeared; `replacement`: another replaced it; `release`: it is gone; `taken_back`: a reorganisation undid a sale',
      ),
    events: Whole.describe('number of such changes'),
    orders: Whole.describe('orders that they happened to'),
  }),
  verdicts: z.strictObject({
    day: Day,
    state: OrderState.describe('state that was decided'),
    reason: z.string().describe('code of why'),
    verdicts: Whole.describe('number of verdicts'),
    orders: Whole.describe('orders that they were about'),
  }),
  sources: z.strictObject({
    day: Day,
    source: z.string().describe('the kind of source'),
    orders: Whole.describe('orders that it sent'),
    first_told: Whole.describe('orders that it was the first to send'),
    duplicates: Whole.describe(
      'how often it sent an order that had been sent before, by itself included',
    ),
    valid: Whole.describe('orders that were LIVE once'),
    stale: Whole.describe(
      'orders that never were: their output, or one that pays for a bid, is spent or missing',
    ),
    fake: Whole.describe('orders that never were, and were refused for what is wrong with them'),
    undecided: Whole.describe(
      'all others: still pending, withdrawn, or refused without an answer about them, such as `made_room`',
    ),
    median_lag_ms: Signed.nullable().describe(
      'median time from when it was the first to send an order to the first verdict, milliseconds; null: there was none',
    ),
    longest_lag_ms: Signed.nullable().describe(
      'the longest such time, milliseconds; null: there was none',
    ),
  }),
} as const

/** The height of a block, or a day or time in UTC. */
const HEIGHT = /^(?:0|[1-9][0-9]{0,8})$/
/** Years that every calendar of the engine has, with the longest range before them. */
const DAY_OR_TIME = /^20\d{2}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?$/

/**
 * A day, or a time with seconds, in UTC: as a time with milliseconds. Null for a text of another
 * form, of a year before 2000 or after 2099, and for what no calendar has, which `Date` would carry
 * over: 30 February, 24:00.
 */
export function timeOfText(text: string): string | null {
  const ms = DAY_OR_TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return null
  const time = new Date(ms).toISOString()
  return time.startsWith(text.replace(/Z$/, '')) ? time : null
}

const time = (what: string) =>
  z
    .string()
    .refine(
      (text) => timeOfText(text) !== null,
      'must be a day or a time in UTC from 2000 to 2099, such as 2026-01-31 or 2026-01-31T12:00:00Z',
    )
    .transform((text) => timeOfText(text) ?? z.NEVER)
    .exactOptional()
    .describe(what)

/** A moment: the digits of a height, or a time with milliseconds. */
export const MomentText = z
  .string()
  .refine(
    (text) => HEIGHT.test(text) || timeOfText(text) !== null,
    'must be the height of a block, or a day or a time in UTC from 2000 to 2099, such as 2026-01-31T12:00:00Z',
  )
  .transform((text) => (HEIGHT.test(text) ? text : (timeOfText(text) ?? z.NEVER)))
  .describe('as of this day or time in UTC, or of the block at this height')

const text = (max: number) => z.string().min(1, 'must not be empty').max(max)

/** What a statistic may be asked for; each takes some of these. */
export const STATISTIC_PARAMETERS = {
  protocol: text(64).exactOptional().describe('of this market: a catalog id, as orders name it'),
  token: text(64).exactOptional().describe('of this token; case-insensitive'),
  inscription: InscriptionIdInput.exactOptional().describe('of this inscription'),
  txid: TxidInput.exactOptional().describe('of this transaction'),
  seller: text(4_096)
    .exactOptional()
    .describe('of this seller: the script of the offered output in hex, or its address'),
  at: MomentText.exactOptional(),
  interval: z.enum(['hour', 'day', 'week']).default('day').describe('of candles, or of the floor'),
  from: time('from this day or time in UTC'),
  to: time('up to this day or time in UTC, excluded; by default the end of today'),
} as const
/** `to` of what ends now. */
export const TO_NOW = time(
  'up to this day or time in UTC, excluded; by default the end of the present minute',
)

/** A decimal number up to this one. */
const rowsUpTo = (most: number) => {
  const message = `must be a decimal number from 1 to ${most}`
  return z
    .string()
    .regex(/^[1-9][0-9]{0,5}$/, message)
    .transform(Number)
    .refine((limit) => limit <= most, message)
}

const MAX_ROWS = 1_000
/** Parameters of any statistic. */
export const STATISTIC_PAGING = {
  limit: rowsUpTo(MAX_ROWS)
    .default(100)
    .describe(`rows per page: 1 to ${MAX_ROWS}, 100 by default`),
  cursor: z
    .string()
    .exactOptional()
    .describe('`nextCursor` of the previous page of the same question'),
  /** Declared only to be refused, as by every list. */
  offset: z.unknown().exactOptional(),
} as const

const StatisticRequest = z.object({ ...STATISTIC_PARAMETERS, ...STATISTIC_PAGING })
/** A request of any statistic; what it does not take is absent. */
export type StatisticRequest = Partial<z.infer<typeof StatisticRequest>> & { limit: number }

const STATISTIC_NAMES = Object.keys(STATISTIC_ROWS) as (keyof typeof STATISTIC_ROWS)[]

export const StatisticFilePath = z.object({
  name: z.enum(STATISTIC_NAMES).describe('the statistic'),
})

const MAX_FILE_ROWS = 10_000
/** What a file of a statistic is asked for: each statistic takes some of these filters. */
export const StatisticFileQuery = z.object({
  ...STATISTIC_PARAMETERS,
  interval: z
    .enum(['hour', 'day', 'week'])
    .exactOptional()
    .describe('of candles, or of the floor; day by default'),
  limit: rowsUpTo(MAX_FILE_ROWS)
    .exactOptional()
    .describe(`the first rows alone: 1 to ${MAX_FILE_ROWS}; by default all, or a refusal`),
})
export type StatisticFileRequest = z.infer<typeof StatisticFileQuery>

/** The answer of a statistic with these rows. */
export const statisticPage = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    from: Moment.nullable().describe(
      'beginning of the range that was read; null: of now, or of all time',
    ),
    to: Moment.nullable().describe('end of that range, excluded; null: of now, or of all time'),
    rows: z.array(row).describe('rows of this page'),
    limit: z.int().describe('most rows of a page, as asked for'),
    nextCursor: z.string().describe('`cursor` of the next page; empty on the last page'),
    hasMore: z.boolean().describe('whether there is a next page'),
  })
