import { CATALOG } from '../../domain/catalog/catalog.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import { scriptOfAddress } from '../../domain/script/address.ts'
import { dustThreshold } from '../../domain/script/relay.ts'
import type { ProtocolTemplate } from '../../schemas/api/catalog.ts'
import type { BuildAskRequest } from '../../schemas/api/listing.ts'
import type { AssetClaim } from '../../schemas/order.ts'
import type { Network, Outpoint, TxOut } from '../../schemas/scalars.ts'
import { RefusalError } from '../refusal.ts'

/** What a build requests, in the terms of its market. */
export interface ListingTerms {
  market: ProtocolTemplate
  outpoint: Outpoint
  payout: TxOut
  /** Without a number: only the index provides that. */
  asset: AssetClaim | null
}

/**
 * Reads a request as far as possible without asking an authority.
 *
 * @throws RefusalError BUILD_REFUSED with everything that is wrong with it
 */
export function listingTerms(request: BuildAskRequest, network: Network): ListingTerms {
  const market = CATALOG.find(({ id }) => id === request.protocolId)
  const outpoint = request.outpoint ?? request.asset?.outpoint
  const scriptHex = scriptOfAddress(request.sellerPaymentAddress, network)
  const reasons = [
    ...marketReasons(request, market),
    ...assetReasons(request, market),
    ...payoutReasons(request, scriptHex, network),
  ]
  if (reasons.length > 0 || !market || !outpoint || scriptHex === null) {
    throw new RefusalError('BUILD_REFUSED', reasons)
  }
  const { asset } = request
  return {
    market,
    outpoint,
    payout: { valueSats: request.quotedPriceSats, scriptHex },
    asset: asset ? { inscriptionId: asset.inscriptionId, outpoint: asset.outpoint } : null,
  }
}

function marketReasons({ protocolId }: BuildAskRequest, market?: ProtocolTemplate): string[] {
  if (!market) return ['protocolId: no market of the catalog has this id']
  if (market.capabilities.createListing) return []
  return [`protocolId: ${protocolId} is settled elsewhere: no listing of it is built here`]
}

function assetReasons(
  { protocolId, asset, outpoint }: BuildAskRequest,
  market?: ProtocolTemplate,
): string[] {
  const differ = asset && outpoint && outpointText(asset.outpoint) !== outpointText(outpoint)
  const differing = differ ? ['outpoint: is not the output of the asset'] : []
  if (market?.assetRequirement === 'INSCRIPTION') {
    return asset ? differing : [`asset: is required, ${protocolId} sells inscriptions`]
  }
  if (market?.assetRequirement !== 'OUTPOINT') return differing
  return [
    ...(asset ? [`asset: ${protocolId} sells outputs and no inscriptions`] : []),
    ...(outpoint ? [] : [`outpoint: is required, ${protocolId} sells outputs`]),
  ]
}

function payoutReasons(
  { quotedPriceSats }: BuildAskRequest,
  scriptHex: string | null,
  network: Network,
): string[] {
  if (scriptHex === null) return [`sellerPaymentAddress: is not an address of ${network}`]
  const least = dustThreshold(scriptHex)
  if (BigInt(quotedPriceSats) >= least) return []
  return [`quotedPriceSats: ${quotedPriceSats} sats is dust: the payout needs ${least}`]
}
