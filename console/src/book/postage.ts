import { lessOf } from '../ui/values/amounts.ts'

/** What the price of an order is read from. */
export interface Priced {
  side?: 'ASK' | 'BID'
  quotedPriceSats?: string
  sellerScriptHex?: string
  inspection: {
    inputWitnessUtxos: readonly ({ valueSats: string; scriptHex: string } | null)[]
    outputValuesSats: readonly string[]
    outputScriptsHex: readonly string[]
  }
}

export interface Price {
  /** The signed price, by which orders are filtered and sorted; null: the order has none. */
  price: string | null
  /** Of a bid: what the owner of the output is paid, its sats included; null for an ask. */
  paid: string | null
  /** The sats of the offered output; null: unknown. */
  postage: string | null
  /** What is paid beyond the sats that are handed over. */
  net: string | null
}

/**
 * The price of an order, in sats. Postage is the value of the one input with the seller's script:
 * the PSBT says it, and an order is LIVE only if the node says the same. An ask's signed price
 * includes it, a bid's does not, and a bid that pays its owner no more than the postage has none
 * (docs/design/orders.md#prices).
 */
export function priceOf(order: Priced): Price {
  const { side, quotedPriceSats, sellerScriptHex, inspection } = order
  const own = inspection.inputWitnessUtxos.filter(
    (output) => output !== null && output.scriptHex === sellerScriptHex,
  )
  const postage = (own.length === 1 ? own[0]?.valueSats : undefined) ?? null
  const price = quotedPriceSats ?? null
  if (price === null)
    return { price, postage, ...(side === 'BID' ? withoutPrice(order, postage) : NONE) }
  if (side !== 'BID') return { price, paid: null, postage, net: lessOf(price, postage) }
  const paid = postage === null ? null : (BigInt(price) + BigInt(postage)).toString()
  return { price, paid, postage, net: price }
}

const NONE = { paid: null, net: null }

/** What a bid without a price leaves its owner; nothing where its price is only not known yet. */
function withoutPrice(
  { sellerScriptHex, inspection }: Priced,
  postage: string | null,
): Pick<Price, 'paid' | 'net'> {
  const { outputValuesSats, outputScriptsHex } = inspection
  const paid = outputValuesSats
    .filter((_, at) => outputScriptsHex[at] === sellerScriptHex)
    .reduce((sum, value) => sum + BigInt(value), 0n)
    .toString()
  const net = lessOf(paid, postage)
  return net === null || BigInt(net) > 0n ? NONE : { paid, net }
}
