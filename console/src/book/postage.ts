import type { OrderSummary } from 'market-client'
import { lessOf } from '../ui/amounts.ts'

export interface Price {
  /** What the seller is paid; null: the order has no price. */
  gross: string | null
  /** The sats of the offered output; null: unknown. */
  postage: string | null
  /** What is paid beyond the sats that are handed over. */
  net: string | null
}

/**
 * The price of an order, in sats. Postage is the value of the one input with the seller's script:
 * the PSBT says it, and an order is LIVE only if the node says the same. An ask's quote includes
 * it, a bid's does not (docs/design/orders.md#prices).
 */
export function priceOf({
  side,
  quotedPriceSats,
  sellerScriptHex,
  inspection,
}: OrderSummary): Price {
  const own = inspection.inputWitnessUtxos.filter(
    (output) => output !== null && output.scriptHex === sellerScriptHex,
  )
  const postage = (own.length === 1 ? own[0]?.valueSats : undefined) ?? null
  if (quotedPriceSats === undefined) return { gross: null, postage, net: null }
  if (side !== 'BID')
    return { gross: quotedPriceSats, postage, net: lessOf(quotedPriceSats, postage) }
  const gross = postage === null ? null : (BigInt(quotedPriceSats) + BigInt(postage)).toString()
  return { gross, postage, net: quotedPriceSats }
}
