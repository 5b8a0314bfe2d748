import { CATALOG } from '../../domain/catalog/catalog.ts'
import type { Catalog } from '../../schemas/api/catalog.ts'
import type { GatewaySettings } from '../gateway.ts'

/**
 * Every market, aliases marked by `aliasOf` (gateway spec 2.2, ProtocolTemplate), with what this
 * deployment can do: a listing is built, and an asset proved, by node and index together; content is
 * shown where the configuration names its server.
 */
export function readCatalog({
  nodeConfigured,
  indexConfigured,
  contentConfigured,
}: Pick<GatewaySettings, 'nodeConfigured' | 'indexConfigured' | 'contentConfigured'>): Catalog {
  const isProved = nodeConfigured && indexConfigured
  const lacking = {
    ...(isProved ? {} : { createListing: false, verifyAssetSemantics: false }),
    ...(contentConfigured ? {} : { mediaResolution: false }),
  }
  return CATALOG.map((market) => ({
    ...market,
    capabilities: { ...market.capabilities, ...lacking },
  }))
}
