import type { AssetClaim } from '../schemas/order.ts'
import type { OrderRecord } from '../schemas/order-record.ts'

/**
 * The assets that an order is listed by (spec 4.1, assetInscriptionId and assetOutpoint): those that
 * the index proved, and as long as it proved none what the order's kept wrapper claims. A LIVE order
 * claims what was proved alone: nobody's false claim lists it under an asset that it does not have.
 */
export function claimedAssets({ assets, state, kept }: OrderRecord): readonly AssetClaim[] {
  const { claimedAsset } = kept.source
  const isProved = assets.length > 0 || state === 'LIVE'
  return isProved || !claimedAsset ? assets : [claimedAsset]
}
