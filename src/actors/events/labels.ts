import type { MarketRules } from '../../domain/assets/asset-verdict.ts'
import type { Verdict } from '../../domain/verdict/verdict.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'

type Labels = Pick<OfferClaim, 'protocolId' | 'token'>

/**
 * The labels that an import gives to an order that lacks them; null when it gives none. A token is
 * given only under a market: the one given with it, or the order's own.
 */
export function labelsGiven(lacking: Labels, given: Labels): Labels | null {
  const { protocolId, token } = given
  if (protocolId === undefined) return null
  if (lacking.protocolId === undefined) {
    const isNewToken = lacking.token === undefined && token !== undefined
    return { protocolId, ...(isNewToken && { token }) }
  }
  const isOfItsMarket = lacking.protocolId === protocolId && lacking.token === undefined
  return isOfItsMarket && token !== undefined ? { token } : null
}

/**
 * Does an order that is LIVE under a market belong there, if only a stranger says so? Text that
 * names no market, or one settled elsewhere, would hide the order from its buyers. An output that
 * holds an inscription belongs to an inscription market. No LIVE order holds undeclared runes.
 */
export const belongsTo = (
  { assetRequirement, sellsRunes }: MarketRules,
  { assets, remarks }: Verdict,
): boolean =>
  assets.length > 0
    ? assetRequirement === 'INSCRIPTION'
    : assetRequirement === 'OUTPOINT' && !sellsRunes && !remarks.includes('assets_not_examined')
