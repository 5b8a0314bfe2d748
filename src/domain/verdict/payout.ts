import type { Spend } from '../../schemas/evidence.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import { sumOf } from './funding.ts'

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

/** The outputs of the offer that pay the owner of `prevout`: an ask's payout may be to any script. */
export const payoutsToOwner = (
  { side, payouts }: Pick<Offer, 'side' | 'payouts'>,
  prevout: TxOut,
): TxOut[] =>
  side === 'ASK' ? payouts : payouts.filter(({ scriptHex }) => scriptHex === prevout.scriptHex)

/** Does the owner of `prevout` get less sats than it holds? */
export const paysBelowInput = (offer: Pick<Offer, 'side' | 'payouts'>, prevout: TxOut): boolean =>
  sumOf(payoutsToOwner(offer, prevout)) < BigInt(prevout.valueSats)

/**
 * The signed price in sats (docs/design/orders.md#prices). An ask: its payout. A bid: what reaches
 * the seller's script less the asset's own value; null while the prevout is unknown or nothing is
 * left.
 */
export function signedPrice(offer: Offer, prevout: TxOut | null): string | null {
  if (offer.side === 'ASK') return offer.payouts[0]?.valueSats ?? null
  if (prevout === null) return null
  const price = sumOf(payoutsToOwner(offer, prevout)) - BigInt(prevout.valueSats)
  return price > 0n ? price.toString() : null
}
