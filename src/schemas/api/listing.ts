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
  protocolId: DiscoveryText.describe('the market, a catalog id'),
  token: DiscoveryText.describe('name of the token or collection'),
  quotedPriceSats: AmountInput.describe(
    'what the seller is paid, sats; the value of the offered output goes to the buyer',
  ),
  sellerPaymentAddress: z.string().max(128).describe('address that is paid'),
  asset: AssetClaim.exactOptional().describe(
    'the inscription that is sold; required if the market sells inscriptions',
  ),
  outpoint: Outpoint.exactOptional().describe(
    'the output that is sold; required if the market sells outputs',
  ),
})
export type BuildAskRequest = z.infer<typeof BuildAskRequest>

/** Gateway spec 2.2. `psbt` is unsigned, and `inspection` describes it as such. */
export const BuildAskResult = z.strictObject({
  psbt: z.string().describe('the PSBT to sign with SINGLE|ANYONECANPAY, base64'),
  inspection: PsbtInspection.describe('what the PSBT is and contains, unsigned'),
  outpoint: Outpoint.describe('the offered output'),
  nodeTip: BlockRef.describe('tip of the node when the output was checked'),
  protocolId: z.string().describe('the market, a catalog id'),
  builderProfile: BuilderProfile.describe('how the listing was built'),
})
export type BuildAskResult = z.infer<typeof BuildAskResult>

/** Gateway spec 2.2: the seller half after the seller's own wallet signed it, base64 or hex. */
export const PublishAskRequest = z.strictObject({
  psbt: z.string().describe('the PSBT of the build, signed by the seller’s wallet, base64 or hex'),
})
export type PublishAskRequest = z.infer<typeof PublishAskRequest>
