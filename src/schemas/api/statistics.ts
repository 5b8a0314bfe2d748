import { z } from 'zod'
import {
  Hex,
  InscriptionId,
  OrderId,
  OrderSide,
  OrderState,
  OutpointText,
  Txid,
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
    live_asks: Whole,
    live_bids: Whole,
    live_outputs: Whole.describe('outputs that they offer: several orders may offer one'),
    floor_sats: Sats.nullable().describe('the lowest price of a LIVE ask, postage included'),
    best_bid_sats: Sats.nullable(),
    asked_sats: Sats.describe('the sum of the prices of the LIVE asks'),
  }),
  depth: z.strictObject({
    ...market,
    side: OrderSide,
    price_sats: Sats,
    orders: Whole.describe('LIVE orders at this price'),
    orders_up_to: Whole.describe('at this price or a better one'),
    sats_up_to: Sats.describe('the sum of their prices'),
  }),
  book: z.strictObject({
    order_id: OrderId,
    seq: Whole.describe('the number of the change that made this version'),
    in_force_from: Moment,
    in_force_until: Moment.nullable().describe('excluded; null: it is in force'),
    outpoint: OutpointText,
    ...market,
    side: OrderSide.nullable(),
    gross_price_sats: Sats.nullable().describe('what the seller is paid, postage included'),
    net_price_sats: Signed.nullable().describe('what the seller is paid less the postage'),
    postage_sats: Sats.nullable(),
    seller_script_hex: Hex.nullable(),
    inscription_ids: z.array(InscriptionId),
    seller_address,
  }),
  volume: z.strictObject({
    days: z.int().describe('the days up to `to`: 1, 7 or 30'),
    sales: Whole,
    volume_sats: Sats.describe('the sum of their prices, postage included'),
    sellers: Whole.describe('different scripts of the outputs that they sold'),
    sales_before: Whole.describe('the same in as many days before those'),
    volume_before_sats: Sats,
    sellers_before: Whole,
    sales_change_percent: Percent,
    volume_change_percent: Percent,
    sellers_change_percent: Percent,
  }),
  floor: z.strictObject({
    interval: z.string(),
    at: Moment.describe('the beginning of an hour, a day or a week, and last the end of the range'),
    ...market,
    floor_sats: Sats.nullable().describe('the lowest price of an ask LIVE then, postage included'),
    best_bid_sats: Sats.nullable(),
  }),
  candles: z.strictObject({
    interval: z.string(),
    start: Moment,
    ...market,
    open_sats: Sats,
    high_sats: Sats,
    low_sats: Sats,
    close_sats: Sats,
    volume_sats: Sats,
    sales: Whole,
  }),
  sales: z.strictObject({
    order_id: OrderId,
    outpoint: OutpointText,
    txid: Txid,
    sold_at: Moment,
    settled_at: Moment,
    block_height: z.int().nullable(),
    ...market,
    side: OrderSide.nullable(),
    inscription_ids: z.array(InscriptionId),
    seller_script_hex: Hex.nullable(),
    gross_price_sats: Sats.nullable().describe('what the seller is paid, postage included'),
    net_price_sats: Signed.nullable().describe('what the seller is paid less the postage'),
    postage_sats: Sats.nullable(),
    first_live_at: Moment.nullable(),
    is_taken_back: z.boolean().describe('a reorganisation took it back: it is in no sum'),
    is_counted: z.boolean().describe('in the sums, as the one sale of its output'),
    seller_address,
  }),
  inscription: z.strictObject({
    inscription_id: InscriptionId,
    order_id: OrderId,
    seq: Whole,
    observed_at: Moment,
    from_state: OrderState.nullable(),
    to_state: OrderState,
    reason: z.string(),
    outpoint: OutpointText,
    side: OrderSide.nullable(),
    gross_price_sats: Sats.nullable(),
    net_price_sats: Signed.nullable(),
    settlement_txid: Txid.nullable(),
    is_taken_back: z.boolean(),
  }),
  sellers: z.strictObject({
    seller_script_hex: Hex,
    listed: Whole,
    sold: Whole,
    sold_sats: Sats,
    withdrawn: Whole,
    spent_elsewhere: Whole,
    seller_address,
  }),
  'time-to-settle': z.strictObject({
    day: Day,
    ...market,
    sales: Whole,
    median_seconds: Signed,
    p90_seconds: Signed,
    longest_seconds: Signed,
  }),
  conflicts: z.strictObject({
    day: Day,
    kind: z.enum(['conflict', 'replacement', 'release', 'taken_back']),
    events: Whole,
    orders: Whole,
  }),
  verdicts: z.strictObject({
    day: Day,
    state: OrderState,
    reason: z.string(),
    verdicts: Whole,
    orders: Whole,
  }),
  sources: z.strictObject({
    day: Day,
    source: z.string(),
    orders: Whole,
    first_told: Whole,
    duplicates: Whole,
    valid: Whole,
    stale: Whole,
    fake: Whole,
    undecided: Whole,
    median_lag_ms: Signed.nullable(),
    longest_lag_ms: Signed.nullable(),
  }),
} as const

/** The height of a block, or a day or time in UTC. */
const HEIGHT = /^(?:0|[1-9][0-9]{0,8})$/
const DAY_OR_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?$/

/**
 * A day, or a time with seconds, in UTC: as a time with milliseconds. Null for a text of another
 * form, and for what no calendar has, which `Date` would carry over: 30 February, 24:00.
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
      'must be a day or a time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z',
    )
    .transform((text) => timeOfText(text) ?? z.NEVER)
    .exactOptional()
    .describe(what)

/** A moment: the digits of a height, or a time with milliseconds. */
export const MomentText = z
  .string()
  .refine(
    (text) => HEIGHT.test(text) || timeOfText(text) !== null,
    'must be the height of a block, or a day or a time in UTC, such as 2026-01-31T12:00:00Z',
  )
  .transform((text) => (HEIGHT.test(text) ? text : (timeOfText(text) ?? z.NEVER)))
  .describe('as of this day or time in UTC, or of the block at this height')

const text = (max: number) => z.string().min(1, 'must not be empty').max(max)

/** What a statistic may be asked for; each takes some of these. */
export const STATISTIC_PARAMETERS = {
  protocol: text(64).exactOptional().describe('of this market: a catalog id, as orders name it'),
  token: text(64).exactOptional().describe('of this token; case-insensitive'),
  inscription: InscriptionId.exactOptional().describe('of this inscription'),
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

const MAX_ROWS = 1_000
/** Parameters of any statistic. */
export const STATISTIC_PAGING = {
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, `must be a decimal number from 1 to ${MAX_ROWS}`)
    .transform(Number)
    .refine((limit) => limit <= MAX_ROWS, `must be a decimal number from 1 to ${MAX_ROWS}`)
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

/** The answer of a statistic with these rows. */
export const statisticPage = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    /** The range that was read, `to` excluded; null: of now, or of all time. */
    from: Moment.nullable(),
    to: Moment.nullable(),
    rows: z.array(row),
    limit: z.int(),
    nextCursor: z.string(),
    hasMore: z.boolean(),
  })
