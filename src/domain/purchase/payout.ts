import type { Spend } from '../../schemas/evidence.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'

/**
 * Did this spend pay what the order asked (spec section 3, SETTLED)? An ask: the order's payout is
 * at the index of the spending input. A bid: the spender is the bid's own transaction.
 */
export function isExactPayout(offer: Offer, spend: Spend): boolean {
  if (offer.side === 'BID') return spend.unsignedTxid === offer.unsignedTxid
  const [payout] = offer.payouts
  return (
    payout !== undefined &&
    spend.pairedOutput !== null &&
    spend.pairedOutput.valueSats === payout.valueSats &&
    spend.pairedOutput.scriptHex === payout.scriptHex
  )
}

/**
 * The signed price in sats (docs/design/orders.md#prices). An ask: its payout. A bid: what reaches
 * the seller's script less the asset's own value; null while the prevout is unknown or nothing is
 * left.
 */
export function signedPrice(offer: Offer, prevout: TxOut | null): string | null {
  if (offer.side === 'ASK') return offer.payouts[0]?.valueSats ?? null
  if (prevout === null) return null
  const toSeller = offer.payouts
    .filter((payout) => payout.scriptHex === prevout.scriptHex)
    .reduce((sum, payout) => sum + BigInt(payout.valueSats), 0n)
  const price = toSeller - BigInt(prevout.valueSats)
  return price > 0n ? price.toString() : null
}
