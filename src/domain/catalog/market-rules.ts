import type { MarketRules } from '../assets/asset-verdict.ts'
import { CATALOG } from './catalog.ts'

const RUNES = 'runes'
const NO_MARKET: MarketRules = { assetRequirement: 'NONE', sellsRunes: false }

/** What a market requires of an offered output; free text that names no market requires nothing. */
export function marketRules(protocolId: string | undefined): MarketRules {
  const market = CATALOG.find(({ id }) => id === protocolId)
  if (!market) return NO_MARKET
  return {
    assetRequirement: market.assetRequirement,
    sellsRunes: (market.aliasOf ?? market.id) === RUNES,
  }
}
