import { z } from 'zod'
import { AssetClaim, PsbtInspection } from '../order.ts'
import { DiscoveryText } from '../order-record.ts'
import { AmountInput, BlockRef, Outpoint } from '../scalars.ts'
import { BuilderProfile } from './catalog.ts'

/**
 * Gateway spec 2.2. `quotedPriceSats` is the payout; the offered output's own value goes to the
 * buyer.
 */
export const BuildAskRequest = z.strictObject({
  protocolId: DiscoveryText,
  token: DiscoveryText,
  quotedPriceSats: AmountInput,
  sellerPaymentAddress: z.string().max(128),
  /** Required if the market sells inscriptions. */
  asset: AssetClaim.exactOptional(),
  /** Required if the market sells outputs. */
  outpoint: Outpoint.exactOptional(),
})
export type BuildAskRequest = z.infer<typeof BuildAskRequest>

/** Gateway spec 2.2. `psbt` is unsigned, and `inspection` describes it as such. */
export const BuildAskResult = z.strictObject({
  psbt: z.string(),
  inspection: PsbtInspection,
  outpoint: Outpoint,
  nodeTip: BlockRef,
  protocolId: z.string(),
  builderProfile: BuilderProfile,
})
export type BuildAskResult = z.infer<typeof BuildAskResult>

/** Gateway spec 2.2: the seller half after the seller's own wallet signed it, base64 or hex. */
export const PublishAskRequest = z.strictObject({ psbt: z.string() })
export type PublishAskRequest = z.infer<typeof PublishAskRequest>
