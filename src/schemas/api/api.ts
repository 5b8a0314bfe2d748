import { z } from 'zod'
import { AssetClaim } from '../order.ts'
import { DiscoveryText } from '../order-record.ts'
import {
  Actionability,
  AmountInput,
  AtomicSats,
  InscriptionIdInput,
  OrderClass,
  OrderSide,
  OrderState,
  OutpointInput,
  Safety,
  SignatureStatus,
  Source,
  Timestamp,
} from '../scalars.ts'

/** Orders on a page (docs/design/orders.md#formats). */
const PAGE_LIMIT = { default: 50, max: 200 } as const

/** A cursor of a page is never longer than this, in characters. */
export const MAX_CURSOR_LENGTH = 1_024

/** Gateway spec 2.2. `psbt` is base64 or hex; every other field is a claim, kept as evidence. */
export const ImportRequest = z.strictObject({
  psbt: z.string().describe('the signed PSBT, base64 or hex'),
  source: Source.exactOptional().describe('the kind of source; `direct-import` by default'),
  sourceId: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable Unicode')
    .exactOptional()
    .describe('name of the source, of your choice; shown as untrusted'),
  asset: AssetClaim.exactOptional().describe(
    'the asset that the order is for; a claim, which node and index must prove',
  ),
  claimedPriceSats: AmountInput.exactOptional().describe(
    'price that the source gave, sats; kept as evidence',
  ),
  protocolId: DiscoveryText.exactOptional().describe(
    'the market, a catalog id; shown as untrusted',
  ),
  token: DiscoveryText.exactOptional().describe(
    'name of the token or collection; shown as untrusted',
  ),
  side: OrderSide.exactOptional().describe('side that the sender claims; the signatures decide'),
  quotedPriceSats: AmountInput.exactOptional().describe(
    'price that the sender claims, sats; the signatures decide',
  ),
})
export type ImportRequest = z.infer<typeof ImportRequest>

/** The id in a path, as received: a malformed one names an order that does not exist. */
export const OrderPath = z.object({
  id: z.string().toLowerCase().describe('order id: 64 hex digits in either case'),
})

/** A POST without input: no body, or an empty object. */
export const NoBody = z.strictObject({}).nullish()

const Limit = z
  .string()
  .regex(/^[1-9][0-9]{0,2}$/, `must be a decimal number from 1 to ${PAGE_LIMIT.max}`)
  .transform(Number)
  .refine(
    (limit) => limit <= PAGE_LIMIT.max,
    `must be a decimal number from 1 to ${PAGE_LIMIT.max}`,
  )

const text = (max: number) => z.string().min(1, 'must not be empty').max(max)

const paging = {
  limit: Limit.default(PAGE_LIMIT.default).describe('entries per page: 1 to 200, 50 by default'),
  cursor: z
    .string()
    .exactOptional()
    .describe('`nextCursor` of the previous page; valid only with the same filters and sort'),
  /** Declared only to be refused: paging is keyset (gateway spec 4.1, rule 1). */
  offset: z.unknown().exactOptional(),
}

const STATE = OrderState.options.join('|')

/** Any of several states in a query, comma separated; read as a list, each state once, sorted. */
const States = z.codec(
  z
    .string()
    .max(256)
    .regex(
      new RegExp(`^(?:${STATE})(?:,(?:${STATE}))*$`),
      `must be states, comma separated: ${OrderState.options.join(', ')}`,
    ),
  z.array(OrderState).min(1).max(OrderState.options.length),
  {
    decode: (text) => [...new Set(text.split(','))].sort() as OrderState[],
    encode: (states) => states.join(','),
  },
)

/** A time in a query, of any precision, read to the millisecond, as orders have it. */
const Since = z.codec(z.iso.datetime(), Timestamp, {
  decode: (text) => new Date(text).toISOString(),
  encode: (time) => time,
})

/** Each costs the store one bitmap read. */
const MAX_PROTOCOLS = 64

/** Gateway spec 4.1. Unknown parameters are ignored, except `offset` and what is misspelt. */
export const ListOrdersQuery = z.object({
  protocol: text(64)
    .exactOptional()
    .describe(
      'one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions`',
    ),
  protocols: text(4_096)
    .refine((ids) => ids.split(',').length <= MAX_PROTOCOLS, `must name at most ${MAX_PROTOCOLS}`)
    .exactOptional()
    .describe(`catalog ids, comma separated: at most ${MAX_PROTOCOLS}`),
  group: text(64).exactOptional().describe('a catalog group: every market in it'),
  token: text(64).exactOptional().describe('exact, case-insensitive'),
  source: Source.exactOptional().describe('any source of the order'),
  state: OrderState.exactOptional().describe(
    'orders in this state; withdrawn or rejected ones are listed where this names their state',
  ),
  states: States.exactOptional().describe(
    'any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them',
  ),
  actionability: Actionability.exactOptional().describe(
    'orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review',
  ),
  safety: Safety.exactOptional().describe('orders of this safety'),
  orderClass: OrderClass.exactOptional().describe('orders of this class'),
  signature: SignatureStatus.exactOptional().describe('orders whose signatures have this status'),
  side: OrderSide.exactOptional().describe('ASK: the seller signed; BID: the buyer signed'),
  seller: text(4_096)
    .exactOptional()
    .describe('the script of the offered output in hex, or its address'),
  assetInscriptionId: InscriptionIdInput.exactOptional().describe('orders for this inscription'),
  assetOutpoint: OutpointInput.exactOptional().describe('orders for an asset in this output'),
  priceMin: AtomicSats.exactOptional().describe(
    'the lowest price in sats, inclusive; leaves out orders without a price',
  ),
  priceMax: AtomicSats.exactOptional().describe(
    'the highest price in sats, inclusive; leaves out orders without a price',
  ),
  updatedSince: Since.exactOptional().describe(
    'orders whose `updatedAt` is this time or later; that they become stale is no update',
  ),
  search: z
    .string()
    .max(128)
    .exactOptional()
    .describe(
      'a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token',
    ),
  sort: z
    .enum([
      'newest',
      'oldest',
      'price_asc',
      'price_desc',
      'token_asc',
      'protocol_asc',
      'validation_newest',
    ])
    .default('newest')
    .describe(
      '`validation_newest` sorts by the last time the authorities were queried for the order itself; the displayed `checkedAt` can be later while its output is watched without a gap',
    ),
  includeWithdrawn: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'include withdrawn and rejected orders; not needed where `state` or `states` names theirs. No other filter adds to a list',
    ),
  ...paging,
})
export type ListOrdersQuery = z.infer<typeof ListOrdersQuery>

export const AddressPath = z.object({
  address: z.string().min(1).max(128).describe('the address of a seller’s output'),
})

/** The list of orders, whose seller the path names. */
export const AddressOrdersQuery = ListOrdersQuery.omit({ seller: true })
/** The filters of a list. */
export const CountFacetsQuery = ListOrdersQuery.omit({
  sort: true,
  limit: true,
  cursor: true,
  offset: true,
}).describe('The filters of `listOrders`. Unknown parameters are ignored, except misspelt ones.')
export type CountFacetsQuery = z.infer<typeof CountFacetsQuery>

/** The list of hidden orders has no filters. */
export const ListHiddenQuery = z.object(paging)
export type ListHiddenQuery = z.infer<typeof ListHiddenQuery>

/** Gateway spec 4, GET /activity. */
export const ActivityRequest = z.object({
  orderId: z.string().toLowerCase().exactOptional().describe('only the changes of this order'),
  ...paging,
})
export type ActivityRequest = z.infer<typeof ActivityRequest>
