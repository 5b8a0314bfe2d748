import { CATALOG } from '../../domain/catalog/catalog.ts'
import type { Catalog } from '../../schemas/api/catalog.ts'
import type { GatewaySettings } from '../gateway.ts'

/**
 * Every market, aliases marked by `aliasOf` (gateway spec 2.2, ProtocolTemplate), with what this
 * deployment can do: a listing is built, and an asset proved, by node and index together.
 */
export function readCatalog({
  nodeConfigured,
  indexConfigured,
}: Pick<GatewaySettings, 'nodeConfigured' | 'indexConfigured'>): Catalog {
  if (nodeConfigured && indexConfigured) return CATALOG
  return CATALOG.map((market) => ({
    ...market,
    capabilities: { ...market.capabilities, createListing: false, verifyAssetSemantics: false },
  }))
}
