import { z } from 'zod'
import { AssetClaim } from './order.ts'
import { DiscoveryText } from './order-record.ts'
import {
  AmountInput,
  InscriptionId,
  OrderClass,
  OrderSide,
  OrderState,
  OutpointText,
  Safety,
  SignatureStatus,
  Source,
} from './scalars.ts'

/** Orders on a page (design: Formats). */
const PAGE_LIMIT = { default: 50, max: 200 } as const

/** A cursor is never longer than this, in characters. */
export const MAX_CURSOR_LENGTH = 1_024

/** Spec 2.2. `psbt` is base64 or hex; every other field is a claim, kept as evidence. */
export const ImportRequest = z.strictObject({
  psbt: z.string(),
  source: Source.exactOptional(),
  sourceId: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable Unicode')
    .exactOptional(),
  asset: AssetClaim.exactOptional(),
  claimedPriceSats: AmountInput.exactOptional(),
  protocolId: DiscoveryText.exactOptional(),
  token: DiscoveryText.exactOptional(),
  side: OrderSide.exactOptional(),
  quotedPriceSats: AmountInput.exactOptional(),
})
export type ImportRequest = z.infer<typeof ImportRequest>

/** The id of a path, as it came: one that is malformed names an order that does not exist. */
export const OrderPath = z.object({ id: z.string() })

/** A POST that takes nothing: no body, or an empty object. */
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
  limit: Limit.default(PAGE_LIMIT.default),
  cursor: z.string().exactOptional(),
  /** Named only to be refused: paging is keyset (spec 4.1, rule 1). */
  offset: z.unknown().exactOptional(),
}

/** Spec 4.1. Unknown parameters are ignored, except `offset`. */
export const ListOrdersQuery = z.object({
  protocol: text(64).exactOptional(),
  protocols: text(4_096).exactOptional(),
  group: text(64).exactOptional(),
  token: text(64).exactOptional(),
  source: Source.exactOptional(),
  state: OrderState.exactOptional(),
  safety: Safety.exactOptional(),
  orderClass: OrderClass.exactOptional(),
  signature: SignatureStatus.exactOptional(),
  side: OrderSide.exactOptional(),
  seller: text(4_096).exactOptional(),
  assetInscriptionId: InscriptionId.exactOptional(),
  assetOutpoint: OutpointText.exactOptional(),
  search: z.string().max(128).exactOptional(),
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
    .default('newest'),
  includeWithdrawn: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  ...paging,
})
export type ListOrdersQuery = z.infer<typeof ListOrdersQuery>

/** Spec 4, GET /activity. */
export const ActivityRequest = z.object({ orderId: z.string().exactOptional(), ...paging })
export type ActivityRequest = z.infer<typeof ActivityRequest>
