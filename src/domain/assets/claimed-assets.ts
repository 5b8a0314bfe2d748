import type { AssetClaim } from '../../schemas/order.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import { outpointText, parseOutpoint } from '../chain/outpoint.ts'

export type InscriptionClaim = AssetClaim | NonNullable<OfferClaim['claimedInscription']>

/** The inscription that a wrapper claims to offer, with as much of its output as is claimed. */
export const inscriptionClaim = ({
  source,
  claimedInscription,
}: Pick<OfferClaim, 'source' | 'claimedInscription'>): InscriptionClaim | undefined =>
  source.claimedAsset ?? claimedInscription

/** Is the inscription claimed to be in an output other than this one? */
export function isClaimedElsewhere(claim: InscriptionClaim, outpoint: OutpointText): boolean {
  if ('outpoint' in claim) return outpointText(claim.outpoint) !== outpoint
  return claim.txid !== undefined && claim.txid !== parseOutpoint(outpoint).txid
}

/**
 * The assets that an order is listed by (gateway spec 4.1, assetInscriptionId and assetOutpoint):
 * those that the index proved or, until it proved any, those that the order's kept wrapper claims.
 * A LIVE order claims only what was proved: a false claim cannot list it under an asset that it
 * does not have. An inscription claimed without an output is listed under the offered output.
 */
export function claimedAssets(order: OrderRecord): readonly AssetClaim[] {
  const { assets, state, kept, outpoint } = order
  const claim = inscriptionClaim(kept)
  if (assets.length > 0 || state === 'LIVE' || !claim) return assets
  return 'outpoint' in claim
    ? [claim]
    : [{ inscriptionId: claim.inscriptionId, outpoint: parseOutpoint(outpoint) }]
}
