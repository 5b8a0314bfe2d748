import { market } from '../api/market.ts'
import { outpointText } from '../ui/forms/outpoints.ts'

/** Anyone may send orders that claim an inscription which their output lacks. */
const MAX_CLAIMS = 50

/**
 * The output that an inscription is offered in here now, or was last, TXID:VOUT; null: no order that was
 * looked at names it.
 */
export async function knownOutpointOf(inscriptionId: string): Promise<string | null> {
  const namedBy = async (of: { state: 'LIVE' } | { includeWithdrawn: 'true' }) => {
    const { orders } = await market.get('/api/market/orders', {
      query: { assetInscriptionId: inscriptionId, ...of, limit: MAX_CLAIMS },
    })
    const assets = orders.flatMap((order) => order.assets)
    return assets.find((one) => one.inscriptionId === inscriptionId)
  }
  const asset = (await namedBy({ state: 'LIVE' })) ?? (await namedBy({ includeWithdrawn: 'true' }))
  return asset ? outpointText(asset.outpoint) : null
}
