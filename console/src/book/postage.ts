import { lessOf } from '../ui/values/amounts.ts'

/** What the price of an order is read from. */
export interface Priced {
  side?: 'ASK' | 'BID'
  quotedPriceSats?: string
  sellerScriptHex?: string
  inspection: {
    inputWitnessUtxos: readonly ({ valueSats: string; scriptHex: string } | null)[]
  }
}

export interface Price {
  /** The signed price, by which orders are filtered and sorted; null: the order has none. */
  price: string | null
  /** Of a bid: what its owner is paid, the sats of the output included; null for an ask. */
  withPostage: string | null
  /** The sats of the offered output; null: unknown. */
  postage: string | null
  /** What is paid beyond the sats that are handed over. */
  net: string | null
}

/**
 * The price of an order, in sats. Postage is the value of the one input with the seller's script:
 * the PSBT says it, and an order is LIVE only if the node says the same. An ask's signed price
 * includes it, a bid's does not (docs/design/orders.md#prices).
 */
export function priceOf({ side, quotedPriceSats, sellerScriptHex, inspection }: Priced): Price {
  const own = inspection.inputWitnessUtxos.filter(
    (output) => output !== null && output.scriptHex === sellerScriptHex,
  )
  const postage = (own.length === 1 ? own[0]?.valueSats : undefined) ?? null
  const price = quotedPriceSats ?? null
  if (price === null) return { price, withPostage: null, postage, net: null }
  if (side !== 'BID') return { price, withPostage: null, postage, net: lessOf(price, postage) }
  const withPostage = postage === null ? null : (BigInt(price) + BigInt(postage)).toString()
  return { price, withPostage, postage, net: price }
}
