import { market } from '../api/market.ts'
import { outpointText } from '../ui/forms/outpoints.ts'

/** The output that an inscription was last offered in here, TXID:VOUT; null: no order names it. */
export async function knownOutpointOf(inscriptionId: string): Promise<string | null> {
  const { orders } = await market.get('/api/market/orders', {
    query: { search: inscriptionId, includeWithdrawn: 'true', limit: 1 },
  })
  const asset = orders[0]?.assets.find((one) => one.inscriptionId === inscriptionId)
  return asset ? outpointText(asset.outpoint) : null
}
